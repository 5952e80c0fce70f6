# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""visit-exiting.py PATCHBAY PROG TIMES: PROG (visited.c) ends or is killed at random moments
while `record -p` starts. The command records PROG or reports that PROG has ended. Any other
error fails the test."""
import random
import re
import subprocess
import sys
import time

REASONS = re.compile(r"patchbay: error: process \d+: (it has ended|no such process|"
                     r"it has ended, but its parent has not waited for it \(zombie\))")


def once(patchbay, path, kill):
    with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        program.stdout.readline()
        command = subprocess.Popen(
            [patchbay, "record", "-t", "count", "-p", str(program.pid), "-o", "exiting", "--", "true"],
            stderr=subprocess.PIPE, text=True)
        time.sleep(random.uniform(0, 0.1))
        if kill:
            program.kill()
    said = command.communicate(timeout=600)[1]
    last = said.splitlines()[-1]
    if command.returncode:
        assert command.returncode == 125 and REASONS.fullmatch(last), said
    else:
        assert " recorded in exiting" in last, said


def main():
    patchbay, path, times = sys.argv[1:]
    random.seed(1)
    for number in range(int(times)):
        once(patchbay, path, number % 2)
    print(f"ended {times} times")


main()
