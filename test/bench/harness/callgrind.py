# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the user-mode instructions of single calls with valgrind's callgrind. The counts hardly
differ between runs, even on a busy machine."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from . import BenchError

SECONDS = 600


def calls(command, said, counted, environment=None):
    """Runs a program with @said as input, and with additional environment variables. @counted maps
    an outer to an inner function. Returns, for each call of an outer function, in order, the
    number of instructions of its inner function, including callees. The program may change its
    code."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        arguments = ["valgrind", "--tool=callgrind", "--smc-check=all",
                     "--collect-atstart=no", f"--callgrind-out-file={out}"]
        for outer, inner in counted.items():
            arguments += [f"--dump-after={outer}", f"--toggle-collect={inner}"]
        try:
            done = subprocess.run([*arguments, *map(str, command)], input=said, text=True,
                                  capture_output=True, timeout=SECONDS, check=False,
                                  env=os.environ | (environment or {}))
        except subprocess.TimeoutExpired:
            raise BenchError(f"{command[0]}: not counted in {SECONDS} s") from None
        if done.returncode:
            raise BenchError(f"{command[0]}: failed under valgrind: "
                             f"{done.stderr.strip()}")
        dumps = sorted(Path(folder).glob("out.*"), key=lambda dump: int(dump.suffix[1:]))
        counts = [total(dump.read_text()) for dump in dumps]
    if not counts or not all(counts):
        raise BenchError(f"{command[0]}: valgrind counted nothing")
    return counts


def total(dump):
    found = re.search(r"^totals: (\d+)", dump, re.MULTILINE)
    return int(found[1]) if found else 0
