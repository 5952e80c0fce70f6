# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""uftrace as a system under test. As a program, this module is a worker that proves that calls are
traced: it runs a program under uftrace, which logs all calls, and prints "ready CALLS EVENTS"
with the number of events of hot_callee() in the log."""
import re
import subprocess
import sys
import tempfile

RECORD = ("uftrace", "record", "--no-event", "--no-libcall", "--force")


def command(program):
    """Returns a command in which uftrace times every call, but writes no events, because all calls
    are below the threshold."""
    return (*RECORD, "--time-filter=10s", "-d", f"{program}.uftrace",
            program)


def proof(program):
    return (sys.executable, __file__, program)


def calls(folder):
    report = subprocess.run(("uftrace", "report", "-d", folder), check=True,
                            text=True, stdout=subprocess.PIPE)
    seen = re.search(r" (\d+)  hot_callee$", report.stdout, re.MULTILINE)
    return int(seen[1]) if seen else 0


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        worker = subprocess.run((*RECORD, "-d", folder, program), check=True,
                                text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE)
        seen = calls(folder)
    made = re.search(r"^ready (\d+) ", worker.stdout, re.MULTILINE)
    print("ready", made[1], 2 * seen)


if __name__ == "__main__":
    main(sys.argv[1])
