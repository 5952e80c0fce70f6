# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""while-running.py PROGRAM ARGS... -- COMMAND...: runs COMMAND while PROGRAM runs, after
PROGRAM has printed a line. PID in COMMAND is replaced by PROGRAM's process ID. If the line is
"ended", PROGRAM ends first and becomes a zombie. Processes that PROGRAM has started end with
PROGRAM. Exits with COMMAND's status.
"""
import os
import signal
import subprocess
import sys

split = len(sys.argv) - 1 - sys.argv[::-1].index("--")
program = subprocess.Popen(sys.argv[1:split], stdout=subprocess.PIPE, text=True,
                           process_group=0)
try:
    line = program.stdout.readline()
    if not line:
        sys.exit(f"{sys.argv[1]} printed nothing")
    if line == "ended\n":
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    command = [word.replace("PID", str(program.pid))
               for word in sys.argv[split + 1:]]
    status = subprocess.run(command, timeout=600).returncode
finally:
    os.killpg(program.pid, signal.SIGKILL)
    program.wait()
sys.exit(status if status >= 0 else f"{command} ended by signal {-status}")
