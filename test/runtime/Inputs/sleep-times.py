# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the times of each function against ranges that are valid on a busy machine."""
import json
import sys

# Lower and upper bounds in ms, derived from the program's sleeps and loops.
RANGES = {"naps": (4, 20), "outer": (8, 40), "forks": (0, 4), "in_child": (4, 20),
          "spins": (35, 100)}


def say(name, calls, least, most, scale=1):
    low, high = (scale * n for n in RANGES[name])
    if low <= least and most < high:
        return f"{name}: {calls} calls of {low} to {high} ms"
    floor = 100 if name == "outer" else 50
    if least >= floor:
        return f"{name}: {calls} calls of {floor} ms and more"
    return f"{name}: {calls} calls of {least:.3f} to {most:.3f} ms"


def counted():
    for f in json.load(sys.stdin)["functions"]:
        if f["name"] == "naps":
            total = f["total_ns"] / 1e6
            print(say("naps", f["calls"], total, total, f["calls"]))


def events(path):
    with open(path) as file:
        calls = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    for name in RANGES:
        of = [e for e in calls if e["name"] == name]
        if not of:
            continue
        awake = [e.get("tdur", e["dur"]) / 1e3 for e in of]
        elapsed = min(e["dur"] for e in of) / 1e3
        floor = 100 if name == "outer" else 50
        text = say(name, len(of), min(awake), max(awake))
        if not any("tdur" in e for e in of):
            text += ", elapsed the same"
        elif elapsed >= floor:
            text += f", elapsed {floor} ms and more"
        print(text)
    at = {e["name"]: e["ts"] for e in calls}
    if "late" in at and "outer" in at:
        behind = (at["late"] - at["outer"]) / 1e3
        print("late: 1 calls, 100 ms and more behind outer" if behind >= 100
              else f"late: 1 calls, {behind} ms behind outer")


def between(said, path, last="0"):
    with open(said) as file:
        begin, end = (int(line) / 1e3 for line in file)
    with open(path) as file:
        calls = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    calls = calls[-int(last):]
    # The rate of the counter is not exact.
    outside = [e for e in calls if not begin - 1e3 < e["ts"] < end + 1e3]
    print(calls[-1]["name"] + ": all in between" if not outside else
          f"{len(outside)} of {len(calls)}: {outside[0]}, not from {begin} to {end}")


if sys.argv[1] == "--counted":
    counted()
elif sys.argv[1] == "--between":
    between(*sys.argv[2:])
else:
    events(sys.argv[1])
