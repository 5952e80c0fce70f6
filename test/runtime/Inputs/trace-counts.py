# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a program says that its threads called with what was recorded.

    trace-counts.py [--lost] SAID < CSV

SAID has lines "TID FUNCTION CALLS"; CSV is of `patchbay dump --csv`. Other
functions do not matter. Events of a thread must be in order, too. With --lost a
tenth of the events of a function may be missing.
"""
import csv
import sys
from collections import Counter

lost = sys.argv[1] == "--lost"
said = {}
for line in open(sys.argv[-1]):
    tid, function, calls = line.split()
    said[int(tid), function] = int(calls)

seen, last = Counter(), {}
for row in csv.DictReader(sys.stdin):
    tid, start = int(row["tid"]), int(row["start_ns"])
    seen[tid, row["function"]] += 1
    if start < last.get(tid, 0):
        sys.exit(f"thread {tid}: {start} ns follows {last[tid]} ns")
    last[tid] = start

for key, calls in said.items():
    if not (0.9 if lost else 1) * calls <= seen[key] <= calls:
        sys.exit(f"{key}: {calls} calls, {seen[key]} recorded")
print(f"{len(said)} counts agree")
