# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what babeltrace2 reads with `patchbay dump --csv`.

    babeltrace2 --clock-cycles DIR | compare-ctf.py CSV

Every row must be there, as an entry and, if it has a duration, as an exit.
"""
import csv
import re
import sys
from collections import Counter

EVENT = re.compile(
    r'\[(?P<time>\d+)\].* (?P<host>\S+?):(?P<program>.*?):\((?P<pid>\d+)\) '
    r'(?P<name>func_\w+): \{ tid = (?P<tid>\d+), thread = "(?P<thread>.*?)" \}, '
    r'\{ function = "(?P<function>.*?)", '
    r'module = \( "(?P<module>.*?)" : container = \d+ \), depth = (?P<depth>\d+)'
    r'(, duration = (?P<duration>\d+), kind = \( "(?P<kind>\w+)" .*?\))? \}$')

expected = Counter()
for row in csv.DictReader(open(sys.argv[1])):
    call = tuple(row[key] for key in ("host", "pid", "tid", "thread", "function",
                                      "module", "depth"))
    expected["func_entry", int(row["start_ns"]), None, None, *call] += 1
    if row["duration_ns"]:
        expected["func_exit", None, row["duration_ns"], row["kind"], *call] += 1

seen, last, open_calls = Counter(), 0, {}
for line in sys.stdin:
    match = EVENT.match(line)
    if not match:
        sys.exit(f"not an event: {line}")
    event = match.groupdict()
    time, depth = int(event["time"]), int(event["depth"])
    if time < last:
        sys.exit(f"{time} follows {last}")
    last = time
    call = tuple(event[key] for key in ("host", "pid", "tid", "thread", "function",
                                        "module", "depth"))
    stack = open_calls.setdefault(event["tid"], [])
    if event["name"] == "func_entry":
        seen["func_entry", time, None, None, *call] += 1
        del stack[depth:]  # calls that have no exit
        stack.append((event["function"], time))
        continue
    seen["func_exit", None, event["duration"], event["kind"], *call] += 1
    del stack[depth + 1:]
    function, start = stack.pop()
    # A call that ends before those which it made ends with the last of them.
    if function != event["function"] or \
            not 0 <= time - start - int(event["duration"]) <= 2:
        sys.exit(f"exit does not match {function} of {start}: {line}")

if seen != expected:
    sys.exit(f"missing: {(expected - seen).most_common(3)}\n"
             f"too many: {(seen - expected).most_common(3)}")
print(f"{sum(seen.values())} events agree")
