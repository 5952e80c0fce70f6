# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a program says that its threads called with what was recorded.

    trace-counts.py [--missed NAME [--told FILE]] [--lost] SAID < CSV

SAID has lines "TID FUNCTION CALLS"; CSV is of `patchbay dump --csv`. Other
functions do not matter. Events of a thread must be in order, too. With --lost a
tenth of the events of a function may be missing. Calls of NAME come from a signal handler,
and are missed where that interrupts a tracer's handler: without --told, some of them are there.
With it, at most as many are missing as `patchbay record` told in FILE.
"""
import csv
import re
import sys
from collections import Counter

missed, told = None, None
if sys.argv[1] == "--missed":
    missed = sys.argv[2]
    del sys.argv[1:3]
if sys.argv[1] == "--told":
    line = re.search(r"(\d+) calls? w(ere|as) missed", open(sys.argv[2]).read())
    told = int(line[1]) if line else 0
    del sys.argv[1:3]
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

missing = 0
for key, calls in said.items():
    if key[1] == missed:
        missing += calls - seen[key]
    least = (told is None) if key[1] == missed else (0.9 if lost else 1) * calls
    if not least <= seen[key] <= calls:
        sys.exit(f"{key}: {calls} calls, {seen[key]} recorded")
if told is not None and missing > told:
    sys.exit(f"{missing} calls of {missed} are missing, and record told {told}")
print(f"{len(said)} counts agree")
