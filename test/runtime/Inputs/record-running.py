# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""record-running.py PATCHBAY PROG OPTIONS...: starts PROG and records it for a second. PROG runs
until the file `ended` exists."""
import os
import subprocess
import sys
import time

patchbay, program, *options = sys.argv[1:]
with subprocess.Popen([program, "on"]) as process:
    try:
        time.sleep(0.2)
        status = subprocess.run([patchbay, "record", "-p", str(process.pid), *options, "--",
                                 "sleep", "1"], check=False).returncode
    finally:
        with open("ended", "w", encoding="utf-8"):
            pass
    status = process.wait() or status
os.remove("ended")
sys.exit(status)
