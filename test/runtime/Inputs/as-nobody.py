# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""as-nobody.py [LIBRARY.so...] PROGRAM ARGS...: runs PROGRAM without any privileges and with
the libraries preloaded. The script opens these files first, because an unprivileged user may be
unable to reach them.
"""
import os
import sys



def opened(path):
    file = os.open(path, os.O_RDONLY)
    os.set_inheritable(file, True)
    return file


command = sys.argv[1:]
libraries = []
while command[0].endswith(".so"):
    libraries.append(f"/proc/self/fd/{opened(command.pop(0))}")
if libraries:
    os.environ["LD_PRELOAD"] = ":".join(libraries)
program = opened(command[0])
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.execve(program, command, os.environ)
