# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""newest-kept.py INFO CSV LEAVES THREADS EVERY ROUNDS: checks a recording of trace-overwrite.c.
Fails unless the last calls are recorded in order and the others are counted as overwritten.
LEAVES is the number of traced functions. The remaining arguments are those of the program.
"""
import csv
import re
import sys

info, events = sys.argv[1:3]
leaves, threads, every, rounds = map(int, sys.argv[3:])
made = [(f"the-thread-{n:04}", f"leaf_{leaf}") for n in range(threads)
        for _ in range(1 if n % every else rounds) for leaf in range(leaves)]
kept = [(row["thread"], row["function"]) for row in csv.DictReader(open(events))]
for i, (call, expected) in enumerate(zip(kept, made[len(made) - len(kept):])):
    if call != expected:
        sys.exit(f"{len(kept)} kept: call {i} is {call}, not {expected}")
lost, overwritten = re.search(r"lost +(\d+) events, overwritten (\d+)",
                              open(info).read()).groups()
if int(lost) or len(kept) + int(overwritten) != len(made):
    sys.exit(f"{len(kept)} kept, {overwritten} overwritten, {lost} lost, "
             f"of {len(made)} calls")
print(f"{len(kept)} calls kept, {overwritten} overwritten")
