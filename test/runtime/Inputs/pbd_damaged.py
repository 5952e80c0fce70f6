# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data files that are damaged, incomplete or unusual.

    pbd_damaged.py edges DIR                    unusual but valid
    pbd_damaged.py overflow DIR                 a process that loaded too much code
    pbd_damaged.py forbidden DIR                a process that may not write to its text
    pbd_damaged.py uncalled DIR                 two functions, no call
    pbd_damaged.py incomplete DIR               two processes, one of which got ENOSPC
    pbd_damaged.py event-edges DIR              unusual but valid
    pbd_damaged.py truncations DIR              a file truncated at every offset
    pbd_damaged.py event-truncations DIR        a file with events, truncated at every offset
    pbd_damaged.py corruptions DIR              one file per type of damage
"""
import os
import struct
import sys

from pbd import event_chunks
from pbd_chunks import (
    ASKED, BLOCK, CMDLINE, COUNTERS, FUNCTIONS, HISTOGRAMS, LEFT_OUT, LOSSES, MAPS, MODULE,
    PARENT, PLACE, SESSION, SLOW, TEXT, WHY, block, chunk, cmdline, counters, functions,
    maps, module, parent, pbd, place, record, session, write)


def edges(folder):
    # a longer header, an unknown type of chunk, and a longer chunk, as of a newer version
    write(folder, "newer", pbd([
        bytes(8), chunk(99, bytes(24)), module(1, "/missing/newer"),
        chunk(COUNTERS, struct.pack("<IIQQ", 1, 1, 0x20, 2) + bytes(16))],
        header_size=56))
    # a mapped size beyond the committed size
    write(folder, "unfinished", pbd([
        module(1, "/missing/unfinished"), counters(1, [(0x30, 3)])])
        + b"\xff" * 100)
    # sums that do not fit
    write(folder, "huge", pbd([
        module(1, "/missing/huge"),
        counters(1, [(0x40, 2**64 - 1), (0x40, 2**64 - 1)])]))
    write(folder, "empty", pbd([]))
    # a file that the reader may not open
    with open(os.path.join(folder, "notes.txt"), "w") as file:
        file.write("not data\n")


def uncalled(folder):
    write(folder, "1", pbd([module(1, "/missing/module"),
                            counters(1, [(0x10, 0), (0x20, 0)])]))


def incomplete(folder):
    traced = [cmdline(["./server", "--port", "80"]),
              module(1, "/missing/module"), counters(1, [(0x10, 1)])]
    write(folder, "42", pbd(traced, errno=12))
    write(folder, "43", pbd(traced, pid=43))


def overflow(folder):
    write(folder, "42", pbd([session()], errno=75, version=3))


def forbidden(folder):
    write(folder, "42", pbd([session()], errno=5))


def event_edges(folder):
    path = "/missing/module"
    # a clock with one reading, with events of unknown functions and of unknown kinds
    write(folder, "clock", pbd([
        module(3, path), session(end_ns=0), functions(3, [0x1010]),
        block(1, 100, [record(10, 0, 1, 20), record(10, 9, 1, 20)])]))
    # a clock with one reading, without events that need the clock
    write(folder, "eventless", pbd([module(3, path), session(end_ns=0)]))
    # a counter that varies with the CPU frequency
    write(folder, "frequency", pbd([module(3, path), session(flags=2)]))
    # times before the start of the file, and a call without end
    write(folder, "times", pbd([
        module(3, path), session(lost=7), functions(3, [0x1010]),
        block(1, 100, [struct.pack("<QIIQ", 10, 0, 1, 2),
                       struct.pack("<QIIQ", 2**64 - 1, 0, 1, (2**56 - 1) << 8 | 2)], lost=5)]))


def event_truncations(folder):
    whole = pbd(event_chunks("/missing/module"))
    for size in range(len(whole)):
        write(folder, f"{size:04}", whole[:size])


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
        "version-newer": pbd([], version=4),
        "version-none": pbd([], version=0),
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
        "session-small": pbd([chunk(SESSION, bytes(64))]),
        "session-twice": pbd([session(), session()]),
        "functions-small": pbd([one, chunk(FUNCTIONS, bytes(8))]),
        "functions-module": pbd([functions(5, [])]),
        "functions-many": pbd([one, functions(1, [1], nr=2**32 - 1)]),
        "text-small": pbd([one, chunk(TEXT, bytes(8))]),
        "text-module": pbd([functions(5, [], kind=TEXT)]),
        "text-many": pbd([one, functions(1, [1], nr=2**32 - 1, kind=TEXT)]),
        "block-small": pbd([chunk(BLOCK, bytes(32))]),
        "asked-small": pbd([chunk(ASKED, b"")]),
        "asked-many": pbd([chunk(ASKED, struct.pack("<QQ", 2, 0))]),
        "asked-endless": pbd([chunk(ASKED, struct.pack("<QII", 1, 1, 0) + b"x" * 8)]),
        "left-out-small": pbd([chunk(LEFT_OUT, b"")]),
        "left-out-many": pbd([chunk(LEFT_OUT, struct.pack("<QQQ", 2, 0, 0))]),
        "parent-small": pbd([chunk(PARENT, bytes(16))]),
        "parent-less": pbd([parent("42.pbd", 40)]),
        "parent-endless": pbd([chunk(PARENT, bytes(24) + b"42.pbd.pbd.pbd.p")]),
        "parent-path": pbd([parent("../7.pbd", 48)]),
        "parent-suffix": pbd([parent("core", 48)]),
        "parent-twice": pbd([parent("42.pbd", 48, here=1)] * 2),
        "losses-small": pbd([chunk(LOSSES, bytes(72))]),
        "histograms-small": pbd([chunk(HISTOGRAMS, bytes(16))]),
        "why-small": pbd([chunk(WHY, bytes(8))]),
        "slow-small": pbd([chunk(SLOW, bytes(64))]),
        "maps-small": pbd([chunk(MAPS, b"")]),
        "maps-long": pbd([maps(b"", length=9)]),
        "place-small": pbd([chunk(PLACE, bytes(64))]),
        "place-many": pbd([place([1], nr=9)]),
        "counters-after": pbd([one, counters(1, [(0x50, 5)]), bytes(16)]),
    }
    for name, data in bad.items():
        write(folder, name, data)


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
