# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the same glob to each verb and option that takes functions, and checks which
they are.

    name-table.py PATCHBAY PROGRAM RECORDING GLOB FUNCTION...
"""
import json
import subprocess
import sys
import tempfile

patchbay, program, recording, glob, *expected = sys.argv[1:]


def run(*command):
    done = subprocess.run((patchbay, *command), text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"patchbay {' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def recorded(*options):
    with tempfile.TemporaryDirectory() as folder:
        run("record", "-p", "function_graph", "-o", f"{folder}/data", *options, "--",
            program)
        report = json.loads(run("report", "--json", f"{folder}/data"))
        return {function["name"] for function in report["functions"]}


def check(what, names):
    if set(names) != set(expected):
        sys.exit(f"{what} '{glob}': {sorted(names)}, not {sorted(expected)}")


everything = recorded()
listed = run("list", "-F", glob, program).splitlines()[1:]
check("list -F", {name for name in everything
                  if any(line.endswith(" " + name) for line in listed)})
check("record -F", recorded("-F", glob))
check("record -N", everything - recorded("-N", glob))
# The functions of the tree that nothing is above. A recording has no symbols.
if glob.startswith("_Z"):
    sys.exit()
graph = run("graph", "-f", glob, "-D", "1", recording).splitlines()[1:]
check("graph -f", {name for name in everything
                   if any(line.endswith("  " + name) for line in graph)})
