# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""status-rate.py BEFORE AFTER: checks the rates that `patchbay status --json` prints for two
functions of busy.c, which take at least 2 ms, and that the counts grow."""
import json
import sys

before, after = ([p for p in json.load(open(name, encoding="utf-8"))][0] for name in sys.argv[1:])
rate = before["calls_per_second"]
if not 10 < rate < 1010:
    sys.exit(f"{rate} calls a second")
# The two outputs are more than one measurement window apart.
if after["calls"] - before["calls"] < rate * 0.3 / 4:
    sys.exit(f"{before['calls']} and {after['calls']} calls, at {rate} a second")
