# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: count-links.py PROGRAM FEW MANY

Counts the instructions per link with valgrind, for FEW and for MANY links; see
link-count.c.
"""
import os
import re
import subprocess
import sys
import tempfile


def count(program, number, how, function):
    """Instructions per link in @function and all its callees."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={function}",
             f"--callgrind-out-file={os.path.join(folder, 'out')}",
             program, str(number), how],
            text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=600)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit(f"{program} {number} {how}: status {run.returncode}\n{run.stderr}")
    return int(found[1]) // number


def main():
    program, numbers = sys.argv[1], [int(number) for number in sys.argv[2:]]
    linear = True
    for how in ("oldest", "newest"):
        parts = []
        for what in ("attach", "destroy"):
            few, many = (count(program, number, how, f"{what}_all")
                         for number in numbers)
            parts.append(f"{what} {few} {many}")
            linear &= many < 1.05 * few
        print(f"{how}: {', '.join(parts)}")
    print("linear" if linear else "not linear")


main()
