# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chunks of data files, as runtime/trace/format/format.h lays them out."""
import os
import struct

(CMDLINE, MODULE, COUNTERS, SESSION, FUNCTIONS, BLOCK, HISTOGRAMS, LEFT_OUT,
 LOSSES, SPARE, ASKED, PARENT, TEXT, INDEX, BLOCKS, OTHER,
 SAMPLES) = range(1, 18)
WHY, SLOW, MAPS, PLACE = range(20, 24)
ENTRY, CALL, UNWOUND = 1, 2, 3


def chunk(kind, body, size=None):
    body += bytes(-len(body) % 8)
    return struct.pack("<IIQ", kind, 0, size or 16 + len(body)) + body


def cmdline(args, length=None):
    text = b"".join(arg.encode() + b"\0" for arg in args)
    length = len(text) if length is None else length
    return chunk(CMDLINE, struct.pack("<Q", length) + text)


def module(number, path, build_id=b"", build_id_size=None, base=0x10000):
    size = len(build_id) if build_id_size is None else build_id_size
    head = struct.pack("<IIQ32s", number, size, base, build_id)
    return chunk(MODULE, head + path.encode() + b"\0")


def counters(number, calls, nr=None):
    nr = len(calls) if nr is None else nr
    body = struct.pack("<II", number, nr)
    for entry, count in calls:
        body += struct.pack("<QQ", entry, count)
    return chunk(COUNTERS, body)


def moment(ns, rate=2):
    """rate: ticks per nanosecond"""
    return struct.pack("<QQQ", 1000 + int(rate * ns), 10**9 + ns, 10**18 + ns)


def session(tracer="function_duration", flags=0, lost=0, end_ns=10**9,
            rate=2, threshold=0, cost=None, cpu_ns=0):
    """cost: in ps: within a call, around it, for pages, and the error. cpu_ns: the CPU time, if
    there is a cost."""
    body = struct.pack("<IIQQQQ", 1, flags, threshold, 1 << 20, lost, 0)
    body += moment(0) + moment(0) + moment(end_ns, rate)
    body += struct.pack("<Q64s64s", 1, tracer.encode(), b"build.example")
    if cost:
        body += struct.pack("<5Q4Q2Q", 0, 0, 0, 0, 0, *cost, 0, cpu_ns)
    return chunk(SESSION, body)


def functions(number, entries, first=0, nr=None, kind=FUNCTIONS):
    """kind TEXT: the numbers are addresses of entries, which are added to the first one."""
    nr = len(entries) if nr is None else nr
    return chunk(kind, struct.pack(
        f"<IIQ{len(entries)}Q", number, nr, first, *entries))


def record(start_ns, function, frame, detail, kind=CALL, passed=0):
    """detail: in ns, or a return address"""
    return struct.pack("<QIIQ", 1000 + 2 * start_ns, function, frame,
                       (detail if kind == ENTRY else 2 * detail) << 8
                       | passed << 2 | kind)


def thread_follows(thread, tid, name, passed=0):
    first, rest = struct.unpack("<QQ", name.ljust(16, b"\0"))
    tail = passed << 2 | ENTRY
    return struct.pack("<QIIQQIIQ", thread, 0xffffff11, 0, tid << 8 | tail,
                       first, 0xffffff12, 0, rest << 8 | tail)


def block(thread, tid, records, seq=1, passed=0, lost=0, name=b"main"):
    return chunk(BLOCK, struct.pack("<QQIIQ16s", seq, passed, thread, tid,
                                    lost, name) + b"".join(records))


def histograms(tid, of):
    """of: for each function: number, total ticks, longest call, and {bucket: calls}"""
    body = struct.pack("<II16s", 1, tid, b"main")
    for function, total, longest, calls in of:
        body += struct.pack("<QQQ", function + 1, total, longest)
        body += struct.pack("<48Q", *(calls.get(i, 0) for i in range(48)))
    return chunk(HISTOGRAMS, body)


def pbd(chunks, magic=b"PBAYDATA", mark=0x01020304, version=1,
        header_size=48, committed=None, pid=42, errno=0):
    body = b"".join(chunks)
    committed = 48 + len(body) if committed is None else committed
    header = struct.pack("<8sIIIIIIQQ", magic, mark, version,
                         header_size, 62, pid, errno, 10**18, committed)
    return header + body


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".pbd"), "wb") as file:
        file.write(data)


def parent(name, size, pid=42, here=0, start_ns=10**18):
    return chunk(PARENT, struct.pack("<QQII", size, start_ns, pid, here)
                 + name.encode() + b"\0")


def wait(begin_ns, ns, flags, kernel, user):
    frames = kernel + user
    return struct.pack("<QQIHH", begin_ns, ns, flags, len(kernel), len(user)) + struct.pack(
        "<16Q", *frames, *[0] * (16 - len(frames)))


def slow_call(number, flags, off_ns, waits, nr_waits=None, caller=0x7010, stack=b"",
              stack_error=0, stack_size=None, ns=1000):
    return chunk(SLOW, struct.pack(
        "<QIIQQQQQ", number, flags, 1, 500, ns, off_ns, off_ns // 2,
        len(waits) if nr_waits is None else nr_waits) + b"".join(waits) +
        bytes(152 * (16 - len(waits))) + bytes(17 * 8) +
        struct.pack("<QQQQII", caller, 0x9000, 0, 0x8000,
                    len(stack) if stack_size is None else stack_size, stack_error) + stack)


def maps(text, length=None):
    return chunk(MAPS, struct.pack("<II", 1, len(text) if length is None else length) +
                 text)


def place(pids, nr=None):
    return chunk(PLACE, b"3c8f3f9e-0000-4000-8000-000000000000".ljust(40, b"\0") +
                 struct.pack("<QII", 4026531999, 4711, len(pids) if nr is None else nr) +
                 struct.pack("<8I", *pids, *[0] * (8 - len(pids))) +
                 b"0::/kubepods/pod1/c2\n1:name=systemd:/x\n\0")
