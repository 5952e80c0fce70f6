# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""execute-only.py PROG: makes the text of PROG execute-only (not readable)."""
import struct
import sys

PT_LOAD, PF_X = 1, 1

with open(sys.argv[1], "r+b") as file:
    header = file.read(64)
    offset, = struct.unpack_from("<Q", header, 32)
    size, count = struct.unpack_from("<HH", header, 54)
    for i in range(count):
        file.seek(offset + i * size)
        kind, flags = struct.unpack("<II", file.read(8))
        if kind == PT_LOAD and flags & PF_X:
            file.seek(offset + i * size + 4)
            file.write(struct.pack("<I", PF_X))
