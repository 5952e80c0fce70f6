# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks two answers of fleet-questions.py. The first must be sorted by size, largest
first. The second must show that the new build is slower by the intended factor of
twenty.

    check-slower.py ANSWERS
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    times, rows = (json.loads(line)["rows"] for line in file.readlines()[:2])
for what, values in (("the time", [seconds for _, _, _, _, seconds, *_ in times]),
                     ("the ratio", [new / max(old, 1) for _, _, _, old, new, *_ in rows])):
    if values != sorted(values, reverse=True):
        sys.exit(f"{what} is not falling: {values}")
ratio, = (new / old for name, _, _, old, new, *_ in rows if name == "request")
# Load on the machine may slow down one of the two builds.
if not 4 < ratio < 100:
    sys.exit(f"request is {ratio} times as slow: {rows}")
print(f"{len(rows)} functions, of which request is {ratio:.1f} times as slow")
