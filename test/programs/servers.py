#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs real servers under `patchbay record --live`, and controls each of their processes while
they serve clients. Answers must equal those of a stock build. The recorded calls must equal
the server's own count."""
import argparse
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import programs
import recording
from programs import ProgramError
from programs.build import Build
from programs.serving import children, is_there, memory_kb, settled, wait_until
from run import Driver

SECONDS = 120      # time limit of a command
FORKED_SECONDS = 10  # time until a forked process listens
MEMORY_KB = 4096   # permitted growth of a process under repeated requests
PR_SET_CHILD_SUBREAPER = 36

ALL, NONE, BUT_ONE = "all", "none", "but one"


def steps(tracer, function):
    """Yields pairs: a request to every process, and the functions that it then counts."""
    yield (), ALL
    if tracer == "duration":
        yield ("--threshold", "1000s"), NONE
        yield ("--threshold", "0", "--disarm", function), BUT_ONE
    else:
        yield ("--disarm", function), BUT_ONE
    yield ("--arm", function), ALL


class Serving(Driver):
    def __init__(self, args, name):
        self.prepare(args, name)
        self.images = self.program.images(self.work, args.cc)
        self.stock = self.work / "stock"

    def run(self):
        if not self.args.no_build:
            self.compile()
            self.compile_stock()
        self.check(self.images[0])
        for run in self.program.runs():
            Recorded(self, run, self.answers(run)).run()

    def compile(self):
        """Builds the program, by its makefiles if necessary."""
        if hasattr(self.program, "make"):
            self.program.make(self.work, self.folder, self.args.cc,
                              [f"-fplugin={self.build / 'lib' / 'patchbay-pass.so'}"],
                              self.args.jobs)
        else:
            super().compile()

    def compile_stock(self):
        if hasattr(self.program, "make"):
            self.program.make(self.work, self.stock, self.args.cc, [], self.args.jobs)
        else:
            # Optimization is off, because only the answers matter.
            Build(self.args.cc, self.stock, ("-O0",), jobs=self.args.jobs)(self.images)

    def answers(self, run):
        """Returns the answers of an unrecorded stock build."""
        with Started(self, self.stock, run) as started:
            answers = started.server.load()
            for scene in run.scenes:
                getattr(started.server, scene)()
                if started.server.load() != answers:
                    raise ProgramError(f"{self.name}: stock, too, answers differently "
                                       f"after {scene}")
            started.stop()
        return answers

    def say(self, run, *what):
        print(f"{self.name}, {run.name}: {', '.join(what)}", flush=True)


class Started:
    """A running server in its own folder. At the end the folder and all processes are removed."""

    def __init__(self, serving, images, run, record=()):
        self.serving = serving
        self.folder = Path(tempfile.mkdtemp(dir=serving.work))
        self.data = self.folder / "patchbay.data"
        self.before = (*record, "-o", self.data, "--") if record else ()
        self.server = serving.program.SERVER(images, self.folder, run)
        self.seen = set()  # processes

    def __enter__(self):
        command = [*self.server.user(), *self.before, *self.server.command()]
        with open(self.folder / "said", "wb") as said:
            self.process = subprocess.Popen(
                list(map(str, command)), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=said, stderr=said)
        try:
            self.server.wait_ready()
        except ProgramError as error:
            said = self.said()
            self.end()
            raise ProgramError(f"{error}; it said\n{said}")
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self.said(), file=sys.stderr)
        self.end()

    def said(self):
        return (self.folder / "said").read_text(errors="replace")[-2000:]

    def processes(self):
        found = self.server.processes()
        self.seen.update(found)
        return found

    def stop(self):
        self.processes()
        self.server.stop()
        wait_until(lambda: not any(map(is_there, self.seen)), "the server to end")
        if status := self.process.wait(SECONDS):
            raise ProgramError(f"{self.process.args}: exit code {status}, it said\n{self.said()}")
        # A daemon's recording is complete when the command's background process, now a child
        # of this process, has ended.
        wait_until(lambda: not children(os.getpid()), "the recording to end")

    def end(self):
        # This process adopts orphans, so its children include daemons.
        while found := children(os.getpid()):
            for pid in found:
                os.kill(pid, signal.SIGKILL)
            for pid in found:
                os.waitpid(pid, 0)
        shutil.rmtree(self.folder)


