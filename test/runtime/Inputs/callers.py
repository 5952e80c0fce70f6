# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""callers.py [ROWS]: reads `patchbay dump --csv`, skips ROWS rows, and prints each pair of
callee and caller once: "function in caller". Omits calls in a caller that began before the end
of the skipped rows, except in main() and around(), which contain all calls.
"""
import csv
import sys

ENDLESS = ("main", "around")
skipped = int(sys.argv[1]) if len(sys.argv) > 1 else 0
found, open_calls = set(), {}
for number, row in enumerate(csv.DictReader(sys.stdin)):
    calls = open_calls.setdefault(row["tid"], [])
    del calls[int(row["depth"]):]
    outer = [f for f, _ in calls[-1:] if f not in ENDLESS]
    if number >= skipped and all(n >= skipped or f in ENDLESS for f, n in calls):
        found.add(" in ".join([row["function"], *outer]))
    calls.append((row["function"], number))
print(*sorted(found), sep="\n")
