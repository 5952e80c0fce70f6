# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""status-rate.py BEFORE AFTER: that `patchbay status --json` says how often two functions of
busy.c are called, which takes 2 ms at least, and that what it has counted grows."""
import json
import sys

before, after = ([p for p in json.load(open(name, encoding="utf-8"))][0] for name in sys.argv[1:])
rate = before["calls_per_second"]
if not 10 < rate < 1010:
    sys.exit(f"{rate} calls a second")
# Between the two ends of what was measured lies more than one of its windows.
if after["calls"] - before["calls"] < rate * 0.3 / 4:
    sys.exit(f"{before['calls']} and {after['calls']} calls, at {rate} a second")
