# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""uftrace as a system under test. Run as a program it is the proof of one: a
worker under uftrace that writes everything down, says "ready CALLS EVENTS", with
the events of hot_callee() that uftrace has seen."""
import re
import subprocess
import sys
import tempfile

RECORD = ("uftrace", "record", "--no-event", "--no-libcall", "--force")


def command(program):
    """Every entry and exit is traced, with its time, and nothing is written: all
    calls are shorter than what is asked for."""
    return (*RECORD, "--time-filter=10s", "-d", f"{program}.uftrace",
            program)


def proof(program):
    return (sys.executable, __file__, program)


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        worker = subprocess.run((*RECORD, "-d", folder, program), check=True,
                                text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE)
        report = subprocess.run(("uftrace", "report", "-d", folder), check=True,
                                text=True, stdout=subprocess.PIPE)
    calls = re.search(r"^ready (\d+) ", worker.stdout, re.MULTILINE)
    seen = re.search(r" (\d+)  hot_callee$", report.stdout, re.MULTILINE)
    print("ready", calls[1], 2 * int(seen[1]) if seen else 0)


if __name__ == "__main__":
    main(sys.argv[1])
