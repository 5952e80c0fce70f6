# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-fibers.py [--moved] FUNCTION CALLS...: reads `patchbay report --json`. Each FUNCTION
has CALLS calls, and its self time is at most its total time. The first function calls only the
second, and the second only the third. Self time excludes callees, with a tolerance of a tenth.
With --moved, fibers have moved to other threads, and self time is not checked further.
"""
import json
import sys

functions = {f["name"]: f for f in json.load(sys.stdin)["functions"]}


def number(function, key):
    return next(v for k, v in function.items() if k.startswith(key))


is_moved = sys.argv[1] == "--moved"
args = sys.argv[1 + is_moved:]
names = args[::2]
for name, calls in zip(names, args[1::2]):
    f = functions[name]
    assert f["calls"] == int(calls), f"{name}: {f['calls']} calls, not {calls}"
for f in functions.values():
    assert number(f, "self") <= number(f, "total"), f
for name, sub in zip(names, names[1:] if not is_moved else []):
    f = functions[name]
    own, all_ = number(f, "self"), number(f, "total")
    expected = all_ - number(functions[sub], "total")
    assert abs(own - expected) <= all_ / 10, f"{name}: self {own}, not {expected}"
