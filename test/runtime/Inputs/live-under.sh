#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	live-under.sh PATCHBAY PID READER
#
# Changes beneath which functions calls are recorded in the program of rooted.c, which
# `patchbay record`, the process PID, has started, and prints which calls within which
# were recorded after each change, and before the next.
set -eu
patchbay=$1 reader=$3
pid=$(sed 's/.* \([0-9]\)/\1/' "/proc/$2/task/$2/children")
pid=${pid% }

live() {
	"$patchbay" live -p "$pid" "$@"
}

rows() {
	live --snapshot snap >/dev/null
	"$patchbay" dump --csv snap >rows.csv 2>dump.err || : >rows.csv
	wc -l <rows.csv
}

# Calls that have begun by now are as they were, and have ended a little later.
recorded() { # WHAT
	sleep 0.05
	before=$(rows)
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sleep 0.05
		[ "$(rows)" -gt $((before + 40)) ] && break
	done
	echo "[$1]"
	$reader $((before + 8)) <rows.csv
}

live --under handle
live
recorded handle
live --under other
recorded other
live --under handle --under other
recorded both
live --everywhere
recorded everywhere
live --under nobody 2>&1 || true
live --everywhere --under handle 2>&1 || true
kill "$pid"
