# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: check-parts.py PATCHBAY DIR: checks that the times of nested-calls.c are consistent: a
function takes no longer than its caller, a call no longer than all calls, and the self times
add up to the total of main()."""
import json
import subprocess
import sys

patchbay, data = sys.argv[1:]
done = subprocess.run([patchbay, "report", "--json", data], check=True, text=True,
                      stdout=subprocess.PIPE)
functions = {f["name"]: f for f in json.loads(done.stdout)["functions"]}
chain = [functions[name] for name in ("main", "outer", "middle", "leaf")]
for caller, callee in zip(chain, chain[1:]):
    if callee["total_ns"] > caller["total_ns"]:
        sys.exit(f"{callee} takes longer than its caller {caller}")
for function in chain:
    if function["self_ns"] > function["total_ns"]:
        sys.exit(f"self is more than total: {function}")
    single = [function[key] for key in ("p50_ns", "p99_ns", "longest_ns", "total_ns")]
    if sorted(single) != single or function["average_ns"] > function["longest_ns"]:
        sys.exit(f"a call is longer than the longest, or than all: {function}")
if sum(function["self_ns"] for function in chain) != chain[0]["total_ns"]:
    sys.exit(f"self times do not add up: {chain}")
