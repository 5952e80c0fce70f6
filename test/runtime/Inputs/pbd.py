# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data files, good and bad, as runtime/trace/format.h lays them out.

    pbd.py good DIR MODULE [BUILD-ID]   two processes that traced MODULE
    pbd.py edges DIR                    unusual but valid
    pbd.py uncalled DIR                 two functions, no call
    pbd.py incomplete DIR               two processes, one that met ENOSPC
    pbd.py truncations DIR              a file cut at every offset
    pbd.py corruptions DIR              one file per thing that can be wrong
"""
import os
import struct
import sys

CMDLINE, MODULE, COUNTERS = 1, 2, 3


def chunk(kind, body, order="<", size=None):
    body += bytes(-len(body) % 8)
    return struct.pack(order + "IIQ", kind, 0, size or 16 + len(body)) + body


def cmdline(args, order="<", length=None):
    text = b"".join(arg.encode() + b"\0" for arg in args)
    length = len(text) if length is None else length
    return chunk(CMDLINE, struct.pack(order + "Q", length) + text, order)


def module(number, path, build_id=b"", order="<", build_id_size=None):
    size = len(build_id) if build_id_size is None else build_id_size
    head = struct.pack(order + "IIQ32s", number, size, 0x10000, build_id)
    return chunk(MODULE, head + path.encode() + b"\0", order)


def counters(number, calls, order="<", nr=None):
    nr = len(calls) if nr is None else nr
    body = struct.pack(order + "II", number, nr)
    for entry, count in calls:
        body += struct.pack(order + "QQ", entry, count)
    return chunk(COUNTERS, body, order)


def pbd(chunks, order="<", magic=b"PBAYDATA", mark=0x01020304, version=1,
        header_size=48, committed=None, pid=42, errno=0):
    body = b"".join(chunks)
    committed = 48 + len(body) if committed is None else committed
    header = struct.pack(order + "8sIIIIIIQQ", magic, mark, version,
                         header_size, 62, pid, errno, 10**18, committed)
    return header + body


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".pbd"), "wb") as file:
        file.write(data)


def good(folder, path, build_id=""):
    build_id = bytes.fromhex(build_id)
    write(folder, "42", pbd([
        cmdline(["./server", "--port", "80"]),
        module(7, path, build_id),
        counters(7, [(0x1010, 5), (0x1020, 0), (0x1030, 12)]),
        counters(7, [(0x1010, 1000)])]))
    write(folder, "43", pbd([
        module(1, path, build_id),
        counters(1, [(0x1010, 1), (0x1040, 12)])], pid=43))


def edges(folder):
    # of another byte order
    write(folder, "big-endian", pbd([
        module(1, "/missing/big", order=">"),
        counters(1, [(0x10, 1)], order=">")], order=">"))
    # a longer header, a kind and a chunk tail of a newer writer
    write(folder, "newer", pbd([
        bytes(8), chunk(99, bytes(24)), module(1, "/missing/newer"),
        chunk(COUNTERS, struct.pack("<IIQQ", 1, 1, 0x20, 2) + bytes(16))],
        header_size=56))
    # mapped size beyond what is committed
    write(folder, "unfinished", pbd([
        module(1, "/missing/unfinished"), counters(1, [(0x30, 3)])])
        + b"\xff" * 100)
    # sums that do not fit
    write(folder, "huge", pbd([
        module(1, "/missing/huge"),
        counters(1, [(0x40, 2**64 - 1), (0x40, 2**64 - 1)])]))
    write(folder, "empty", pbd([]))
    # a file that is not ours to read
    with open(os.path.join(folder, "notes.txt"), "w") as file:
        file.write("not data\n")


def uncalled(folder):
    write(folder, "1", pbd([module(1, "/missing/module"),
                            counters(1, [(0x10, 0), (0x20, 0)])]))


def incomplete(folder):
    traced = [cmdline(["./server", "--port", "80"]),
              module(1, "/missing/module"), counters(1, [(0x10, 1)])]
    write(folder, "42", pbd(traced, errno=28))
    write(folder, "43", pbd(traced, pid=43))


def truncations(folder):
    whole = pbd([cmdline(["a"]), module(1, "/missing/module"),
                 counters(1, [(0x10, 1)])])
    for size in range(len(whole)):
        write(folder, f"{size:04}", whole[:size])


def corruptions(folder):
    one = module(1, "/missing/module")
    bad = {
        "magic": pbd([], magic=b"PBAYDATE"),
        "order": pbd([], mark=0x04030201 + 1),
        "version": pbd([], version=2),
        "header-small": pbd([], header_size=40),
        "header-odd": pbd([], header_size=52),
        "header-huge": pbd([], header_size=0xfffffff8),
        "committed-small": pbd([], committed=40),
        "committed-huge": pbd([one], committed=2**64 - 8),
        "committed-odd": pbd([one], committed=48 + len(one) - 4),
        "chunk-zero": pbd([chunk(1, b"")[:8] + bytes(8)]),
        "chunk-odd": pbd([chunk(1, bytes(24), size=20)]),
        "chunk-huge": pbd([chunk(1, b"", size=2**64 - 8)]),
        "chunk-tail": pbd([one, bytes(8)]),
        "cmdline-small": pbd([chunk(CMDLINE, b"")]),
        "cmdline-long": pbd([cmdline(["a"], length=2**64 - 1)]),
        "module-small": pbd([chunk(MODULE, bytes(16))]),
        "module-build-id": pbd([module(1, "/m", build_id_size=33)]),
        "module-path": pbd([chunk(MODULE, bytes(48) + b"/endless")]),
        "module-twice": pbd([one, one]),
        "counters-small": pbd([one, chunk(COUNTERS, b"")]),
        "counters-module": pbd([counters(5, [])]),
        "counters-many": pbd([one, counters(1, [(0x10, 1)], nr=2)]),
        "counters-wild": pbd([one, counters(1, [(0x10, 1)], nr=2**32 - 1)]),
        "counters-after": pbd([one, counters(1, [(0x50, 5)]), bytes(16)]),
    }
    for name, data in bad.items():
        write(folder, name, data)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
