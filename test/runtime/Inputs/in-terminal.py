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

# By default, pager and colour are off. A test can enable them.
os.environ.setdefault("PATCHBAY_PAGER", "")
os.environ.setdefault("NO_COLOR", "1")
# Keep the slave side of the terminal open. If no process has it open, Linux returns EIO. A
# read checks first for data and then for that state, so it could miss the last output
# (n_tty_read()).
terminal, other = pty.openpty()
fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
pid = os.fork()
if not pid:
    os.close(terminal)
    os.login_tty(other)
    os.execvp(sys.argv[2], sys.argv[2:])
os.set_blocking(terminal, False)
ended = os.pidfd_open(pid)
# Decode at the end, because a read may end within a character or a line ending.
said = b""
is_over = False
while not is_over:
    # After the command's end, all of its output can be read, whichever event came first.
    is_over = ended in select.select([terminal, ended], [], [])[0]
    try:
        while data := os.read(terminal, 65536):
            said += data
    except BlockingIOError:
        pass
sys.stdout.write(said.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
