# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a terminal and prints its output.

    in-terminal.py COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

# The default is no pager and no colours; a test can set them.
os.environ.setdefault("PATCHBAY_PAGER", "")
os.environ.setdefault("NO_COLOR", "1")
# Keep the other side open here. Linux returns EIO as soon as a terminal is open in no process.
# A read tests for data first and for that state second. It could miss the last output and lose
# it all (n_tty_read()).
terminal, other = pty.openpty()
fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
pid = os.fork()
if not pid:
    os.close(terminal)
    os.login_tty(other)
    os.execvp(sys.argv[2], sys.argv[2:])
os.set_blocking(terminal, False)
ended = os.pidfd_open(pid)
# Decode at the end: a read may end within a character or a line ending.
said = b""
is_over = False
while not is_over:
    # All output before its end is available, in any order of events.
    is_over = ended in select.select([terminal, ended], [], [])[0]
    try:
        while data := os.read(terminal, 65536):
            said += data
    except BlockingIOError:
        pass
sys.stdout.write(said.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
