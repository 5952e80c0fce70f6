# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""thread-names.py PATCHBAY DATA NAME...: checks that the threads that recorded events
have exactly these names."""
import csv
import io
import subprocess
import sys

patchbay, data, *names = sys.argv[1:]


def run(*words):
    return subprocess.run([patchbay, *words, data], capture_output=True, text=True, check=False)


dump = run("dump", "--csv")
if dump.returncode == 0:
    found = sorted({row["thread"] for row in csv.DictReader(io.StringIO(dump.stdout))})
else:  # counts
    found = [name for name in names if run("report", "--thread", name).returncode == 0]
    for name in "prog", "nosuch":
        if run("report", "--thread", name).returncode != 3:
            sys.exit(f"there is a thread '{name}'")
if found != sorted(names):
    sys.exit(f"threads {found}, not {names}")
