# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the output of `go tool pprof` for a file of `patchbay dump --pprof` with
`patchbay report --json` of the same recording.

    check-pprof.py PROFILE JSON
"""
import json
import os
import subprocess
import sys

PROFILE, JSON = sys.argv[1:]


def flat(sample, unit):
    """Returns pprof's flat values: for each function, the sum of samples with that function
    innermost."""
    done = subprocess.run(
        ("go", "tool", "pprof", "-top", "-nodecount=1000", "-nodefraction=0",
         f"-sample_index={sample}", f"-unit={unit}", PROFILE),
        env=dict(os.environ, HOME=os.getcwd(), GOFLAGS="-mod=mod"), text=True,
        stdout=subprocess.PIPE, check=True)
    lines = done.stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.split()[:2] == ["flat", "flat%"])
    return {line.split()[5]: int(line.split()[0].removesuffix("ns"))
            for line in lines[first + 1:]}


with open(JSON) as file:
    functions = json.load(file)["functions"]
calls, times = flat("calls", "count"), flat("time", "ns")
for function in functions:
    name, self_ns = function["name"], function["self_ns"]
    if calls[name] != function["calls"]:
        sys.exit(f"{name}: {calls[name]} calls, not {function['calls']}")
    if times.get(name, 0) != self_ns:
        sys.exit(f"{name}: {times.get(name)} ns, not {self_ns}")
print(f"{len(functions)} functions agree")
