# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the same glob to each verb and option that takes functions, and checks which
they are.

    name-table.py PATCHBAY PROGRAM RECORDING GLOB FUNCTION...
"""
import json
import os
import subprocess
import sys
import tempfile

patchbay, program, recording, glob, *expected = sys.argv[1:]
# Of these no argument is in an integer register.
UNKNOWN_ARGS = {name for name in expected if name in ("svc::scale(double)", "main")}


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


def preloaded(glob):
    """What is recorded without the command, which has no part in choosing then."""
    library = os.path.join(os.path.dirname(patchbay), "../lib/libpatchbay-trace.so")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program], check=True, env={
            **os.environ, "LD_PRELOAD": library,
            "PATCHBAY": f"tracer=function_profile,output={folder},filter={glob}"})
        report = json.loads(run("report", "--json", folder))
        return {function["name"] for function in report["functions"]}


# There a comma separates settings.
check("PATCHBAY=filter=", preloaded(glob.replace(",", "?")))
check("record -N", everything - recorded("-N", glob))
check("list -N", everything - {
    name for name in everything
    if any(line.endswith(" " + name)
           for line in run("list", "-N", glob, program).splitlines()[1:])})


def events(*options):
    """What `record -t function` has with these options, in order."""
    with tempfile.TemporaryDirectory() as folder:
        run("record", "-t", "function", "-o", f"{folder}/data", *options, "--", program)
        dumped = subprocess.run((patchbay, "dump", "--json", f"{folder}/data"),
                                text=True, capture_output=True)
        return [json.loads(line) for line in dumped.stdout.splitlines()]


check("record --args", {event["function"] for event in events("--args", glob)
                        if "args" in event or event["function"] in UNKNOWN_ARGS})
check("record --under", {event["function"] for event in events("--under", glob)}
      & set(expected))
check("record --start-at", {events("--start-at", glob)[0]["function"]} | set(expected))
check("record --stop-at", set(expected) - {event["function"]
                                           for event in events("--stop-at", glob)})
# The functions of the tree that nothing is above.
graph = run("graph", "-f", glob, "-D", "1", recording).splitlines()[1:]
check("graph -f", {name for name in everything
                   if any(line.endswith("  " + name) for line in graph)})


def reported(*options):
    report = json.loads(run("report", "--json", *options, recording))
    return {function["name"] for function in report["functions"]}


def dumped(*options):
    return {json.loads(line)["function"]
            for line in run("dump", "--json", *options, recording).splitlines()}


check("report -F", reported("-F", glob))
check("report -N", everything - reported("-N", glob))
check("dump -F", dumped("-F", glob))
check("dump --under", {name for name in dumped("--under", glob) if name in expected})
replayed = [line for line in run("replay", "-F", glob, recording).splitlines()
            if not line.startswith("#")]
check("replay -F", {name for name in everything
                    if any(line.split("|")[-1].strip(" {};").startswith(name)
                           for line in replayed)})
