# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-sections.py FILE: moves the number of sections and the index of their names to the first
section of FILE, as in a file with more than SHN_LORESERVE sections.
"""
import struct
import sys

SHN_XINDEX = 0xffff
E_SHOFF, E_SHNUM, E_SHSTRNDX = 0x28, 0x3c, 0x3e
SH_SIZE, SH_LINK = 0x20, 0x28

with open(sys.argv[1], "r+b") as file:
    data = bytearray(file.read())
    at, = struct.unpack_from("<Q", data, E_SHOFF)
    number, names = struct.unpack_from("<HH", data, E_SHNUM)
    struct.pack_into("<HH", data, E_SHNUM, 0, SHN_XINDEX)
    struct.pack_into("<Q", data, at + SH_SIZE, number)
    struct.pack_into("<I", data, at + SH_LINK, names)
    file.seek(0)
    file.write(data)
