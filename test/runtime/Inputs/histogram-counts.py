# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a program says that its threads called with what was counted.

    histogram-counts.py SAID < JSON

SAID is as of trace-counts.py, JSON of `patchbay report --json`. Each call is in
one bucket, and what a bucket says agrees with what all calls took. What in_signal
does while its thread is in a handler is missed, as by all tracers with exits.
"""
import json
import sys
from collections import Counter

said = Counter()
for line in open(sys.argv[1]):
    _, function, calls = line.split()
    said[function] += int(calls)

seen = {f["name"]: f for f in json.load(sys.stdin)["functions"]}
for name, calls in said.items():
    # On a busy machine few signals come, and all of them may come at such times.
    if name == "in_signal" and name not in seen:
        continue
    f = seen[name]
    in_buckets = sum(b["calls"] for b in f["histogram"])
    if name == "in_signal" and f["calls"] < calls:
        calls = f["calls"]
    if not f["calls"] == in_buckets == calls:
        sys.exit(f"{name}: {calls} calls, {f['calls']} counted, {in_buckets} in buckets")
    least = sum(b["calls"] * b["at_least_ns"] for b in f["histogram"])
    # Of the first bucket that is 0, and bounds are rounded.
    if not 0.99 * least <= f["total_ns"] <= 2.02 * least + calls:
        sys.exit(f"{name}: {f['total_ns']} ns, in buckets at least {least} ns")
    if f["longest_ns"] < 0.99 * f["histogram"][-1]["at_least_ns"]:
        sys.exit(f"{name}: the longest call is in no bucket")
print(f"{len(said)} counts agree")
