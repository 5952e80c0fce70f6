# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a terminal and prints what it wrote there.

    in-terminal.py COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import struct
import sys
import termios

# As it is without a pager and colours, unless a test asks for them.
os.environ.setdefault("PATCHBAY_PAGER", "")
os.environ.setdefault("NO_COLOR", "1")
pid, terminal = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
# Whole at the end: a read may end between the bytes of a character or of an end of line.
said = b""
try:
    while data := os.read(terminal, 65536):
        said += data
except OSError:  # EIO: nobody has it open any more
    pass
sys.stdout.write(said.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
