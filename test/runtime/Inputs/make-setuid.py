# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make-setuid.py PROG OUT: makes OUT a program that gains privileges (AT_SECURE).

Root copies PROG and makes the copy setgid instead of setuid, because another user may be unable
to reach the libraries. Other users link to mount(8), which is setuid root on every Debian.
"""
import os
import shutil
import sys

program, out = sys.argv[1:]
if os.getuid() == 0:
    shutil.copy(program, out)
    os.chown(out, 0, 65534)
    os.chmod(out, 0o6755)
else:
    os.symlink(shutil.which("mount", path="/bin:/usr/bin"), out)
