#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a busy server with rotation and a disk limit for a long time.
The server is servers/endless.c, whose threads call functions as fast as possible:

    python3 test/programs/week.py --build build/release --seconds 3600

During the recording a collector checks that each complete file has all its chunks. `patchbay
report` must be able to read the files, as many as time permits. All files together must never
use more disk space than --max-size. The process must not grow in memory, descriptors, mappings,
threads, or deleted files that are still mapped. The script ends at the first error."""
import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FINAL = re.compile(r"(\d+)\.(\d{8}T\d{6}\.\d{3}Z)\.pbd")
MEMORY_KB = 4096  # permitted growth after the first tenth of the time
MAPPINGS = 400    # limit: eight waiting files, and their blocks
OPEN = 8          # limit: threads briefly open the data file and a socket

CHUNK = struct.Struct("<IIQ")
SESSION, BLOCK, LOSSES, TEXT = 4, 6, 9, 13  # enum pbd_kind


def size_of(text):
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]]


def check_chunks(bytes_, name):
    """Parses a file by runtime/trace/format/format.h: a header, and chunks up to the end. Returns
    whether the file has events. A child that had no space for events must have counted them."""
    magic, _, _, at, _, _, error = struct.unpack_from("<8s6I", bytes_)
    committed, = struct.unpack_from("<Q", bytes_, 40)
    kinds, lost = set(), 0
    assert magic == b"PBAYDATA" and error == 0, (name, magic, error)
    assert committed <= len(bytes_), (name, committed, len(bytes_))
    while at != committed:
        kind, _, size = CHUNK.unpack_from(bytes_, at)
        assert size >= CHUNK.size and size % 8 == 0 and at + size <= committed, (name, at)
        kinds.add(kind)
        if kind == LOSSES:
            lost = sum(struct.unpack_from("<8Q", bytes_, at + 32))
        at += size
    assert {SESSION, LOSSES, TEXT} <= kinds, (name, kinds)
    assert BLOCK in kinds or lost, (name, kinds)
    return BLOCK in kinds


class Process:
    """The properties of the process that must not grow."""

    def __init__(self, pid):
        self.pid = pid

    def read(self, name):
        with open(f"/proc/{self.pid}/{name}", encoding="utf-8") as file:
            return file.read()

    def state(self):
        maps = self.read("maps").splitlines()
        return {
            "KB of memory": int(re.search(r"RssAnon:\s+(\d+)",
                                          self.read("status")).group(1)),
            "descriptors": len(os.listdir(f"/proc/{self.pid}/fd")),
            "mappings": len(maps),
            "mappings of deleted files": sum(".pbd (deleted)" in line for line in maps),
        }


class Collector:
    def __init__(self, args, folder):
        self.args, self.data, self.own = args, f"{folder}/data", f"{folder}/own"
        self.limit = size_of(args.max_size)
        self.seen, self.read, self.gone, self.empty = set(), 0, 0, set()
        self.bytes = self.most = self.calls = self.lost = 0

    def taken(self):
        """Current disk usage, without the block where a file system may store a file's extents.
        Files may be removed or renamed meanwhile."""
        taken = {}
        for entry in os.scandir(self.data):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            taken[status.st_ino] = min(status.st_blocks * 512, -(-status.st_size // 4096) * 4096)
        return sum(taken.values())

    def check_limit(self):
        taken = self.taken()
        self.most = max(self.most, taken)
        # The limit does not include the file with the command line.
        assert taken <= self.limit + 4096, f"{taken} bytes of the disk"

    def collect(self):
        for name in sorted(os.listdir(self.data)):
            if not FINAL.fullmatch(name) or name in self.seen:
                continue
            self.seen.add(name)
            try:
                with open(f"{self.data}/{name}", "rb") as file:
                    bytes_ = file.read()
            except FileNotFoundError:
                self.gone += 1
                continue
            self.bytes += len(bytes_)
            if not check_chunks(bytes_, name):
                self.empty.add(name)

    def report(self, name):
        """Reads a single file, like a collector that has moved the file."""
        shutil.rmtree(self.own, ignore_errors=True)
        os.mkdir(self.own)
        try:
            os.link(f"{self.data}/{name}", f"{self.own}/{name}")
        except FileNotFoundError:
            return
        done = subprocess.run(
            [f"{self.args.build}/bin/patchbay", "report", "--json", self.own],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        report = json.loads(done.stdout or "{}")
        # report exits with 1 if a child could not create a file.
        expected = 1 if report.get("lost_of_children") else 0
        assert done.returncode == expected, (name, done.stderr)
        self.calls += sum(f["calls"] for f in report["functions"])
        self.lost += report["lost"] + report["lost_of_children"]
        names = {f["name"] for f in report["functions"]}
        assert names <= {"parse", "handle"} and names, names
        assert sum(f["calls"] for f in report["functions"]), name
        shutil.rmtree(self.own)
        self.read += 1

    def newest(self):
        names = [name for name in os.listdir(self.data)
                 if name in self.seen and name not in self.empty]
        return max(names, key=lambda name: FINAL.fullmatch(name).group(2), default=None)


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return int(file.read().split()[0])


def check_growth(before, after):
    for what, was in before.items():
        more = {"KB of memory": MEMORY_KB, "mappings": MAPPINGS, "descriptors": OPEN,
                "mappings of deleted files": MAPPINGS}.get(what, 0)
        assert after[what] <= was + more, f"{after[what]} {what}, {was} before"


def watch(args, collector, process):
    begin = time.monotonic()
    first, last = {}, {}
    while (passed := time.monotonic() - begin) < args.seconds:
        collector.check_limit()
        collector.collect()
        if name := collector.newest():
            collector.report(name)
        state = process.state()
        into = first if passed < max(args.seconds / 10, 1) else last
        for what, value in state.items():
            into[what] = max(into.get(what, 0), value)
        time.sleep(0.02)
    check_growth(first, last)
    return last


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-size", default="64M")
    parser.add_argument("--rotate-size", default="8M")
    parser.add_argument("--tracer", default="function_duration")
    parser.add_argument("--work", help="where the data go, of a disk that is to be used")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        subprocess.run([args.cc, "-O2", f"-fplugin={args.build}/lib/patchbay-pass.so",
                        f"{HERE}/servers/endless.c", "-o", f"{folder}/endless",
                        "-lpthread"], check=True)
        recording = subprocess.Popen(
            [f"{args.build}/bin/patchbay", "record", "-t", args.tracer, "-F", "parse", "-F",
             "handle", "--rotate-size", args.rotate_size, "--rotate-every", "1s",
             "--max-size", args.max_size, "-o", f"{folder}/data", "--",
             f"{folder}/endless", *["thread"] * args.threads],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert recording.stdout.readline() == "ready\n", recording.stderr.read()
            collector = Collector(args, folder)
            process = Process(child_of(recording.pid))
            state = watch(args, collector, process)
            said = recording.communicate("\n", timeout=120)[1]
        finally:
            if recording.poll() is None:
                os.kill(child_of(recording.pid), 9)
                recording.kill()
        assert recording.returncode == 0, (recording.returncode, said)
        names = [name for name in os.listdir(f"{folder}/data") if name != ".command"]
        assert all(FINAL.fullmatch(name) for name in names), names
        collector.check_limit()
        collector.collect()
        # Files may only be deleted when the limit is reached.
        assert collector.bytes < collector.limit or \
            collector.taken() > collector.limit / 4, f"{collector.taken()} bytes are left"
        for name in names:
            if name not in collector.empty:
                collector.report(name)
        sys.stderr.write(said)
        print(f"{len(collector.seen)} files seen of {collector.bytes >> 20} MB in "
              f"{args.seconds:g} s, {collector.gone} gone before they could be opened, "
              f"{len(collector.empty)} without room for an event")
        print(f"{collector.read} files read by patchbay report: {collector.calls} calls, "
              f"{collector.lost} events lost")
        print(f"at most {collector.most} bytes of the disk, of {collector.limit}")
        print("at the end at most " + ", ".join(f"{v} {k}" for k, v in state.items()))
        print("every file is readable, limits are kept, nothing has grown")


main()
