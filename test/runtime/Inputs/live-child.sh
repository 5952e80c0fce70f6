#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	live-child.sh PATCHBAY PID
#
# Sends a request to the program that `patchbay record`, the process PID, has started. Waits
# until the program listens and has armed its functions. The program is PID's last child:
# earlier children only inspected the program.
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
