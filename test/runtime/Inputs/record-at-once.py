# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""record-at-once.py PATCHBAY PROG: several commands request the same directory."""
import json
import os
import re
import subprocess
import sys
import time

patchbay, prog = sys.argv[1:]
BUSY = (r"patchbay: error: {dir}: {recorder} is still recording there: wait until it ends, or "
        r"choose another directory with -o\n")
PATIENCE = 600


def start(*words, out="data", tracer="function"):
    return subprocess.Popen(
        [patchbay, "record", "-o", out, "-t", tracer, "-F", "step", "--", prog, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process):
    """Lets PROG continue. Returns the exit status and output of the command."""
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def calls(out="data"):
    report = subprocess.run([patchbay, "report", "--json", out], stdout=subprocess.PIPE,
                            check=True, timeout=PATIENCE)
    return json.loads(report.stdout)["functions"][0]["calls"]


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def is_busy(said, recorder, directory="data"):
    return re.fullmatch(BUSY.format(dir=r"\S*" + directory, recorder=recorder), said)


def refused(process, recorder, directory="data"):
    status, said = end(process)
    expect("status", status, 125)
    if not is_busy(said, recorder, directory):
        sys.exit(f"said {said!r}")


def records(tracer, after):
    """Waits until the process `after` has ended, and records. A process closes its files one by
    one when it ends, and the recording's file after its output."""
    give_up = time.monotonic() + PATIENCE
    while True:
        status, said = end(start(tracer=tracer))
        if not (status and is_busy(said, after)) or time.monotonic() > give_up:
            expect(f"status of what said {said!r}", status, 0)
            return
        time.sleep(0.1)


# Of four concurrent commands, exactly one records all calls. Repeat this, because the test is
# a race.
COMMAND = "another 'patchbay record'"
for turn in range(8):
    commands = [start() for _ in range(4)]
    running = [c for c in commands if c.stdout.readline() == "started\n"]
    expect(f"turn {turn}: commands that record", len(running), 1)
    for command in commands:
        if command is not running[0]:
            refused(command, COMMAND)
    status, said = end(running[0])
    expect("status", status, 0)
    expect("calls", calls(), 100002)
    expect("directories", sorted(os.listdir(".")),
           ["data", "data.old", "prog"] if turn else ["data", "prog"])

# A running recording in DIR.old is kept, and DIR stays unchanged.
command = start(out="data.old")
expect("line", command.stdout.readline(), "started\n")
before = os.listdir("data")
refused(start(), COMMAND, "data.old")
expect("files", os.listdir("data"), before)
expect("status", end(command)[0], 0)

# The recording continues in a background process, which uses its own file or its
# parent's.
for tracer in "function", "function_profile":
    command = start("daemon", tracer=tracer)
    expect("line", command.stdout.readline(), "started\n")
    command.wait(PATIENCE)
    expect("status", command.returncode, 0)
    recorder = r"process \d+, or its child,"
    refused(start(tracer=tracer), recorder)
    command.stdin.close()
    command.stdout.read()  # until the background process has ended, too
    # The events that a process stored in shared memory are written soon after its end.
    give_up = time.monotonic() + PATIENCE
    while calls() != 100002 and time.monotonic() < give_up:
        time.sleep(0.05)
    expect("calls", calls(), 100002)
    records(tracer, after=recorder)
