# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage-note.py FILE COPY OFFSET: copies a module. The loaded note of the copy points OFFSET
bytes past its descriptor."""
import struct
import sys

NOTE = struct.pack("<III9s3x", 9, 8, 6, b"Patchbay")

source, copy, offset = sys.argv[1:]
with open(source, "rb") as file:
    module = bytearray(file.read())
assert module.count(NOTE) == 1
field = module.index(NOTE) + len(NOTE) + 4
leads, = struct.unpack_from("<i", module, field)
struct.pack_into("<i", module, field, leads + int(offset, 0))
with open(copy, "wb") as file:
    file.write(module)
