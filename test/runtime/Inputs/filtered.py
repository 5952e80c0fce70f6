# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""filtered.py COMMAND...: executes COMMAND with a seccomp filter that allows all system calls,
similar to the filters of most containers."""
import ctypes
import os
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
RET_K, SECCOMP_RET_ALLOW = 0x06, 0x7fff0000


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte),
                ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Instruction))]


libc = ctypes.CDLL(None, use_errno=True)
allow = Instruction(RET_K, 0, 0, SECCOMP_RET_ALLOW)
program = Program(1, ctypes.pointer(allow))
if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
