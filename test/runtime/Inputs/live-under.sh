#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#	live-under.sh PATCHBAY PID READER
#
# Changes the root functions of rooted.c, which `patchbay record` (the process PID) has
# started. After each change, prints the pairs of caller and callee that were recorded until
# the next one.
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

# Skips some rows: calls that have already begun keep the old setting.
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
live --under nosuch 2>&1 || true
live --everywhere --under handle 2>&1 || true
kill "$pid"
