# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the calls that a program's threads made with the recorded calls.

    trace-counts.py [--missed NAME [--told FILE]] [--lost] SAID < CSV

SAID has lines "TID FUNCTION CALLS"; CSV is `patchbay dump --csv`. Functions that are not in
SAID are ignored. The events of a thread must be in order. With --lost a tenth of a function's
events may be missing. A signal handler calls NAME. These calls are missed if the signal
interrupts a tracer's handler. Without --told, some must be missed. With --told, at most as many
are missing as `patchbay record` reported in FILE.
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
