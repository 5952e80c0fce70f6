# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""record-running.py PATCHBAY PROG OPTIONS...: starts PROG and records it for two rounds. PROG
adds a byte to the file `rounds` after each round, and runs until the file `ended` exists."""
import os
import subprocess
import sys
import time

# The first of these rounds began before the recording.
TWO_ROUNDS = "n=$(wc -c <rounds); until [ $(wc -c <rounds) -gt $((n + 2)) ]; do sleep 0.1; done"
patchbay, program, *options = sys.argv[1:]
if os.path.exists("rounds"):
    os.remove("rounds")
with subprocess.Popen([program, "on"]) as process:
    try:
        while not os.path.exists("rounds") and process.poll() is None:
            time.sleep(0.01)
        status = subprocess.run([patchbay, "record", "-p", str(process.pid), *options, "--",
                                 "sh", "-c", TWO_ROUNDS], check=False, timeout=600).returncode
    finally:
        with open("ended", "w", encoding="utf-8"):
            pass
    status = process.wait() or status
os.remove("ended")
sys.exit(status)
