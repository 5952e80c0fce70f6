# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count-signals.py twice|key RECORD...: interrupts RECORD, which runs a counting program.

twice: two signals to RECORD alone. key: Ctrl-C on the terminal of RECORD and its program.
"""
import os
import pty
import signal
import subprocess
import sys

# The counting program prints a line for each signal. The script sends SIGTERM after RECORD
# has handled the last signal, so a forwarded copy of that signal would arrive before SIGTERM.
COUNTER = """
import os, signal
signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted\\n"))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.write(1, b"ready\\n")
while not signal.sigtimedwait([signal.SIGTERM], 0.1):
    pass
"""

how, command = sys.argv[1], sys.argv[2:] + [sys.executable, "-c", COUNTER]
signal.alarm(600)
signal.signal(signal.SIGINT, signal.SIG_DFL)  # background jobs of a shell ignore SIGINT


def expect(stream, wanted):
    while not (line := stream.readline().strip()).endswith(wanted):
        if not line or line == "interrupted":
            sys.exit(f"read {line!r}, not {wanted!r}")


if how == "twice":
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    expect(process.stdout, "ready")
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        expect(process.stdout, "interrupted")
    process.send_signal(signal.SIGTERM)
    if rest := process.stdout.read():
        sys.exit(f"read {rest!r} after the last signal")
    if process.wait():
        sys.exit(f"ended with {process.returncode}")
else:
    pid, terminal = pty.fork()
    if not pid:
        os.execvp(command[0], command)
    with os.fdopen(terminal, "r+b", buffering=0) as file:
        stream = os.fdopen(os.dup(terminal), "r", errors="replace")
        expect(stream, "ready")
        file.write(b"\x03")
        expect(stream, "^Cinterrupted")
        os.kill(pid, signal.SIGTERM)
        expect(stream, "wrote no data to " + command[command.index("-o") + 1])
