# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Edits the index of a data file (struct pbd_index) and the last chunk after it, the
table of its blocks (struct pbd_blocks).

    index.py show FILE     prints the number of segments, and of events in each
    index.py drop FILE     removes the index
    index.py empty FILE    sets the number of events of all segments to 0
    index.py shift FILE    moves the start of the index into the middle of a segment
    index.py many FILE     gives segments more events than the file has records
    index.py no-table FILE removes the table, which older writers do not write
    index.py table FILE WHAT  damages the table: 'nr', 'kind', 'at' (its position in
                           the header), 'offset', 'block', 'size' (of an entry), and
                           'events', which doubles the number in each block
    index.py forge FILE WHAT  the same, with matching checksums

Checksums stay unchanged except with 'forge'.
"""
import struct
import sys
from zlib import crc32

COMMITTED, TABLE_AT, INDEX, TABLE, PIECE = 40, 56, 14, 15, struct.Struct("<QQQII")
TABLE_HEAD, ENTRY = 32, 80
LOOK = 0xffffffff # PBD_INDEX_LOOK


def find(data):
    """Returns the offsets of the index and of the table, and the end of the table. Missing ones
    are None."""
    offset, = struct.unpack_from("<I", data, 16)
    committed, = struct.unpack_from("<Q", data, COMMITTED)
    found = {}
    while offset < committed:
        kind, _, size = struct.unpack_from("<IIQ", data, offset)
        if kind in (INDEX, TABLE) and found.setdefault(kind, offset) != offset:
            sys.exit("a second one")
        if found and kind not in found:
            sys.exit("the index and the table are not the last chunks")
        offset += size
    table, = struct.unpack_from("<Q", data, TABLE_AT)
    # A reader ignores uncommitted entries.
    if (table if table < committed else 0) != found.get(TABLE, 0):
        sys.exit("the header does not say where the table is")
    return found.get(INDEX), found.get(TABLE, committed), committed


def damage_table(data, at, how):
    first = at + TABLE_HEAD
    fields = {"nr": (at + 16, "<Q", 2**60), "kind": (at, "<I", 14),
              "at": (TABLE_AT, "<Q", at - 8), "offset": (first, "<Q", 8),
              "block": (first + 16, "<I", 3), "size": (first + 24, "<Q", 2**40)}
    if how == "events":
        for entry in range(first, struct.unpack_from("<Q", data, at + 8)[0] + at, ENTRY):
            events, = struct.unpack_from("<Q", data, entry + 8)
            struct.pack_into("<Q", data, entry + 8, 2 * events)
    else:
        where, form, value = fields[how]
        struct.pack_into(form, data, where, value)


def seal_table(data, at):
    size, = struct.unpack_from("<Q", data, at + 8)
    struct.pack_into("<I", data, at + 24, crc32(data[at + TABLE_HEAD:at + size]))


what, path, *how = sys.argv[1:]
with open(path, "rb") as file:
    data = bytearray(file.read())
start, end, committed = find(data)
if start is None:
    print("no index")
    sys.exit()
first = start + 24
pieces = list(PIECE.iter_unpack(data[first:end]))
if what == "show":
    known = [piece[4] for piece in pieces if piece[4] != LOOK]
    more = f", {len(pieces) - len(known)} to look at" if len(known) < len(pieces) else ""
    print(f"{len(pieces)} pieces, {sum(known)} events{more}")
    events = [struct.unpack_from("<Q", data, entry + 8)[0]
              for entry in range(end + TABLE_HEAD, committed, ENTRY)]
    print(f"{len(events)} blocks, {sum(events)} events")
elif what == "drop":
    struct.pack_into("<Q", data, COMMITTED, start)
elif what == "no-table":
    struct.pack_into("<Q", data, COMMITTED, end)
    struct.pack_into("<Q", data, TABLE_AT, 0)
elif what == "table":
    damage_table(data, end, *how)
elif what == "forge":
    damage_table(data, end, *how)
    seal_table(data, end)
elif what == "empty":
    data[first:end] = b"".join(PIECE.pack(*piece[:4], 0) for piece in pieces)
elif what == "many":
    data[first:end] = b"".join(PIECE.pack(*piece[:4], piece[3] + 1) for piece in pieces)
elif what == "shift":
    data[first:end] = b"".join(PIECE.pack(piece[0] + 24, *piece[1:]) for piece in pieces)
with open(path, "wb") as file:
    file.write(data)
