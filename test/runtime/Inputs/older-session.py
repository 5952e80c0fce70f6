# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: older-session.py FILE: rewrites the session of a data file in the format of an older
version, without the cost of calls. Uses struct pbd_chunk: u32 kind, u32 reserved, u64 size."""
import struct
import sys

SESSION, SPARE = 4, 10
COST = 6 * 8 # the last fields of struct pbd_session

with open(sys.argv[1], "r+b") as file:
    data = bytearray(file.read())
    at, = struct.unpack_from("<I", data, 16)
    while struct.unpack_from("<I", data, at)[0] != SESSION:
        at += struct.unpack_from("<Q", data, at + 8)[0]
    size, = struct.unpack_from("<Q", data, at + 8)
    struct.pack_into("<Q", data, at + 8, size - COST)
    struct.pack_into("<IIQ", data, at + size - COST, SPARE, 0, COST)
    file.seek(0)
    file.write(data)
