# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a sparse recording of many gigabytes (runtime/trace/format/format.h).

    large_recording.py RECORDING NEW GIGABYTES

Copies the recording of function_duration in directory RECORDING, and replaces its events: one
thread calls the first function 436,887 times a second, so that a block covers 100 ms. Only the
blocks of the 51st and 52nd second and the last block contain records. Other blocks are holes in
the file, although index and table mark them as full. The last record is a call that contains
all other calls. Prints the beginning of the 51st second, as `patchbay replay` shows it, and the
number of calls per second.
"""
import struct
import sys
from pathlib import Path
from zlib import crc32

CHUNK, BLOCK, PIECE = struct.Struct("<IIQ"), struct.Struct("<QQIIQ16s"), "<QQQII"
SESSION, TEXT, FUNCTIONS, INDEX, BLOCKS = 4, 13, 5, 14, 15
KINDS_OF_EVENTS = (6, INDEX, BLOCKS)
RECORD = struct.Struct("<QIIQ")
BLOCK_BYTES = 1 << 20
IN_BLOCK = (BLOCK_BYTES - CHUNK.size - BLOCK.size) // RECORD.size
IN_PIECE = 4096
CALL = 2 # PBD_RECORD_CALL
FIRST_AT, LAST_AT = 56, 80 # moments in struct pbd_session


def chunks(data):
    offset, = struct.unpack_from("<I", data, 16)
    committed, = struct.unpack_from("<Q", data, 40)
    yield None, data[:offset]
    while offset < committed:
        kind, _, size = CHUNK.unpack_from(data, offset)
        yield kind, data[offset:offset + size]
        offset += size


def rate(session):
    """Returns ticks per second, and the first moment in ticks and in ns."""
    ticks, ns, _ = struct.unpack_from("<3Q", session, FIRST_AT)
    number, = struct.unpack_from("<Q", session, LAST_AT + 48)
    last_ticks, last_ns, _ = struct.unpack_from("<3Q", session, LAST_AT + number % 2 * 24)
    return (last_ticks - ticks) * 10**9 // (last_ns - ns), ticks, ns


def make(recording, new, gigabytes):
    data = next(Path(recording).glob("*.pbd")).read_bytes()
    kept = [[kind, bytearray(chunk)] for kind, chunk in chunks(data)
            if kind not in KINDS_OF_EVENTS]
    session = next(chunk for kind, chunk in kept if kind == SESSION)
    second, first, first_ns = rate(session)
    numbers = next(chunk for kind, chunk in kept if kind in (TEXT, FUNCTIONS))
    base, entry = struct.unpack_from("<QQ", numbers, CHUNK.size + 8)
    number = (base + entry if kind_of(kept, numbers) == TEXT else base) & 0xffffffff
    blocks = gigabytes * 1000
    step = second // 10 // IN_BLOCK
    end = first + (blocks + 1) * second // 10
    for moment in range(2):
        struct.pack_into("<2Q", session, LAST_AT + moment * 24, end,
                         first_ns + (blocks + 1) * 10**8)
    Path(new).mkdir()
    with open(Path(new) / "1.pbd", "wb") as file:
        for _, chunk in kept:
            file.write(chunk)
        index, table = [], []
        for block in range(blocks):
            at = file.tell()
            head = (CHUNK.pack(6, 0, BLOCK_BYTES)
                    + BLOCK.pack(block + 1, 0, 1, 1, 0, b"large"))
            file.write(head)
            table.append(struct.pack("<QQ", at, IN_BLOCK) + head)
            begin, outer = first + block * second // 10, block == blocks - 1
            if 500 <= block < 520 or outer:
                calls = IN_BLOCK - outer
                file.write(b"".join(RECORD.pack(begin + i * step, number, 1000,
                                                step // 2 << 8 | CALL)
                                    for i in range(calls)))
                if outer:
                    file.write(RECORD.pack(first, number, 2000, end - first << 8 | CALL))
            for i in range(0, IN_BLOCK, IN_PIECE):
                count = min(IN_PIECE, IN_BLOCK - i)
                is_last = outer and i + count == IN_BLOCK
                index.append(struct.pack(
                    PIECE, at + CHUNK.size + BLOCK.size + i * RECORD.size,
                    first if is_last else begin + i * step,
                    end if is_last else begin + (i + count) * step, count, count))
            file.seek(at + BLOCK_BYTES)
        write_list(file, INDEX, index, b"")
        table_at = file.tell()
        write_list(file, BLOCKS, table, struct.pack(
            "<II", crc32(b"".join(table)), crc32(b"".join(index))))
        size = file.tell()
        file.seek(40)
        file.write(struct.pack("<Q", size))
        file.seek(56)
        file.write(struct.pack("<Q", table_at))
    begin_ns = first_ns + 50 * 10**9
    return f"{begin_ns // 10**9}.{begin_ns % 10**9:09}", 10 * IN_BLOCK


def write_list(file, kind, entries, more):
    content = struct.pack("<Q", len(entries)) + more + b"".join(entries)
    file.write(CHUNK.pack(kind, 0, CHUNK.size + len(content)) + content)


def kind_of(kept, wanted):
    return next(kind for kind, chunk in kept if chunk is wanted)


if __name__ == "__main__":
    print(*make(sys.argv[1], sys.argv[2], int(sys.argv[3])))
