# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list-often.py N PATCHBAY PID: lists a process N times while the process arms and disarms
functions. Checks the output for each function.
"""
import json
import subprocess
import sys

times, patchbay, pid = int(sys.argv[1]), sys.argv[2], sys.argv[3]
# For each function, the tracers that it may have. The script also collects the tracers seen.
expected = {"pear": {(), ("pear",)},
            "pear_tree": {(), ("pear",), ("pear", "tree")},
            "pear_of_library": {(), ("pear",)}}
seen = {name: set() for name in expected}
looks = unreadable = 0
for _ in range(times):
    result = subprocess.run([patchbay, "list", "--live", pid, "--json", "-F", "pear*"],
                            stdout=subprocess.PIPE, timeout=600)
    if result.returncode:
        sys.exit(f"exited with {result.returncode}")
    for function in json.loads(result.stdout)["functions"]:
        looks += 1
        if function["state"] == "?":
            unreadable += 1
            continue
        tracers = tuple({("on_pear", "0x11"): "pear", ("on_tree", "0x22"): "tree"}[
            tracer["handler"].split()[0], tracer["data"]]
            for tracer in function["tracers"])
        # The last tracer may be removed shortly before or after the site is disarmed.
        if tracers and function["state"] != "armed" or \
                function["state"] not in ("armed", "disarmed") or \
                tracers not in expected[function["name"]]:
            sys.exit(f"seen: {function}")
        seen[function["name"]].add(tracers)
if seen != expected:
    sys.exit(f"seen: {seen} of {expected}")
if unreadable * 20 > looks:
    sys.exit(f"{unreadable} of {looks} could not be read")
