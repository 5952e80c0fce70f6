# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""send-signal.py SIGNAL STATUS COMMAND...: signals COMMAND when it has printed
a line, and fails unless it then exits with STATUS.
"""
import signal as signals
import subprocess
import sys

signal, expected = map(int, sys.argv[1:3])
# Under nohup, and in the background of a shell, some are ignored, which a program
# inherits.
for ignored in signals.SIGHUP, signals.SIGINT, signals.SIGQUIT:
    signals.signal(ignored, signals.SIG_DFL)
process = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE)
process.stdout.readline()
process.send_signal(signal)
status = process.wait(timeout=60)
if status != expected:
    sys.exit(f"exited with {status}, not {expected}")
