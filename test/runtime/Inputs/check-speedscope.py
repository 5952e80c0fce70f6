# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what `patchbay dump --speedscope` writes against the rules of
speedscope.app/file-format-schema.json and of its importer (src/lib/profile.ts: events are
in the order of time, and the last that was opened is closed first), and against --csv.

    check-speedscope.py JSON CSV
"""
import collections
import csv
import json
import sys

with open(sys.argv[1]) as file:
    data = json.load(file)
with open(sys.argv[2]) as file:
    rows = list(csv.DictReader(file))


def check(holds, what):
    if not holds:
        sys.exit(what)


check(data["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
frames = data["shared"]["frames"]
check(all(isinstance(frame["name"], str) for frame in frames), "frames have names")
found = collections.Counter()
for profile in data["profiles"]:
    check(profile["type"] == "evented" and profile["unit"] == "nanoseconds", "type, unit")
    check(isinstance(profile["name"], str), "profiles have names")
    last, stack = profile["startValue"], []
    for event in profile["events"]:
        check(last <= event["at"] <= profile["endValue"], f"time of {event} after {last}")
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
            found[profile["name"], frames[event["frame"]]["name"], last] += 1
        else:
            check(event["type"] == "C" and stack.pop() == event["frame"], f"{event}")
    check(not stack, f"not closed: {stack}")
expected = collections.Counter((f"{row['thread']}-{row['tid']}", row["function"],
                                int(row["start_ns"])) for row in rows)
# Rounded times may be a nanosecond late.
missing = expected - found
check(sum(missing.values()) <= len(rows) // 100,
      f"{sum(missing.values())} calls missing, as {list(missing)[:3]}")
check(sum(found.values()) == len(rows), f"{sum(found.values())} calls, not {len(rows)}")
print(f"{len(data['profiles'])} profiles, {len(frames)} frames, {len(rows)} calls agree")
