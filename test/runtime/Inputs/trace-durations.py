# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the output of `patchbay dump --csv`. Fails if a call is not within its parent. Prints a
line for each function and kind of call:

    FUNCTION KIND CALLS depth MIN[-MAX], self >= MS ms, total >= MS ms
"""
import csv
import sys
from collections import defaultdict

calls, depths = defaultdict(int), defaultdict(set)
total, own = defaultdict(int), defaultdict(int)
stacks = defaultdict(list)
for row in csv.DictReader(sys.stdin):
    key = row["function"], row["kind"]
    start, depth = int(row["start_ns"]), int(row["depth"])
    end = start + int(row["duration_ns"]) if row["duration_ns"] else None
    stack = stacks[row["pid"], row["tid"]]
    if depth > len(stack):
        sys.exit(f"{row}: there is no call at depth {depth - 1}")
    del stack[depth:]
    if stack:
        outer_key, outer_start, outer_end = stack[-1]
        # Each time is rounded to a nanosecond.
        if start < outer_start or end and outer_end and end > outer_end + 2:
            sys.exit(f"{row}: not within {stack[-1]}")
        own[outer_key] -= (end or start) - start
    stack.append((key, start, end))
    calls[key] += 1
    depths[key].add(depth)
    total[key] += (end or start) - start
    own[key] += (end or start) - start

for key, n in calls.items():
    low, high = min(depths[key]), max(depths[key])
    depth = f"{low}" if low == high else f"{low}-{high}"
    print(f"{' '.join(key)} {n} depth {depth}, self >= {own[key] // 10**6} ms, "
          f"total >= {total[key] // 10**6} ms")
