# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the calls that a program's threads made with the counted calls.

    histogram-counts.py SAID < JSON

SAID is the input of trace-counts.py. JSON is `patchbay report --json`. Each call is in one
bucket. The bounds of a bucket are consistent with the total time. Calls of in_signal are missed
if the signal interrupts a handler, as with all tracers with exits.
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
    # On a busy machine few signals arrive, and all of them may arrive in a handler.
    if name == "in_signal" and name not in seen:
        continue
    f = seen[name]
    in_buckets = sum(b["calls"] for b in f["histogram"])
    if name == "in_signal" and f["calls"] < calls:
        calls = f["calls"]
    if not f["calls"] == in_buckets == calls:
        sys.exit(f"{name}: {calls} calls, {f['calls']} counted, {in_buckets} in buckets")
    least = sum(b["calls"] * b["at_least_ns"] for b in f["histogram"])
    # The lower bound of the first bucket is 0; bounds are rounded.
    if not 0.99 * least <= f["total_ns"] <= 2.02 * least + calls:
        sys.exit(f"{name}: {f['total_ns']} ns, in buckets at least {least} ns")
    if f["longest_ns"] < 0.99 * f["histogram"][-1]["at_least_ns"]:
        sys.exit(f"{name}: the longest call is in no bucket")
print(f"{len(said)} counts agree")
