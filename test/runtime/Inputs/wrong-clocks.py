# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets the start time that processes record to impossible values. Checks that the rate of the
counter in the recordings is still about right.

    wrong-clocks.py PATCHBAY RECORDING DIR TRACER PROGRAM
"""
import os
import re
import subprocess
import sys
import time

patchbay, recording, folder, tracer, program = sys.argv[1:]


def megahertz(of):
    info = subprocess.run([patchbay, "info", of], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return float(re.search(r"([0-9.]+) MHz", info)[1])


right = megahertz(recording)
now = time.monotonic_ns()
# A counter that runs too fast, a counter in the future, and a clock in the future.
clocks = [f"1/{now - 10**7}", f"{2**64 - 1}/{now - 10**7}", f"1/{now + 10**12}"]
for number, clock in enumerate(clocks):
    output = f"{folder}{number}"
    os.mkdir(output)
    subprocess.run([program, "wait"], check=True, env=os.environ | {
        "LD_PRELOAD": tracer, "PATCHBAY": "tracer=function_duration,filter=*,"
        f"clock={clock},output={output}"})
    seen = megahertz(output)
    if not 0.9 * right < seen < 1.1 * right:
        sys.exit(f"clock={clock}: {seen} MHz instead of {right}")
print(f"{len(clocks)} wrong clocks, none believed")
