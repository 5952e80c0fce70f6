# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts calls in `patchbay dump --csv` by depth, function and type of return."""
import csv
import sys
from collections import Counter

calls = Counter((row["depth"], row["function"], row["kind"])
                for row in csv.DictReader(sys.stdin))
for key, number in sorted(calls.items()):
    print(*key, number)
