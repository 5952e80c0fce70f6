# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the arguments of calls in `patchbay dump --json`. Arguments of shown_counts()
are consecutive numbers. Arguments of shown_in_signal() are SIGALRM. Each function
returns its argument.
"""
import json
import sys

counts, signals = [], []
for line in sys.stdin:
    call = json.loads(line)
    if call["function"] == "shown_counts(int)":
        counts.append(call)
    elif call["function"] == "shown_in_signal(int)":
        signals.append(call)

if [call["args"] for call in counts] != [[i] for i in range(len(counts))]:
    sys.exit("arguments of shown_counts() do not count")
if any(call["args"] != [14] for call in signals):
    sys.exit("arguments of shown_in_signal() are those of another function")

for call in counts + signals:
    if call["result"] != call["args"][0]:
        sys.exit(f"the result is that of another call: {call}")
print(f"{len(counts)} calls of shown_counts(int)")
print(f"{len(signals)} calls of shown_in_signal(int)")
