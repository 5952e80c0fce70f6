#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a server with an unmodified allocator, makes every function patchable, and records it
repeatedly under load:

    python3 test/programs/allocators.py jemalloc|mimalloc|tcmalloc --times 1000

Each recording covers all functions for 50 ms; every second one only counts calls. The recording
must be readable. If no event is lost, it must have the calls that the server counted at the
same time, and the calls of malloc() inside these calls. Every answer must be right. Afterwards
the server must have the same threads and descriptors, and about the same memory. If a command
hangs, the script prints where its threads and the server's threads wait."""
import argparse
import contextlib
import glob
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import programs
import visits
from programs import ProgramError
from run import Driver

NAMES = ("jemalloc", "mimalloc", "tcmalloc")
OTHERS = ("function_duration", "function", "function_graph")
MALLOC = ("malloc", "mi_malloc", "je_malloc", "tc_malloc")
BLOCKS = 32     # of each request, see servers/allocating.cpp
SECONDS = 300   # time limit of a command, even on a busy machine


def ask(server):
    number = random.randrange(1000)
    server.sendall(b"%d\n" % number)
    said = visits.receive(server, b"\n")
    assert int(said) == sum((number + i) & 255 for i in range(BLOCKS)), (number, said)


def read_counts(path):
    """Returns (begun, done)."""
    return struct.unpack("<qq", Path(path).read_bytes())


def describe_threads(pid):
    """The location of each thread of a process, from the kernel and from gdb."""
    for task in sorted(glob.glob(f"/proc/{pid}/task/*")):
        for name in ("comm", "wchan", "syscall", "stack"):
            with contextlib.suppress(OSError):
                yield f"{task}/{name}: {Path(task, name).read_text().strip()}"
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        yield subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=60, check=False).stdout


class Attaching(Driver):
    def __init__(self, args, name):
        self.prepare(args, name)
        self.images = self.program.images(self.work, args.cc)
        self.times = {"attached": 0, "lost": 0, "exact": 0}
        self.calls = {"answerRequest": 0, "malloc": 0}

    def run(self):
        if not self.args.no_build:
            self.compile()
        self.check(self.images[0])
        port = visits.free_port()
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            self.counts = f"{folder}/counts"
            command = [self.folder / self.name, str(port), self.counts]
            self.server = subprocess.Popen(list(map(str, command)), cwd=folder)
            try:
                visits.await_server(self.server, self.name, port)
                load = visits.Load(port, ask, 0, self.args.pause)
                try:
                    load.await_connections()
                    self.attach_often(folder)
                finally:
                    answers = load.end()
                begun, done = read_counts(self.counts)
                if self.server.poll() is not None or begun != done or done != answers:
                    raise ProgramError(f"the server: {self.server.poll()}, {begun} requests, "
                                       f"{done} done, {answers} answered")
            finally:
                self.server.kill()
                self.server.wait()
        print(f"{self.name}: attached {self.times['attached']} times, {self.times['exact']} times all "
              f"calls as counted, {self.times['lost']} times some named as lost; "
              f"{answers} answers right, {self.calls['answerRequest']} of them recorded, "
              f"{self.calls['malloc']} calls of malloc()", flush=True)

    def attach_often(self, folder):
        pid = self.server.pid
        before = {name: visits.count(pid, name) for name in ("fd", "task")}
        memory = None
        end = time.monotonic() + self.args.seconds
        for number in range(self.args.times):
            tracer = OTHERS[number // 2 % len(OTHERS)] if number % 2 else None
            self.attach(folder, tracer)
            self.times["attached"] += 1
            # Measure late in long runs: some allocators grow at first even without a tracer.
            if number + 1 == max(visits.WARM, self.args.times // 2):
                memory = visits.memory_kb(pid)
            if time.monotonic() > end:
                break
        visits.check_left(pid, before, memory)

    def attach(self, folder, tracer):
        data = f"{folder}/data"
        options = ("-t", tracer or "count")
        _, done = read_counts(self.counts)
        self.command("record", "-p", str(self.server.pid), "-o", data, *options, "--", "sh", "-c",
                     f"cat {self.counts} > {folder}/before; sleep 0.05; "
                     f"cat {self.counts} > {folder}/after")
        begun, _ = read_counts(self.counts)
        least = read_counts(f"{folder}/after")[1] - read_counts(f"{folder}/before")[0]
        report = self.command("report", "--json", "-i", data)
        self.compare(report, tracer or "count", least, begun - done)

    def compare(self, report, tracer, least, most):
        functions = json.loads(report.stdout)["functions"]
        calls = {name: sum(f["calls"] for f in functions if f["name"] in names)
                 for name, names in (("answerRequest", ("answerRequest",)), ("malloc", MALLOC))}
        if calls["answerRequest"] > most:
            raise ProgramError(f"{tracer}: {calls['answerRequest']} requests recorded, of at most "
                               f"{most}")
        missing = (calls["answerRequest"] < least or calls["malloc"] < BLOCKS * least)
        if missing and not re.search(r"lost|missed", report.stderr):
            raise ProgramError(f"{tracer}: {calls} recorded, of at least {least} requests; "
                               f"it said {report.stderr!r}")
        self.times["lost" if missing else "exact"] += 1
        for name, number in calls.items():
            self.calls[name] += number

    def command(self, *words):
        """Runs the command and returns its output. The command must end in time, with status 0."""
        with subprocess.Popen([self.patchbay, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            try:
                out, err = run.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                for pid in (run.pid, self.server.pid):
                    print(*describe_threads(pid), sep="\n", file=sys.stderr)
                run.kill()
                raise ProgramError(f"patchbay {' '.join(words)}: not finished after {SECONDS} s")
        if run.returncode or "error:" in err:
            raise ProgramError(f"patchbay {' '.join(words)}: exit code {run.returncode}, server "
                               f"{self.server.poll()}\n{err}")
        return subprocess.CompletedProcess(words, run.returncode, out, err)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="+", choices=NAMES)
    parser.add_argument("--times", type=int, default=20, metavar="N", help="attach N times (20)")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S",
                        help="after which it is enough, however often it attached")
    parser.add_argument("--pause", type=float, default=0, metavar="S",
                        help="seconds between two questions of a client (0)")
    parser.add_argument("--no-build", action="store_true", help="run what is built")
    programs.add_places(parser)
    args = programs.read_places(parser)
    args.stock = False
    try:
        for name in args.program:
            Attaching(args, name).run()
    except (ProgramError, OSError) as error:
        sys.exit(f"allocators.py: {error}")


if __name__ == "__main__":
    main()
