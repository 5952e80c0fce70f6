#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a recording of function_graph or function_duration, record by record:

    recording.py [--cut] FOLDER

Each exit has an entry of the same call. Two calls of a thread are nested or do not overlap.
Self times add up to the times of the outermost calls. Calls may lack an end only at the end of
a thread, if longjmp() left them, or with --cut if functions were disarmed during the calls.

This script parses the files itself, by runtime/trace/format/format.h, in the order of writing,
so sorting by `patchbay` does not affect the results.
"""
import argparse
import mmap
import struct
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HEADER = struct.Struct("<8sIIIIIIQQ")
CHUNK = struct.Struct("<IIQ")
MODULE = struct.Struct("<IIQ32s")
FUNCTIONS = struct.Struct("<IIQ")
PARENT = struct.Struct("<QQII")
EXPLAIN = (2, 5, 12, 13)  # types of chunks that describe functions
SESSION = struct.Struct("<IIQQQQ9QQ64s64s")
BLOCK = struct.Struct("<QQIIQ16s")
RECORD = struct.Struct("<QIIQ")
ENTRY, CALL, UNWOUND = 1, 2, 3
OVERWRITE = 1
JUMPED = 0xffffff0f  # longjmp() left the call of the next record
THREAD = 0xffffff11  # the following records are of another thread


def is_of_pass(last, passed):
    """Is a record valid? Others are holes, or records of an earlier pass."""
    return last & 3 and last >> 2 & 63 == passed & 63


class Damage(Exception):
    """A recording contradicts itself."""


@dataclass
class Thread:
    tid: int = 0
    name: str = ""
    blocks: list = field(default_factory=list)  # (seq, pass, bytes)
    # Results:
    entries: int = 0
    exits: int = 0
    unwound: int = 0    # unwound: left by an exception, or longjmp()
    jumped: int = 0     # jumped: left by longjmp()
    cut: int = 0        # calls without an end, although their thread made later calls
    unfinished: int = 0
    outermost: int = 0  # ticks of the outermost calls
    own: int = 0        # self ticks of all calls
    first: int = 0
    last: int = 0
    calls: Counter = field(default_factory=Counter)  # by number of the function


def opened(path):
    """Reads a file: (bytes, pid, error, start_ns, start of chunks, end)"""
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    magic, order, version, at, _, pid, error, start_ns, end = HEADER.unpack_from(data)
    if (magic, order) != (b"PBAYDATA", 0x01020304) or version not in (1, 2, 3):
        raise Damage(f"{path}: not a data file that is known here")
    return data, pid, error, start_ns, at, end


def chunks(data, at, end):
    while at < end:
        kind, _, size = CHUNK.unpack_from(data, at)
        yield kind, data[at + CHUNK.size:at + size]
        at += size


class Recording:
    """One file. The tracer's numbers identify threads."""

    def __init__(self, path):
        self.path, self.threads, self.lost = path, {}, 0
        self.overwritten = 0
        self.session, self.modules, self.functions = None, {}, {}
        self.parent = None
        blocks = []  # (number of the thread, seq, pass, records)
        self.data, self.pid, error, self.start_ns, at, end = opened(path)
        if error:
            raise Damage(f"{path}: the tracer met error {error}")
        for kind, body in chunks(self.data, at, end):
            self._chunk(kind, body, blocks)
        if self.parent:
            self._explain(path, *self.parent)
        for block in sorted(blocks, key=lambda block: block[:3]):
            self._share_out(*block)

    def _explain(self, path, size, start_ns, pid, name):
        """Reads a forked child's functions from its parent's file."""
        path = Path(path).parent / name
        data, of_pid, _, of_start_ns, at, _ = opened(path)
        if (of_pid, of_start_ns) != (pid, start_ns):
            raise Damage(f"{path}: of another process than {self.path} refers to")
        self.parent = None
        own, self.modules = self.modules, {}
        for kind, body in chunks(data, at, size):
            if kind in EXPLAIN:
                self._chunk(kind, body, [])
        self.modules.update(own)
        if self.parent:
            self._explain(path, *self.parent)

    def _share_out(self, number, seq, passed, records):
        """Splits a block by thread, because a new thread may continue the block of an ended one."""
        begin = 0
        if self.session and self.session[1] & OVERWRITE:
            for i, (of, function, _, last) in enumerate(RECORD.iter_unpack(records)):
                if function != THREAD or not is_of_pass(last, passed):
                    continue
                at = i * RECORD.size
                self.threads[number].blocks.append((seq, passed, records[begin:at]))
                number, begin = of, at + 2 * RECORD.size
                first, _, _, rest = RECORD.unpack(records[at + RECORD.size:begin])
                thread = self.threads.setdefault(number, Thread())
                thread.tid = last >> 8
                thread.name = thread.name or struct.pack(
                    "<QQ", first, rest >> 8).partition(b"\0")[0].decode()
        self.threads[number].blocks.append((seq, passed, records[begin:]))

    def _chunk(self, kind, body, blocks):
        if kind == 2:
            number, *_ = MODULE.unpack_from(body)
            path = bytes(body[MODULE.size:])
            self.modules[number] = path.partition(b"\0")[0].decode()
        elif kind in (5, 13):
            module, number, first = FUNCTIONS.unpack_from(body)
            entries = struct.unpack_from(f"<{number}Q", body, FUNCTIONS.size)
            for at, entry in enumerate(entries):
                number = first + (at if kind == 5 else entry) & 2**64 - 1
                self.functions.setdefault(number, (self.modules[module], entry))
        elif kind == 12:
            size, start_ns, pid, here = PARENT.unpack_from(body)
            name = bytes(body[PARENT.size:]).partition(b"\0")[0].decode()
            self.parent = None if here else (size, start_ns, pid, name)
        elif kind == 4:
            self.session = SESSION.unpack_from(body)
            self.lost += self.session[4]
            self.overwritten = self.session[5]
        elif kind == 6:
            seq, passed, number, tid, lost, name = BLOCK.unpack_from(body)
            thread = self.threads.setdefault(number, Thread())
            thread.tid, thread.name = tid, name.partition(b"\0")[0].decode()
            records = body[BLOCK.size:]
            whole = len(records) // RECORD.size * RECORD.size
            blocks.append((number, seq, passed, records[:whole]))
            self.lost += lost

    def calls(self):
        """Counts calls of functions, by path and address in the module."""
        calls = Counter()
        for thread in self.threads.values():
            for number, times in thread.calls.items():
                calls[self.functions[number]] += times
        return calls

    @property
    def tracer(self):
        return self.session[-2].partition(b"\0")[0].decode()

    def ns(self, ticks):
        """Converts ticks to CLOCK_MONOTONIC."""
        first_ticks, first_ns = self.session[6:8]
        return first_ns + self.duration_ns(ticks - first_ticks)

    def duration_ns(self, ticks):
        first_ticks, first_ns = self.session[6:8]
        last = 9 + 3 * (self.session[15] % 2)
        last_ticks, last_ns = self.session[last:last + 2]
        if last_ticks <= first_ticks:
            raise Damage(f"{self.path}: its clock was read once")
        return ticks * (last_ns - first_ns) / (last_ticks - first_ticks)

    def records(self, thread):
        """Yields (time, function, frame, kind, detail) in the order of writing."""
        for _, passed, records in sorted(thread.blocks, key=lambda block: block[:2]):
            for time, function, frame, last in RECORD.iter_unpack(records):
                if is_of_pass(last, passed):
                    yield time, function, frame, last & 3, last >> 8

    def check(self):
        for number in sorted(self.threads):
            thread = self.threads[number]
            try:
                check_thread(thread, self.records(thread), self.tracer == "function_graph")
            except Damage as damage:
                raise Damage(f"{self.path}: thread {number}, {thread.name}: {damage}")


