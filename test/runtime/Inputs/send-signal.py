# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""send-signal.py SIGNAL STATUS COMMAND...: runs COMMAND, waits until it prints a line, and sends
it SIGNAL. Fails unless COMMAND then exits with STATUS.
"""
import signal as signals
import subprocess
import sys

signal, expected = map(int, sys.argv[1:3])
# nohup and shells with background jobs ignore some signals. Children inherit that.
for ignored in signals.SIGHUP, signals.SIGINT, signals.SIGQUIT:
    signals.signal(ignored, signals.SIG_DFL)
process = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE)
process.stdout.readline()
process.send_signal(signal)
status = process.wait(timeout=600)
if status != expected:
    sys.exit(f"exited with {status}, not {expected}")
