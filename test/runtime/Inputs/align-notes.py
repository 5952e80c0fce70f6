# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""align-notes.py FILE: sets the alignment of all note sections of FILE to 8. mold does this if
one of the sections has that alignment.
"""
import struct
import sys

PT_NOTE = 4
E_PHOFF, E_PHENTSIZE, P_ALIGN = 0x20, 0x36, 0x30

with open(sys.argv[1], "r+b") as file:
    data = bytearray(file.read())
    at, = struct.unpack_from("<Q", data, E_PHOFF)
    size, number = struct.unpack_from("<HH", data, E_PHENTSIZE)
    notes = [at + i * size for i in range(number)
             if struct.unpack_from("<I", data, at + i * size)[0] == PT_NOTE]
    if not notes:
        sys.exit(f"{sys.argv[1]} has no notes")
    for note in notes:
        struct.pack_into("<Q", data, note + P_ALIGN, 8)
    file.seek(0)
    file.write(data)
