# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a terminal and prints what it wrote there.

    in-terminal.py COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

# As it is without a pager and colours, unless a test asks for them.
os.environ.setdefault("PATCHBAY_PAGER", "")
os.environ.setdefault("NO_COLOR", "1")
# The other side stays open here. Linux says EIO of a terminal that nobody has open any more
# as soon as that is so, and a read that looks for data before and for that after what was
# written last, and its end, would lose it all (n_tty_read()).
terminal, other = pty.openpty()
fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
pid = os.fork()
if not pid:
    os.close(terminal)
    os.login_tty(other)
    os.execvp(sys.argv[2], sys.argv[2:])
os.set_blocking(terminal, False)
ended = os.pidfd_open(pid)
# Whole at the end: a read may end between the bytes of a character or of an end of line.
said = b""
is_over = False
while not is_over:
    # What it wrote before its end is there then, whoever was quicker.
    is_over = ended in select.select([terminal, ended], [], [])[0]
    try:
        while data := os.read(terminal, 65536):
            said += data
    except BlockingIOError:
        pass
sys.stdout.write(said.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
