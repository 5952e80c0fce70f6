# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a program, arms and disarms its functions at random, and lets it end.

    toggle-live.py TIMES PATCHBAY PROGRAM FOLDER TRACER

The program prints a line at its start, and ends at the end of standard input.
"""
import random
import re
import subprocess
import sys

times, patchbay, program, folder, tracer = sys.argv[1:]
choose = random.Random(tracer)
changes = [("--arm", glob) for glob in ("*", "*throw*", "*jump*", "*recurse*", "*mix*")]
changes += [("--disarm", glob) for _, glob in changes]
if tracer == "function_duration":
    changes += [("--threshold", time) for time in ("0", "2us", "50us")]
process = subprocess.Popen(
    (patchbay, "record", "-t", tracer, "--live", "--buffer", "1G", "-o", folder,
     "--", program), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
try:
    if process.stdout.readline() != "started\n":
        sys.exit(f"{program} did not start")
    # The program is a child of the command.
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
        child = children.read().strip()
    armed = []
    for _ in range(int(times)):
        said = subprocess.run((patchbay, "live", child, *choose.choice(changes)),
                              text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        # Status 3: the pattern selects no function that could be changed.
        if said.returncode not in (0, 3):
            sys.exit(f"status {said.returncode}: {said.stdout}")
        armed += re.findall(r", (\d+) functions? now", said.stdout)
    process.stdin.close()
    if process.wait(timeout=600):
        sys.exit(f"{program}: status {process.returncode}")
finally:
    process.kill()
    process.wait()
if len(set(armed)) < 3:
    sys.exit(f"nothing was toggled: {armed}")
