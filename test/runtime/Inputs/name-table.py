# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes the same wildcard to each verb and option that accepts functions. Checks which
functions each verb or option selects.

    name-table.py PATCHBAY PROGRAM RECORDING GLOB FUNCTION...
"""
import json
import os
import subprocess
import sys
import tempfile

patchbay, program, recording, glob, *expected = sys.argv[1:]
# These functions have no argument in an integer register.
UNKNOWN_ARGS = {name for name in expected if name in ("svc::scale(double)", "main")}


def run(*command):
    done = subprocess.run((patchbay, *command), text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"patchbay {' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def recorded(*options):
    with tempfile.TemporaryDirectory() as folder:
        run("record", "-t", "function_graph", "-o", f"{folder}/data", *options, "--",
            program)
        report = json.loads(run("report", "--json", f"{folder}/data"))
        return {function["name"] for function in report["functions"]}


def check(what, names):
    if set(names) != set(expected):
        sys.exit(f"{what} '{glob}': {sorted(names)}, not {sorted(expected)}")


everything = recorded()
listed = run("list", "--full-names", "-F", glob, program).splitlines()[1:]
check("list -F", {name for name in everything
                  if any(line.endswith(" " + name) for line in listed)})
check("record -F", recorded("-F", glob))


def preloaded(options):
    """Records without `patchbay record`, so that only the runtime selects the functions."""
    library = os.path.join(os.path.dirname(patchbay), "../lib/libpatchbay-trace.so")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program], check=True, env={
            **os.environ, "LD_PRELOAD": library,
            "PATCHBAY": f"output={folder},{options}={in_environment}"})
        report = json.loads(run("report", "--json", folder))
        return {function["name"] for function in report["functions"]}


in_environment = glob.replace(",", "?") # the separator of settings
check("PATCHBAY=filter=", preloaded("tracer=function_profile,filter"))
check("PATCHBAY=notrace=", everything - preloaded("tracer=function_profile,filter=*,notrace"))
check("PATCHBAY=under=", preloaded("tracer=function,filter=*,under") & set(expected))
check("record -N", everything - recorded("-N", glob))
check("list -N", everything - {
    name for name in everything
    if any(line.endswith(" " + name)
           for line in run("list", "--full-names", "-N", glob, program).splitlines()[1:])})


def events(*options):
    """Returns the functions that `record -t function` traces with these options, in
    order."""
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
# The functions at the root of the call tree.
graph = run("graph", "--full-names", "-f", glob, "-D", "1", recording).splitlines()[1:]
check("graph -f", {name for name in everything
                   if any(line.endswith("  " + name) for line in graph)})


def in_tree(*options):
    tree = run("graph", "--full-names", *options, recording).splitlines()[1:]
    return {name for name in everything if any(line.endswith("  " + name) for line in tree)}


check("graph -F", in_tree("-F", glob))
check("graph -N", everything - in_tree("-N", glob))
check("graph --under", in_tree("--under", glob) & set(expected))


def reported(*options):
    report = json.loads(run("report", "--json", *options, recording))
    return {function["name"] for function in report["functions"]}


def dumped(*options):
    return {json.loads(line)["function"]
            for line in run("dump", "--json", *options, recording).splitlines()}


check("report -F", reported("-F", glob))
check("report -N", everything - reported("-N", glob))
check("report --under", reported("--under", glob) & set(expected))
check("dump -F", dumped("-F", glob))
check("dump -N", everything - dumped("-N", glob))
check("dump --under", {name for name in dumped("--under", glob) if name in expected})


def replayed(*options):
    lines = [line for line in run("replay", *options, recording).splitlines()
             if not line.startswith("#")]
    return {name for name in everything
            if any(line.split("|")[-1].strip(" {};").startswith(name) for line in lines)}


check("replay -F", replayed("-F", glob))
check("replay -N", everything - replayed("-N", glob))
check("replay --under", replayed("--under", glob) & set(expected))


def seen(*options):
    """Runs `tui` on a terminal that is wide enough for all names."""
    screen = os.path.join(os.path.dirname(__file__), "screen.py")
    shown = subprocess.run([sys.executable, screen, "400x40", "wait:h help", "show", "key:q", "run",
                            patchbay, "tui", "-i", recording, *options],
                           text=True, capture_output=True, check=True).stdout
    return {name for name in everything
            if any(line.endswith("  " + name) for line in shown.splitlines())}


check("tui -F", seen("-F", glob))
check("tui -N", everything - seen("-N", glob))
check("tui --under", seen("--under", glob) & set(expected))
