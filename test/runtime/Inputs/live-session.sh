#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	live-session.sh PATCHBAY PID
#
# Changes what a busy process traces, and prints the results. During each pause the process
# makes many calls.
set -eu
patchbay=$1 pid=$2

live() {
	"$patchbay" live "$pid" "$@"
}

calls() { # FUNCTION: number of its calls in a new snapshot
	live --snapshot snap >/dev/null
	"$patchbay" dump --csv snap | cut -d, -f9 | grep -c "^$1\$" || true
}

goes_on() { # FUNCTION
	before=$(calls "$1")
	for _ in 1 2 3 4 5; do
		sleep 0.1
		if [ "$(calls "$1")" -gt "$before" ]; then
			echo "$1: recorded"
			return
		fi
	done
	echo "$1: not recorded"
}

live
goes_on slow
echo "quick: $(calls quick)"
live --arm quick
goes_on quick
live --threshold 1ms
goes_on slow
goes_on quick
live --threshold=0 --disarm 's*'
goes_on slow
goes_on quick
live --arm '*' --list
live
