# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two outputs of fleet-questions.py. The approximate percentiles in ANSWERS must lie
between the exact percentiles of a slightly lower and a slightly higher rank.

    compare-answers.py ANSWERS LOW HIGH
"""
import json
import sys


def text(row):
    return [value for value in row if isinstance(value, str)]


def answers(path):
    """Reads answers. Sorts rows, because engines order rows with nearly equal values
    differently."""
    with open(path, encoding="utf-8") as file:
        return [sorted(json.loads(line)["rows"], key=text) for line in file]


def is_between(value, low, high):
    if isinstance(value, str):
        return value == low == high
    # Each engine interpolates differently between two durations.
    return min(low, high) * 0.9 - 10 <= value <= max(low, high) * 1.1 + 10


def cross(low, high):
    """Corrects the bounds of the last column of the third answer: the host's median divided by
    the median of most hosts. The divisor is approximate, too, so each bound uses the divisor of
    the opposite bound."""
    *_, low_median, _, low_ratio = low
    *_, high_median, _, high_ratio = high
    low[-1] = high_ratio * low_median / high_median
    high[-1] = low_ratio * high_median / low_median


given, *bounds = map(answers, sys.argv[1:])
for number, (rows, low, high) in enumerate(zip(given, *bounds, strict=True), 1):
    for row, *bound in zip(rows, low, high, strict=True):
        if number == 3:
            cross(*bound)
        if not all(map(is_between, row, *bound)):
            sys.exit(f"answer {number}: {row} is not between {bound}")
print(f"{len(given)} answers agree, of {sum(map(len, given))} rows")
