# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The index of a data file (struct pbd_index), which is its last chunk.

    index.py show FILE     prints how many pieces it has, and of how many events
    index.py drop FILE     takes it away
    index.py empty FILE    makes it say that no piece has an event
    index.py shift FILE    makes it begin in the middle of a piece
    index.py many FILE     makes it say that pieces have more events than records
"""
import struct
import sys

COMMITTED, INDEX, PIECE = 40, 14, struct.Struct("<QQQII")
LOOK = 0xffffffff # PBD_INDEX_LOOK


def find(data):
    """Where it begins and ends; None if there is none."""
    offset, = struct.unpack_from("<I", data, 16)
    committed, = struct.unpack_from("<Q", data, COMMITTED)
    found = None
    while offset < committed:
        kind, _, size = struct.unpack_from("<IIQ", data, offset)
        if kind == INDEX:
            if found or offset + size != committed:
                sys.exit("the index is not alone, or not the last chunk")
            found = offset
        offset += size
    return found, committed


what, path = sys.argv[1:]
with open(path, "rb") as file:
    data = bytearray(file.read())
start, end = find(data)
if start is None:
    print("no index")
    sys.exit()
first = start + 24
pieces = list(PIECE.iter_unpack(data[first:end]))
if what == "show":
    known = [piece[4] for piece in pieces if piece[4] != LOOK]
    more = f", {len(pieces) - len(known)} to look at" if len(known) < len(pieces) else ""
    print(f"{len(pieces)} pieces, {sum(known)} events{more}")
elif what == "drop":
    struct.pack_into("<Q", data, COMMITTED, start)
elif what == "empty":
    data[first:end] = b"".join(PIECE.pack(*piece[:4], 0) for piece in pieces)
elif what == "many":
    data[first:end] = b"".join(PIECE.pack(*piece[:4], piece[3] + 1) for piece in pieces)
elif what == "shift":
    data[first:end] = b"".join(PIECE.pack(piece[0] + 24, *piece[1:]) for piece in pieces)
with open(path, "wb") as file:
    file.write(data)
