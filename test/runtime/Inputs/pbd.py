# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data files of recordings. pbd_damaged.py writes invalid and unusual ones.

    pbd.py good DIR MODULE [BUILD-ID]   two processes that traced MODULE
    pbd.py events DIR MODULE [BUILD-ID [TRACER]]
                                        events of two threads of a process
    pbd.py slower DIR MODULE            the same process with only one function
    pbd.py orders DIR MODULE            functions that each column sorts differently
    pbd.py waiting DIR MODULE [CPU_NS NS]
                                        a worker that mostly waits, and a thread with calls
    pbd.py twins DIR                    functions of two modules, with one name
    pbd.py many-builds DIR N            a call in each of N modules, and then another
    pbd.py recursion DIR MODULE         functions that call themselves
    pbd.py deep DIR MODULE DEPTH        a recursion of depth DEPTH
    pbd.py unfinished DIR MODULE        calls that were open, or cut off
    pbd.py disarmed DIR MODULE          calls without an exit, in a call that returned
    pbd.py noise DIR MODULE N           N calls of random durations
    pbd.py hostile DIR MODULE           names that would be markup, or control characters
    pbd.py losses DIR MODULE            events lost for each reason, and jumps
    pbd.py children DIR MODULE N        a child that made no file at first; N events are lost
    pbd.py families DIR MODULE          two processes with the same losses
    pbd.py forked DIR MODULE            processes that refer to others' files;
                                        DIR-*: to unusable files
    pbd.py generations DIR MODULE N     N processes, each forked by the previous one
    pbd.py profile DIR MODULE           two threads, timed by function_profile
    pbd.py numbers DIR MODULE           the same, with a large function number
    pbd.py values DIR MODULE            calls with arguments and results
    pbd.py slow_values DIR MODULE       a slow call, with arguments
    pbd.py slow DIR MODULE              slow calls with their causes
    pbd.py outliers DIR MODULE          some slow calls, and their causes
    pbd.py costly DIR MODULE [NS]       short calls that were mostly the cost of tracing
    pbd.py indexed DIR                  two blocks, an index, and a table of blocks
    pbd.py rounding DIR                 calls between two nanoseconds
