# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stretch-data.py FILE SIZE: adds a chunk of SIZE bytes, as a hole, to a data file that a
process records to."""
import os
import struct
import sys

import pbd_chunks

COMMITTED_AT = 40  # in struct pbd_header
size = int(sys.argv[2])
with open(sys.argv[1], "r+b", buffering=0) as file:
    committed, = struct.unpack("<Q", os.pread(file.fileno(), 8, COMMITTED_AT))
    os.ftruncate(file.fileno(), committed + size)
    os.pwrite(file.fileno(), struct.pack("<IIQ", pbd_chunks.SPARE, 0, size), committed)
    os.pwrite(file.fileno(), struct.pack("<Q", committed + size), COMMITTED_AT)
