# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""as-nobody.py PROGRAM ARGS...: runs it without any privileges, also where its
file cannot be reached without them.
"""
import os
import sys

program = os.open(sys.argv[1], os.O_RDONLY)
os.set_inheritable(program, True)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.execve(program, sys.argv[1:], os.environ)