def check_thread(thread, records, graph):
    open_calls = []  # entries without an exit so far, the outermost first
    ended = []       # (start, end) of ended calls whose parent has not ended
    for time, function, frame, kind, detail in records:
        if function == JUMPED:
            thread.jumped += 1
            continue
        if kind == ENTRY:
            thread.entries += 1
            thread.calls[function] += 1
            open_calls.append((time, function, frame))
            continue
        thread.exits += 1
        thread.unwound += kind == UNWOUND
        if graph:
            close(thread, open_calls, (time, function, frame))
        else:
            thread.calls[function] += 1
        end = time + detail
        own = detail
        while ended and ended[-1][0] >= time:
            inner_start, inner_end = ended.pop()
            if inner_end > end:
                raise Damage(f"a call of function {function}, from {time} to {end}, ends "
                             f"within one from {inner_start} to {inner_end}")
            own -= inner_end - inner_start
        if ended and ended[-1][1] > time:
            raise Damage(f"a call of function {function}, from {time} to {end}, begins "
                         f"within one from {ended[-1][0]} to {ended[-1][1]}")
        ended.append((time, end))
        thread.own += own
    thread.unfinished = len(open_calls)
    thread.outermost = sum(end - start for start, end in ended)
    thread.first = min([start for start, _ in ended] + [call[0] for call in open_calls],
                       default=0)
    thread.last = ended[-1][1] if ended else thread.first
    if thread.own != thread.outermost:
        raise Damage(f"calls took {thread.own} ticks themselves, the outermost "
                     f"{thread.outermost}")


def close(thread, open_calls, call):
    while open_calls and open_calls[-1] != call:
        open_calls.pop()
        thread.cut += 1
    if not open_calls:
        raise Damage(f"function {call[1]}, called at {call[0]}, has an exit and no entry")
    open_calls.pop()


def check(folder, cut=False):
    """Yields the recordings in the folder, checked."""
    recordings = [Recording(path) for path in sorted(Path(folder).glob("*.pbd"))]
    recordings = [recording for recording in recordings if recording.session]
    for recording in recordings:
        recording.check()
        if recording.lost:
            raise Damage(f"{recording.path}: {recording.lost} events were lost")
        for number, thread in recording.threads.items():
            if thread.cut and not cut:
                raise Damage(f"{recording.path}: thread {number}, {thread.name}: "
                             f"{thread.cut} calls have an entry and no exit")
    if not any(thread.exits for recording in recordings
               for thread in recording.threads.values()):
        raise Damage(f"{folder}: no call was recorded")
    return recordings


def summary(recordings):
    threads = [thread for recording in recordings
               for thread in recording.threads.values()]
    exits = sum(thread.exits for thread in threads)
    said = f"{exits} calls of {len(threads)} threads in {len(recordings)} processes"
    if unwound := sum(thread.unwound for thread in threads):
        said += f", {unwound} unwound"
    if any(thread.entries for thread in threads):
        said += (f", {sum(thread.entries for thread in threads)} entries, "
                 f"{sum(thread.cut for thread in threads)} cut off, "
                 f"{sum(thread.unfinished for thread in threads)} unfinished")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--cut", action="store_true",
                        help="longjmp() is called, or functions were disarmed")
    args = parser.parse_args()
    try:
        print(summary(check(args.folder, args.cut)))
    except (Damage, OSError) as error:
        sys.exit(f"recording.py: {error}")


if __name__ == "__main__":
    main()
