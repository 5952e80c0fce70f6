# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exec-storm.py PATCHBAY PID TIMES: records PID TIMES times while it executes itself
continually. Each attempt succeeds or fails with one line. PID continues to run."""
import os
import subprocess
import sys
import tempfile

patchbay, pid, times = sys.argv[1:]
worked = 0
with tempfile.TemporaryDirectory() as folder:
    for number in range(int(times)):
        done = subprocess.run(
            [patchbay, "record", "-t", "count", "-p", pid, "-o", f"{folder}/{number}", "--", "true"],
            stderr=subprocess.PIPE, text=True, timeout=600, check=False)
        lines = done.stderr.splitlines()
        if done.returncode == 0:
            worked += 1
        else:
            assert done.returncode == 125, done
            # The process may also execute itself during the recording. `record` reports that.
            begun = lines[:-1]
            assert all(": recording; " in line for line in begun), lines
            assert len(begun) <= 1 and lines[-1].startswith("patchbay: error: "), lines
        os.kill(int(pid), 0)
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            assert "State:\tZ" not in file.read(), lines
print(f"{worked} of {times} recordings of a program that executes itself")
