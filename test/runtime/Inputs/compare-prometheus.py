# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what prometheus-client reads of `patchbay report --prometheus` with --json.

    compare-prometheus.py PROMETHEUS JSON
"""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families

with open(sys.argv[1], encoding="utf-8") as file:
    families = {family.name: family for family in text_string_to_metric_families(file.read())}
with open(sys.argv[2], encoding="utf-8") as file:
    report = json.load(file)


def samples(family, suffix=""):
    """By function, or by function and limit."""
    found = {}
    for sample in families[family].samples if family in families else ():
        if not suffix or sample.name.endswith(suffix):
            key = tuple(sample.labels[name] for name in ("function", "le")
                        if name in sample.labels)
            if key in found:
                sys.exit(f"{family}: {key} is there twice")
            found[key] = sample.value
    return found


calls, selves = samples("patchbay_calls"), samples("patchbay_self_seconds")
buckets = samples("patchbay_call_duration_seconds", "_bucket")
sums = samples("patchbay_call_duration_seconds", "_sum")
wrong = []
for function in report["functions"]:
    name = function["name"]
    if calls.pop((name,), None) != function["calls"]:
        wrong.append(f"{name}: calls")
    if "self_ns" in function and round(selves[name,] * 1e9) != function["self_ns"]:
        wrong.append(f"{name}: self")
    if "histogram" not in function:
        continue
    timed = sum(bucket["calls"] for bucket in function["histogram"])
    if buckets[name, "+Inf"] != timed:
        wrong.append(f"{name}: +Inf")
    if abs(round(sums[name,] * 1e9) - function["average_ns"] * timed) > timed:
        wrong.append(f"{name}: sum")
    limits = sorted((float(limit), calls) for (of, limit), calls in buckets.items() if of == name)
    if [calls for _, calls in limits] != sorted(calls for _, calls in limits):
        wrong.append(f"{name}: buckets are not cumulative")
    for bucket in function["histogram"]:
        start = bucket["at_least_ns"]
        limit, upto = min((round(limit * 1e9), calls) for limit, calls in limits
                          if start <= limit * 1e9 < 1e30)
        there = sum(b["calls"] for b in function["histogram"] if b["at_least_ns"] <= start)
        # The next one begins behind it; where the clock's ticks are no nanoseconds, at a
        # rounded time.
        if upto != there or (start and abs(limit + 1 - 2 * start) > 1):
            wrong.append(f"{name}: {bucket}")
if wrong or calls:
    sys.exit("; ".join(wrong) + f" {calls}")
(lost,), = [family.samples for name, family in families.items() if name == "patchbay_lost_events"]
print(f"{len(report['functions'])} functions agree, {len(buckets)} buckets, {lost.value:.0f} lost")
