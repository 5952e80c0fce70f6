# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares column p of `patchbay report --diff` with the rank-sum test over the calls
themselves. Each duration is rounded as in the report: to intervals of one part in 64.

    compare-likelihood.py BEFORE.csv AFTER.csv REPORT
"""
import collections
import csv
import math
import sys


def rounded(duration):
    """Rounds a duration. Calls of few nanoseconds often have equal durations; ties
    change the variance."""
    below = max(duration.bit_length() - 7, 0)
    return duration >> below << below


def durations(path):
    found = collections.defaultdict(list)
    with open(path) as file:
        for row in csv.DictReader(file):
            found[row["function"]].append(rounded(int(row["duration_ns"])))
    return found


def likelihood(a, b):
    """The Mann-Whitney U test with the normal approximation."""
    ranked = sorted([(value, 0) for value in a] + [(value, 1) for value in b])
    total, ranks, same = len(ranked), 0.0, 0
    first = 0
    while first != total:
        last = first
        while last != total and ranked[last][0] == ranked[first][0]:
            last += 1
        of_a = sum(1 for _, which in ranked[first:last] if not which)
        ranks += of_a * (first + 1 + last) / 2
        same += (last - first) ** 3 - (last - first)
        first = last
    u = ranks - len(a) * (len(a) + 1) / 2
    variance = len(a) * len(b) / 12 * (total + 1 - same / (total * (total - 1)))
    if not variance:
        return 1.0
    distance = max(abs(u - len(a) * len(b) / 2) - 0.5, 0)
    return math.erfc(distance / math.sqrt(variance) / math.sqrt(2))


before, after = durations(sys.argv[1]), durations(sys.argv[2])
with open(sys.argv[3]) as file:
    header, *lines = file.read().splitlines()
if header.split()[-2:] != ["p", "function"]:
    sys.exit(header)
compared = 0
for line in lines:
    *_, shown, name = line.split()
    few = min(len(before[name]), len(after[name])) < 8
    if few or shown == "-":
        if not few or shown != "-":
            sys.exit(f"{name}: {shown}, of {len(before[name])} and {len(after[name])} calls")
        continue
    p = likelihood(before[name], after[name])
    if not (p < 0.001 if shown == "<0.001" else abs(p - float(shown)) < 0.00051):
        sys.exit(f"{name}: {shown}, but it is {p}")
    compared += 1
print(f"{compared} agree")
