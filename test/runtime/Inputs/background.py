# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""background.py PATCHBAY PROG: records a program that leaves a background process, which ends
at the end of its standard input.
"""
import json
import subprocess
import sys
import time

patchbay, prog = sys.argv[1:]
PATIENCE = 600


def calls(folder):
    report = subprocess.run([patchbay, "report", "--json", folder], text=True, check=True,
                            stdout=subprocess.PIPE, timeout=PATIENCE)
    return {f["name"]: f["calls"] for f in json.loads(report.stdout)["functions"]}


def run(tracer, nr, processes):
    # Redirect to a file: the background process would keep a pipe open.
    with open("said", "w+") as said:
        record = subprocess.Popen(
            [patchbay, "record", "-t", tracer, "-F", "step", "-o", tracer, "--", prog],
            stdin=subprocess.PIPE, stderr=said)
        try:
            if status := record.wait(PATIENCE):
                sys.exit(f"{tracer}: exit code {status}")
            said.seek(0)
            found = said.read()
        finally:
            record.stdin.close()
    wanted = (f"patchbay: {tracer}: {processes} still recording to it in the background\n"
              f"patchbay: {nr} recorded in {tracer}, see it with: "
              f"patchbay report -i {tracer}\n")
    if found != wanted:
        sys.exit(f"{tracer}: {found!r}, not {wanted!r}")
    end = time.monotonic() + PATIENCE
    while calls(tracer) != {"step": 3}:
        if time.monotonic() > end:
            sys.exit(f"{tracer}: {calls(tracer)}")
        time.sleep(0.1)


run("function_profile", "1 process", "1 process, or its child, is")
run("function_duration", "2 processes", "2 processes, or their children, are")