"""
import errno
import os
import struct
import sys
from zlib import crc32

from pbd_chunks import (
    BLOCKS, CALL, ENTRY, INDEX, LEFT_OUT, LOSSES, TEXT, UNWOUND, WHY, block, chunk, cmdline,
    counters, functions, histograms, maps, module, parent, pbd, place, record, session,
    slow_call, thread_follows, wait, write)


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


def event_chunks(path, build_id=b"", tracer="function_duration", slower=0):
    if tracer == "function":
        threads = [block(1, 100, [record(1000, 5, 100, 0x11012, ENTRY),
                                  record(2000, 6, 90, 0x99999999, ENTRY),
                                  record(3000, 6, 90, 0x99999999, ENTRY)])]
    else:
        # Events are in the order of the calls' ends. The second block is in its second use.
        first = [record(2000, 6, 90, 1000), record(4500, 7, 80, 500)]
        second = [record(4000, 6, 90, 1500, UNWOUND, 1),
                  record(1000, 5, 100, 5000 + slower, CALL, 1),
                  record(7000, 5, 100, 0x11012, ENTRY, 1), bytes(24),
                  record(1, 6, 90, 77, CALL, 0)]
        threads = [
            block(1, 100, second, seq=2, passed=1),
            block(1, 100, first, seq=1),
            # All calls have the same ticks, so their frames determine the order.
            block(2, 101, [record(10, 6, 40, 0), record(10, 6, 40, 0),
                           record(10, 5, 50, 0)], name=b"wor;ker")]
    # The call ends where the open one begins.
    return [cmdline(["./server", "80"]), module(3, path, build_id),
            session(tracer, end_ns=7000, threshold=0 if tracer == "function" else 1000),
            functions(3, [0x1010, 0x1030, 0x1040], 5), *threads]


def events(folder, path, build_id="", tracer="function_duration"):
    write(folder, "42", pbd(event_chunks(path, bytes.fromhex(build_id), tracer)))


def slower(folder, path):
    write(folder, "42", pbd(event_chunks(path, slower=250)))


def orders(folder, path):
    calls = [record(900, 6, 90, 300), record(1300, 7, 90, 350)]
    for start in range(2000, 4000, 200):
        calls += [record(start + 20, 7, 80, 60), record(start, 5, 90, 100)]
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030, 0x1040], 5),
        block(1, 100, calls)]))


def waiting(folder, path, cpu_ns=0, wait_ns=100000):
    calls = []
    for start, ns in (100, 40), (300, 30), (600, 35), (900, 4000):
        calls += [record(start + 5, 6, 80, 10), record(start, 7, 90, ns)]
    write(folder, "42", pbd([
        module(3, path), session(end_ns=10**10, cost=(0, 0, 0, 0), cpu_ns=int(cpu_ns)) if cpu_ns else session(),
        functions(3, [0x1010, 0x1030, 0x1040], 5),
        block(1, 100, [record(20000, 6, 90, 800), record(0, 5, 100, int(wait_ns))], name=b"waiter"),
        block(2, 101, calls)]))


def twins(folder):
    write(folder, "42", pbd([
        module(3, "/missing/one"), module(4, "/missing/other"), session(),
        functions(3, [0x10], 2**64 - 0x10, kind=TEXT),
        functions(4, [0x10], 2**64 - 0xf, kind=TEXT),
        functions(4, [0x10], 2**64 - 0xf, kind=TEXT), # the module was loaded again
        block(1, 100, [record(100, 0, 90, 50), record(200, 1, 90, 20),
                       record(300, 1, 90, 30)])], version=3))


def many_builds(folder, number):
    modules = range(1, int(number) + 1)
    calls = [record(100 * i, which, 0x100, 50) for i, which in
             enumerate([*modules, *modules])]
    write(folder, "42", pbd(
        [cmdline(["many"]), session(),
         *(module(i, f"/missing/{i}.so", struct.pack(">I", i), base=i << 20)
           for i in modules),
         *(functions(i, [0x1000], i) for i in modules),
         block(1, 42, calls)]))


def indexed(folder):
    def piece(offset, begin, end, records, events):
        return struct.pack("<QQQII", offset, begin, end, records, events)
    head = 64
    before = [module(3, "/missing/one"), session(), functions(3, [0x10, 0x20])]
    blocks = [block(1, 100, [record(100, 0, 90, 50), record(200, 1, 90, 20)]),
              block(2, 101, [record(10, 0, 90, 50), record(70, 1, 90, 20)])]
    at = [head + len(b"".join(before))]
    at.append(at[0] + len(blocks[0]))
    pieces = b"".join(piece(at[i] + 64, 1000, 1500, 2, 2) for i in range(2))
    entries = b"".join(struct.pack("<QQ", at[i], 2) + blocks[i][:64] for i in range(2))
    index = chunk(INDEX, struct.pack("<Q", 2) + pieces)
    table = chunk(BLOCKS, struct.pack("<QII", 2, crc32(entries), crc32(pieces)) + entries)
    body = b"".join([*before, *blocks, index])
    fields = struct.pack("<QQ", 0, head + len(body))
    write(folder, "42", pbd([fields, body, table], header_size=head, version=3))


def recursion(folder, path):
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030, 0x1040]),
        block(1, 100, [record(30, 0, 80, 20), record(20, 1, 90, 40),
                       record(10, 0, 100, 100),
                       record(220, 2, 80, 20), record(210, 2, 90, 40),
                       record(200, 2, 100, 60)])]))


def outliers(folder, path):
    """200 calls of 0x1010 take 1,000 ns, of which 100 ns are in 0x1030. Every hundredth call is
    slow and takes 5,100 ns: it calls 0x1030 twice, for 2,000 ns each, of which 1,500 ns are in
    0x1040. One call of 0x1010 calls itself for 500 ns. The last call does not return.
    """
    calls, at = [], 0
    for i in range(200):
        slow = i % 100 == 50
        if slow:
            for begin in (at + 100, at + 3000):
                calls += [record(begin + 100, 2, 80, 1500), record(begin, 1, 90, 2000)]
        else:
            calls.append(record(at + 100, 1, 90, 100))
        if i == 7:
            calls.append(record(at + 300, 0, 90, 500))
        calls.append(record(at, 0, 100, 5100 if slow else 1000))
        at += 10000
    calls += [record(at + 10, 1, 90, 100), record(at, 0, 100, 0x11012, ENTRY)]
    write(folder, "42", pbd([
        module(3, path), session(end_ns=at + 9000), functions(3, [0x1010, 0x1030, 0x1040]),
        block(1, 100, calls)]))


def costly(folder, path, slower=5000):
    """100 calls of 0x1010 take 1,000 ns. Each calls 0x1030 ten times for 20 ns, which is less
    than the cost of tracing. The last call of all takes `slower` ns longer.
    """
    calls, at = [], 0
    for i in range(100):
        more = int(slower) if i == 99 else 0
        calls += [record(at + 10 + 90 * j, 1, 90, 20 + (more if j == 9 else 0)) for j in range(10)]
        calls.append(record(at, 0, 100, 1000 + more))
        at += 10000
    write(folder, "42", pbd([
        module(3, path), session(cost=(30000, 40000, 0, 10000)), functions(3, [0x1010, 0x1030]),
        block(1, 100, calls)]))


def causes(folder, path):
    """105 calls of 0x1010: 100 of them take 1,000 ns. Five are slow: three because
    0x1040 takes 5,000 ns, two because they take 14,000 ns themselves. 0x1040 was
    disarmed later.
    """
    calls = []
    for i in range(105):
        at, slow = i * 20000, i % 20 == 10
        if slow and i < 60:
            calls.append(record(at + 100, 1, 90, 5000))
        elif not slow:
            calls.append(record(at + 100, 1, 90, 100))
        calls.append(record(at, 0, 100, 1000 if not slow else 6000 if i < 60 else 14000))
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1040]),
        chunk(LEFT_OUT, struct.pack("<QQQ", 1, 0x11040, 0x201)), block(1, 100, calls)]))


def locked(folder, path, library):
    """0x1010 waits in LIBRARY for 900 us. Meanwhile 0x1040, called by 0x1030, runs in another
    thread, and calls of 0x1030 in two more threads wait in LIBRARY, too.
    """
    calls = [record(at, 0, 100, 1000) for at in range(0, 10000, 2000)]
    calls += [struct.pack("<QIIQ", 1, 0xffffff13, 100, ENTRY), record(20000, 0, 100, 1000000)]
    others = [record(22000, 2, 80, 929000), record(21000, 1, 90, 931000),
              record(15000, 1, 90, 100)]
    waiters = [[struct.pack("<QIIQ", by, 0xffffff13, 70, 1 << 8 | ENTRY),
                record(40000, 1, 70, 912000)]
               for by in (2, 3)]
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030, 0x1040]),
        chunk(WHY, struct.pack("<QIIQQ", 1000, 7, 13, 3, 0)),
        maps(f"7000-8000 r-xp 00001000 fe:00 {os.stat(library).st_ino} {library}\n".encode()),
        slow_call(1, 1, 900000, [wait(10**9 + 50000, 900000, 0, [], [0x7024])], ns=1000000),
        *(slow_call(by, 1, 880000, [wait(10**9 + 60000, 880000, 0, [], [0x7024])], ns=912000)
          for by in (2, 3)),
        block(1, 100, calls), block(2, 99, waiters[0]), block(3, 101, others),
        block(4, 102, waiters[1])]))


def why_cost(folder, path, others=0):
    """0x1030 calls 0x1010, which --why examined for 200 us after the end of that call. 0x1030
    is a slow call, too, and waited for 600 us. others: the number of further calls of 0x1030,
    of 1 us each.
    """
    def detail(value, number, frame, function):
        return struct.pack("<QIIQ", value, 0xffffff00 + number, frame, function << 8 | ENTRY)
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030]),
        chunk(WHY, struct.pack("<QIIQQ", 1000, 7, 13, 2, 0)),
        slow_call(1, 1, 0, [], ns=500000),
        slow_call(2, 1, 600000, [wait(10**9 + 710000, 600000, 1, [], [])], ns=1000000),
        block(1, 100, [detail(1, 0x13, 80, 0), detail(200000, 0x17, 80, 0),
                       record(1000, 0, 80, 500000), detail(2, 0x13, 90, 1),
                       record(0, 1, 90, 1000000),
                       *(record(2000000 + 2000 * i, 1, 90, 1000) for i in range(int(others)))])]))


def deep(folder, path, depth):
    """Events of function_graph; each call is 10 ns shorter than its parent."""
    depth = int(depth)
    calls = [record(10 * i, 0, 2 * depth - i, 20 * (depth - i)) for i in range(depth)]
    write(folder, "42", pbd([
        module(3, path), session(tracer="function_graph", end_ns=20 * depth),
        functions(3, [0x1010]), block(1, 100, reversed(calls))]))


def unfinished(folder, path):
    """compute is open for 9 us; it has called report, open for 4 us, which has called 0x1040.
    Before that, two calls of report were cut off: the first 500 ns after its callee 0x1040, which
    took 300 ns, the second immediately. Another thread lost all events after the entry of compute.
    """
    def entry(start, function, frame):
        return record(start, function, frame, 0x11012, ENTRY)
    write(folder, "42", pbd([
        cmdline(["./server"]), module(3, path),
        session(tracer="function_graph", end_ns=10000),
        functions(3, [0x1010, 0x1030, 0x1040]),
        block(1, 100, [
            entry(1000, 0, 100),
            entry(2000, 1, 90), entry(2500, 2, 80), record(2500, 2, 80, 300),
            entry(4000, 1, 90), entry(5000, 2, 90), record(5000, 2, 90, 200),
            entry(6000, 1, 90), entry(7000, 2, 80), record(7000, 2, 80, 1000)]),
        block(2, 101, [entry(1000, 0, 50), entry(3000, 2, 40),
                       record(3000, 2, 40, 100)], lost=7, name=b"worker")]))


def disarmed(folder, path):
    """compute returns after 5 us. compute calls report, which has no exit; report calls 0x1040
    twice, and the second call has no exit. Later 0x1040 is called by the caller of compute.
    """
    def entry(start, function, frame):
        return record(start, function, frame, 0x11012, ENTRY)
    write(folder, "42", pbd([
        cmdline(["./server"]), module(3, path),
        session(tracer="function_graph", end_ns=10000),
        functions(3, [0x1010, 0x1030, 0x1040]),
        block(1, 100, [
            entry(1000, 0, 100), record(1000, 0, 100, 5000),
            entry(2000, 1, 90), entry(2500, 2, 80), record(2500, 2, 80, 1500),
            entry(4500, 2, 80), entry(7000, 2, 70), record(7000, 2, 70, 1000)])]))


def noise(folder, path, number):
    calls, start, random = [], 0, 1
    for _ in range(int(number)):
        random = random * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
        start += 1 + (random >> 40)
        length = random >> 36 & 0xffffff
        calls.append(record(start, random >> 33 & 1, 90, length))
        start += length
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030]),
        block(1, 100, calls)]))


def hostile(folder, path):
    write(folder, "42", pbd([
        cmdline(["</script><script>bad()</script>", "<!--", "\"'&<b>\x1b[31m"]), module(3, path),
        session(), functions(3, [0x1010, 0x1030, 0x1040]),
        block(1, 100, [record(100, 0, 90, 50), record(200, 1, 90, 20), record(300, 2, 90, 20)],
              name=b"</script><!--")]))


def families(folder, path):
    left_out = chunk(LEFT_OUT, struct.pack("<QQQQQ", 2, 0x11010, 1,
                                           0x11040, 1))
    for pid in 42, 43, 44:
        write(folder, str(pid), pbd([
            cmdline(["./server"]), module(3, path), session(lost=4),
            functions(3, [0x1030]), left_out, block(1, pid, [record(10, 0, 1, 20)])],
            pid=pid, errno=12 if pid > 42 else 0))


def forked(folder, path):
    def process(name, *chunks, pid=43, file=folder):
        write(file, name, pbd([session(), *chunks], pid=pid, version=2))

    def calls(*functions):
        return block(1, 100, [record(100 * i, function, 90, 40)
                              for i, function in enumerate(functions)])
    own = [module(3, path), functions(3, [0x1010]),
           chunk(LEFT_OUT, struct.pack("<QQQ", 1, 0x11050, 1))]
    known = 48 + len(session()) + sum(map(len, own))
    # After the fork, the parent reused the child's numbers. The child does not know that.
    later = [module(4, "/other"), functions(4, [0x1050], first=1)]
    process("42", *own, *later, calls(0, 1), pid=42)
    # Two forked processes: the first has its own module, the second has none.
    own = [module(4, path), functions(4, [0x1030], first=1)]
    process("43", parent("42.pbd", known), *own, calls(0, 0, 1))
    known = 48 + len(session()) + len(parent("42.pbd", known)) + sum(map(len, own))
    process("44", parent("43.pbd", known, pid=43), calls(0, 1), pid=44)
    # One process has a complete copy of the table, another one an incomplete copy.
    copied = [module(3, path), functions(3, [0x1010])]
    process("45", parent("41.pbd", 400, here=1), *copied, calls(0), pid=45)
    process("46", parent("42.pbd", 48 + len(session()) + sum(map(len, copied))),
            *copied, calls(0), pid=46)
    # One process was forked before the copy was made, so its part of the table ends earlier.
    there = parent("42.pbd", 48 + len(session()) + sum(map(len, copied)), here=1)
    process("42", *copied, calls(0), pid=42, file=f"{folder}-copied")
    process("47", there, *own, *copied, calls(0), pid=47, file=f"{folder}-copied")
    process("48", parent("47.pbd", 48 + len(session()) + len(there) + sum(map(len, own)),
                         pid=47), calls(0, 1), pid=48, file=f"{folder}-copied")
    for name, of in {
            "missing": parent("41.pbd", 400), "other": parent("42.pbd", 400, pid=40),
            "later": parent("42.pbd", 400, start_ns=5),
            "more": parent("42.pbd", 10**9),
            "between": parent("42.pbd", known + 8), "self": parent("self.pbd", 400)}.items():
        others = f"{folder}-{name}"
        process("42", *copied, calls(0), pid=42, file=others)
        process(name, of, module(4, path), functions(4, [0x1030], first=1),
                calls(0, 1), file=others)


def generations(folder, path, number):
    """Each process is forked by the previous one and has loaded its own module."""
    of = []
    for i in range(int(number)):
        chunks = [session(), *of, module(i, path), functions(i, [0x1010], first=i)]
        of = [parent(f"{i + 1:03}.pbd", 48 + sum(map(len, chunks)), pid=i + 1)]
        write(folder, f"{i + 1:03}", pbd([
            *chunks, block(1, 100, [record(100, 0, 90, 40)])], pid=i + 1, version=2))


def places(folder):
    """Adjacent modules in random order. Each module has two untraced functions, one at its
    start and one at its end. The address at the end shows which module contains it. One address
    is below all modules."""
    bases = [0x100000 * (1 + i * 7 % 10) for i in range(10)]
    modules = [module(i, f"/gone/{base:x}.so", base=base) for i, base in enumerate(bases)]
    addresses = [0x10] + [at for base in bases
                          for at in (base, base + 0xffff0 + base // 0x100000)]
    left_out = chunk(LEFT_OUT, struct.pack(
        f"<Q{2 * len(addresses)}Q", len(addresses), *(word for at in addresses
                                                      for word in (at, 1))))
    write(folder, "42", pbd([*modules, session(), left_out]))


def losses(folder, path):
    def jumped(frame, function):
        return struct.pack("<QIIQ", 0, 0xffffff0f, frame, function << 8 | ENTRY)
    counts = struct.pack("<II8Q", 0, 0, 5, 1, 3, 1, 4, 7, 0, 0)
    write(folder, "42", pbd([
        cmdline(["./server"]), module(3, path), session(lost=9, flags=128),
        functions(3, [0x1010]),
        chunk(LOSSES, struct.pack("<Q", 1) + counts + bytes(15 * len(counts))),
        # The last two values belong to other calls.
        block(1, 100, [jumped(90, 0), record(10, 0, 90, 1, UNWOUND),
                       jumped(90, 0), record(20, 0, 90, 2, UNWOUND),
                       record(30, 0, 90, 3, UNWOUND), jumped(80, 0),
                       record(40, 0, 90, 4)])]))


def children(folder, path, lost):
    counts = struct.pack("<II8Q", 0, 0, 0, 0, 0, int(lost), 0, 0, 0, 0)
    body = struct.pack("<Q", 0) + counts + bytes(15 * len(counts))
    write(folder, "42", pbd([
        cmdline(["./server"]), module(3, path), session(), functions(3, [0x1010]),
        chunk(LOSSES, body + struct.pack("<2I", errno.EXFULL, 0)),
        block(1, 100, [record(10, 0, 1, 20)])]))


def profile(folder, path):
    # One histogram is not in use yet; another one belongs to an unknown function.
    write(folder, "42", pbd([
        module(3, path), session(tracer="function_profile"),
        functions(3, [0x1010, 0x1030]),
        histograms(100, [(0, 3000, 1500, {0: 1, 10: 2}), (-1, 0, 0, {3: 7}),
                         (1, 80, 80, {6: 1})]),
        histograms(101, [(0, 1000, 600, {8: 2}), (99, 1, 1, {0: 1})])]))


def numbers(folder, path):
    write(folder, "42", pbd([
        module(3, path), session(tracer="function_profile"),
        functions(3, [0x1010], 2**32 + 5),
        histograms(100, [(2**32 + 5, 100, 100, {6: 1})])]))


def values(folder, path):
    def value(which, number, frame, function):
        return struct.pack("<QIIQ", number, 0xffffff00 + which, frame,
                           function << 8 | ENTRY)
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030]),
        block(1, 100, [
            # an argument of a lost call, and an argument without its predecessor
            value(0, 9, 90, 0), value(1, 9, 90, 0), value(3, 9, 90, 0),
            value(0, 1, 90, 0), value(0, 2, 90, 1), value(6, 3, 90, 1),
            value(200, 4, 90, 1),
            record(10, 0, 90, 1), record(10, 0, 90, 1), record(20, 1, 90, 1),
            value(7, 0x3fe0000000000000, 90, 1), record(30, 1, 90, 1)])]))


def slow_values(folder, path):
    """Ten calls with an argument and a result; one call takes 500 us."""
    def value(which, number):
        return struct.pack("<QIIQ", number, 0xffffff00 + which, 90, ENTRY)
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010]),
        block(1, 100, [one for i in range(10) for one in (
            value(0, 40 + i), value(6, 70 + i),
            record(i * 1000000, 0, 90, 500000 if i == 7 else 1000))])]))


def typed(folder, path):
    """Arguments with types, valid and invalid ones."""
    def part(field, number, state, word, frame, function):
        detail = function | field << 32 | number << 40 | state << 48
        return struct.pack("<QIIQ", word, 0xffffff20, frame, detail << 8 | ENTRY)
    texts = [b"len=i4:r1;name=s:r0;state=e2{OFF=0/ON=-1}:r2;?u8:r1>4;retval=d:d0",
             b"a=u9:r0;b=t65:r0@3;=;c={"]
    arguments = chunk(32, struct.pack("<IIQQQQ", 3, 2, 0x1010, 3, 0x1030, 0)
                      + b"".join(text + b"\0" for text in texts))
    write(folder, "42", pbd([
        module(3, path), session(), functions(3, [0x1010, 0x1030]), arguments,
        block(1, 100, [
            part(0, 0, 16, 2**64 - 5, 90, 0),
            part(1, 0, 8, int.from_bytes(b"a text t", "little"), 90, 0),
            part(1, 1, 0x23, int.from_bytes(b"hat", "little"), 90, 0),
            part(2, 0, 16, 0xffff, 90, 0), part(3, 0, 16, 0x3ff8000000000000, 90, 0),
            record(10, 0, 90, 5),
            part(0, 0, 0x82, 0, 90, 0), part(1, 0, 0x4f, 2**64 - 1, 90, 0),
            part(9, 9, 255, 1, 90, 0), part(2, 0, 0, 0, 90, 0), record(20, 0, 90, 5),
            part(0, 0, 16, 1, 90, 1), record(30, 1, 90, 5)])]))


def slow(folder, path):
    def slow_of(number, frame, function):
        return struct.pack("<QIIQ", number, 0xffffff13, frame, function << 8 | ENTRY)
    write(folder, "42", pbd([
        place([17, 1]), module(3, path), session(), functions(3, [0x1010, 0x1030]),
        chunk(WHY, struct.pack("<QIIQQ", 1000, 7, 13, 5, 2)),
        maps(b"7000-8000 r-xp 00001000 fe:00 99 /missing/lib.so\nnonsense\n"),
        slow_call(1, 1, 900, [wait(600, 600, 0, [1, 2], [0x7020]),
                              wait(1300, 300, 1, [], [])]),
        slow_call(2, 0, 700, [], stack=bytes(64)),
        slow_call(3, 0, 0, [wait(600, 1, 0, [1], [])] * 16, nr_waits=20, stack_error=24),
        slow_call(5, 0, 60, [wait(600, 1, 0, [1], []), wait(601, 2, 1, [], [])] * 8,
                  nr_waits=17),
        # The causes of these entries belong to unknown calls, or to no call.
        slow_call(9, 1, 0, [], stack_size=2**32 - 1), slow_call(0, 1, 0, []),
        block(1, 100, [
            slow_of(1, 90, 0), record(500, 0, 90, 1000),
            slow_of(2, 90, 1), record(1600, 1, 90, 1000),
            slow_of(3, 90, 0), record(2700, 0, 90, 1000),
            slow_of(4, 90, 0), record(3800, 0, 90, 1000),
            slow_of(9, 90, 0), record(4900, 0, 90, 1000),
            slow_of(5, 90, 0), record(6000, 0, 90, 1000)])]))


def sleeps(folder, path):
    def asleep(start_ns, ns):
        return record(start_ns, 0xffffff10, 0, ns, ENTRY)
    def ticks(ns):
        return 2 * ns
    write(folder, "42", pbd([
        module(3, path), session(flags=4), functions(3, [0x1010, 0x1030]),
        block(1, 100, [
            asleep(0, ticks(1000)),
            # The sleep is within a call. Later sleep times decrease, or are at the end of the
            # range.
            asleep(20, ticks(5000)), record(10, 1, 80, 15), asleep(40, 0),
            record(5, 0, 90, 50), record(60, 1, 90, 10),
            struct.pack("<QIIQ", 2**64 - 1, 0xffffff10, 0, 2**64 - 256 | ENTRY),
            struct.pack("<QIIQ", 2**64 - 2, 1, 90, 2**64 - 256 | CALL)])]))


def follows(folder):
    write(folder, "42", pbd([
        module(3, "/missing/module"), session(flags=1), functions(3, [0x1010]),
        block(1, 100, [record(10, 0, 90, 1), thread_follows(2, 101, b"next"),
                       record(20, 0, 90, 1)])]))


def rounding(folder):
    def event(start, ticks, frame):
        return struct.pack("<QIIQ", 1000 + start, 0, frame, ticks << 8 | CALL)
    # A call from tick 1 to 4, within a call from 0 to 4. Rounded: 1 to 3, and 0 to 2.
    write(folder, "42", pbd([
        module(3, "/missing/module"), session(), functions(3, [0x1010]),
        block(1, 100, [event(1, 3, 90), event(0, 4, 100)])]))
    # A call from 0.4 to 0.8 ns, and one at 0.8. Rounded: 0, and 1.
    write(folder + "-start", "42", pbd([
        module(3, "/missing/module"), session(rate=2.5), functions(3, [0x1010]),
        block(1, 100, [event(2, 0, 90), event(1, 1, 100)])]))


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
