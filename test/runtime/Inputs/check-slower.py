# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of the second answer of fleet-questions.py: whether the new build is slower as it was
made to be, twenty times.

    check-slower.py ANSWERS
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    rows = json.loads(file.readlines()[1])["rows"]
ratio, = (new / old for name, _, _, old, new, *_ in rows if name == "request")
# What runs beside it may make one of the two slower as well.
if not 4 < ratio < 100:
    sys.exit(f"request is {ratio} times as slow: {rows}")
print(f"{len(rows)} functions, of which request is {ratio:.1f} times as slow")
