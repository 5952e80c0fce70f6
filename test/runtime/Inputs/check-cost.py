# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: check-cost.py PATCHBAY DIR INSIDE OUTSIDE: checks that times of nested-calls.c are the
measured times minus the cost of recording: INSIDE ns within a call, OUTSIDE ns around it."""
import json
import subprocess
import sys

patchbay, data = sys.argv[1:3]
inside, outside = map(int, sys.argv[3:])
# For each function: its number of calls, and per call the numbers of direct callees and of
# all nested calls.
CALLS = {"main": (1, 200, 220200), "outer": (200, 100, 1100), "middle": (20000, 10, 10),
         "leaf": (200000, 0, 0)}


def read(verb, *options):
    done = subprocess.run([patchbay, verb, "--json", *options, data], check=True, text=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def report(*options):
    return {f["name"]: f for f in read("report", *options)["functions"]}


def average(*options):
    # If all slow calls took nearly the same time, the default limit would find none.
    limit = f"{report(*options)['outer']['average_ns']}ns"
    found = read("outliers", "-f", "outer", "--slower", limit, *options)
    kinds = [found[kind] for kind in ("slow", "others")]
    return (sum(kind["calls"] * kind["average_ns"] for kind in kinds) /
            sum(kind["calls"] for kind in kinds))


def expect(what, found, wanted):
    # Times are rounded to nanoseconds.
    if abs(found - wanted) > 2 + wanted / 1000:
        sys.exit(f"{what}: {found} ns are taken out, not {wanted}")


raw, shown = report("--raw"), report()
for name, (calls, made, within) in CALLS.items():
    before, after = raw[name], shown[name]
    if before["calls"] != calls or after["calls"] != calls:
        sys.exit(f"{name}: {before['calls']} and {after['calls']} calls, not {calls}")
    if after.get("measured_ns", after["total_ns"]) != before["total_ns"]:
        sys.exit(f"{name}: {before['total_ns']} ns were measured, not {after}")
    # The calibrated cost of a call is known to 0.5 ns.
    expect(f"{name}, error", after.get("total_error_ns", 0),
           (before["total_ns"] - after["total_ns"]) * 0.5 / (inside + outside or 1))
    expect(f"{name}, total", before["total_ns"] - after["total_ns"],
           calls * (inside + within * (inside + outside)))
    expect(f"{name}, self", before["self_ns"] - after["self_ns"],
           calls * (inside + made * outside))
expect("outliers", average("--raw") - average(), inside + 1100 * (inside + outside))
