# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a report (JSON on standard input) with the calls that trace-shared.c made.

Function number i of 256 was called i % 5 + 1 times. The function's name contains i in base
four.
"""
import json
import sys

made = {"main": 1, "plugged": 9}
for i in range(256):
    made[f"f_{i // 64}{i // 16 % 4}{i // 4 % 4}{i % 4}"] = i % 5 + 1
seen = {}
for function in json.load(sys.stdin)["functions"]:
    name = function["name"]
    seen[name] = seen.get(name, 0) + function["calls"]
# Recordings without exits contain calls that have not returned. Other recordings do not.
seen.setdefault("main", 1)
if seen != made:
    sys.exit("\n".join(f"{name}: {made.get(name)} calls, {seen.get(name)} in the report"
                       for name in sorted({*made, *seen})
                       if made.get(name) != seen.get(name)))