class Recorded:
    """A server that is recorded and controlled."""

    def __init__(self, serving, run, answers):
        self.serving, self.how, self.answers = serving, run, answers
        self.loads = self.changes = 0
        self.listening = set()
        self.counts, self.expected = {}, {}

    def run(self):
        record = (self.serving.patchbay, "record", "--live", "-t", self.how.tracer,
                  *(f"-F{glob}" for glob in self.how.filter))
        with Started(self.serving, self.serving.folder, self.how, record) as self.started:
            self.server = self.started.server
            for change, counted in steps(self.how.tracer, self.server.DISARMED):
                for pid in self.started.processes():
                    self.control(pid, *change)
                self.load(counted)
                if not change and self.how.tracer == "duration":
                    self.snapshots()
            self.pester()
            for scene in self.how.scenes:
                getattr(self.server, scene)()
                for pid in self.started.processes():
                    self.control(pid)
                self.load(ALL)
            self.started.stop()
            self.serving.say(self.how, f"{self.loads} loads answered as by stock",
                             f"{self.changes} orders to {len(self.started.seen)} processes")
            calls = self.compare(self.started.data, self.expected)
            self.serving.output(self.serving.patchbay, "info", self.started.data)
            self.serving.say(self.how, f"{calls.total()} calls of {len(calls)} functions in "
                             f"{len(self.expected.keys() - {None})} processes, as the server "
                             "counted them")

    def load(self, counted):
        self.answered(self.server.load())
        self.count(counted)

    def answered(self, answers):
        self.loads += 1
        if answers != self.answers:
            differ = sum(a != b for a, b in zip(answers, self.answers))
            raise ProgramError(f"{differ} of {len(answers)} connections got other answers "
                               "than from stock")

    def count(self, counted):
        """Adds the server's count since the last call to the expected calls."""
        now = self.server.counts()
        for pid, calls in now.items():
            new = calls - self.counts.get(pid, Counter())
            if counted == NONE:
                new.clear()
            elif counted == BUT_ONE:
                del new[self.server.DISARMED]
            self.expected.setdefault(pid, Counter()).update(new)
        self.counts = now

    def order(self, pid, *options):
        return self.serving.output(self.serving.patchbay, "live", "-p", pid, *options,
                                   timeout=SECONDS)

    def wait_to_listen(self, pid):
        """Waits until the process listens. A process that was just forked may not listen yet."""
        give_up = time.monotonic() + FORKED_SECONDS
        while pid not in self.listening:
            try:
                self.order(pid)
                self.listening.add(pid)
            except ProgramError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.1)

    def control(self, pid, *options):
        self.wait_to_listen(pid)
        said = self.order(pid, *options)
        self.changes += 1
        if not options and f"tracer     {self.how.tracer}\n" not in said:
            raise ProgramError(f"process {pid} is {said}")
        return said

    def snapshots(self):
        """Checks the calls that each process has recorded so far."""
        for pid in self.started.processes():
            folder = self.started.folder / f"snapshot-{pid}"
            self.control(pid, "--snapshot", folder)
            if expected := self.expected.get(pid):
                self.compare(folder, {pid: expected})

    def pester(self):
        """Two clients at the same time send many requests to every process, under load."""
        processes = self.started.processes()
        before = {pid: (settled(lambda: self.server.descriptors(pid)), memory_kb(pid))
                  for pid in processes}
        asked, errors = [0, 0], []

        def ask(nr):
            while asked[nr] < 3 * len(processes):
                try:
                    options = ((), ("--list",))[asked[nr] // len(processes) % 2]
                    self.control(processes[asked[nr] % len(processes)], *options)
                except ProgramError as error:
                    errors.append(error)
                    return
                asked[nr] += 1

        clients = [threading.Thread(target=ask, args=(nr,)) for nr in range(2)]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            self.answered(self.server.load())
        for error in errors:
            raise error
        self.count(ALL)
        for pid, (number, kb) in before.items():
            wait_until(lambda: self.server.descriptors(pid) <= number,
                       lambda: f"process {pid} to have {number} descriptors again, "
                               f"it has {self.server.descriptors(pid)}")
            if memory_kb(pid) > kb + MEMORY_KB:
                raise ProgramError(f"process {pid} has grown from {kb} to {memory_kb(pid)} KB")

    def compare(self, data, expected):
        """Compares the recorded calls with the server's count: per process if the count is per
        process, otherwise in total. Returns the server's count."""
        said = json.loads(self.serving.output(self.serving.patchbay, "report", "--json", "-i",
                                              data))
        found = {None: Counter({f["name"]: f["calls"] for f in said["functions"]})}
        wanted = {None: sum(expected.values(), Counter())}
        if self.how.tracer == "duration":
            names = {(f["module"], int(f["entry"], 16)): f["name"] for f in said["functions"]}
            for process in recording.check(data):
                calls = Counter()
                for where, number in process.calls().items():
                    calls[names[where]] += number
                found[process.pid] = calls
            wanted.update((pid, calls) for pid, calls in expected.items() if pid)
        for pid, calls in wanted.items():
            for name, number in sorted(calls.items()):
                if found.get(pid, Counter())[name] != number:
                    raise ProgramError(
                        f"{f'process {pid}' if pid else 'all processes'}: {name} was called "
                        f"{number} times as the server counts, {found.get(pid, {})[name]} "
                        f"times as {self.how.tracer} does")
        return wanted[None]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="+", choices=programs.SERVED)
    parser.add_argument("--no-build", action="store_true", help="run what is built")
    programs.add_places(parser)
    args = programs.read_places(parser)
    args.stock = False
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        for name in args.program:
            Serving(args, name).run()
    except (ProgramError, recording.Damage, OSError) as error:
        sys.exit(f"servers.py: {error}")


if __name__ == "__main__":
    main()
