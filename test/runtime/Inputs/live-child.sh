#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	live-child.sh PATCHBAY PID
#
# Asks the program that `patchbay record`, the process PID, has started, as soon as
# it listens and has armed its functions, which on a busy machine comes later. It is
# the last child: before it others looked at the program.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	child=$(sed 's/ *$//; s/.* //' "/proc/$2/task/$2/children")
	if said=$("$1" live "$child") && ! printf '%s\n' "$said" | grep -qE '^functions +0$'; then
		printf '%s\n' "$said"
		kill "$child"
		exit
	fi
	sleep 0.5
done
exit 1
