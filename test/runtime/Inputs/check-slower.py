# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of the first two answers of fleet-questions.py: whether what matters most comes first; and
of the second, whether the new build is slower as it was made to be, twenty times.

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
# What runs beside it may make one of the two slower as well.
if not 4 < ratio < 100:
    sys.exit(f"request is {ratio} times as slow: {rows}")
print(f"{len(rows)} functions, of which request is {ratio:.1f} times as slow")
