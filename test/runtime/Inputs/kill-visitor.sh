#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kill-visitor.sh PID PATCHBAY WAIT-FOR: records a process, and kills the command after the
# calls of record-process-arena.c. The process must then write the events and unmap the arena.
pid=$1 patchbay=$2 wait_for=$3
"$patchbay" record -t function_duration -F step -o out -p "$pid" -- \
	sh -c "kill -USR1 $pid; while ! test -e done; do sleep 0.01; done; kill -9 \$PPID; sleep 1"
sh "$wait_for" '^ *400000 .* step' "$patchbay" report out || exit 1
sh "$wait_for" '^0$' grep -c memfd:patchbay "/proc/$pid/maps"
