#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces every call of every function of real programs. Checks that the recording is consistent
(recording.py), and compares it with the counts of function_profile, with a clock around the
program, and with the sums of the report."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter

import programs
import recording
from programs import ProgramError
from run import Driver, words

# Tolerance between the counter's time and the system's clock, for the error of the counter's
# rate, and for reading both clocks.
CLOCK_ERROR = 1e-5
CLOCK_ERROR_NS = 50_000


class Tracing(Driver):
    def __init__(self, args, name):
        self.prepare(args, name)
        self.workloads = self.program.workloads(self.work, args.cc, args.whole)
        self.images = list(dict.fromkeys(
            image for workload in self.workloads for image in workload.images))
        self.run_folder = self.work / "traced"
        self.run_folder.mkdir(exist_ok=True)

    def run(self):
        if not self.args.no_build:
            self.compile()
        for workload in self.workloads:
            self.make_data(workload)
            self.trace(workload)

    def make_data(self, workload):
        if workload.data:
            name, (image, *arguments) = workload.data
            with open(self.run_folder / name, "wb") as file:
                subprocess.run((self.folder / image, *arguments), stdout=file,
                               check=True)

    def trace(self, workload):
        # Run once before the comparison, so that the output file exists in all compared runs.
        plain, _ = self.timed(workload)
        self.say(workload, f"{ms(plain)} untraced")
        try:
            counted = self.counted(self.recorded(workload, "function_profile")[0])
            data, wall, _ = self.recorded(workload, "function_graph")
            graph = recording.check(data, workload.jumps)
            # Some functions cannot have exits, for example those with a variable number of
            # arguments.
            traced = {where for r in graph for where in r.functions.values()}
            left_out = sum(where not in traced for where in counted)
            if workload.same:
                agree(counted, sum((r.calls() for r in graph), Counter()), traced)
            self.say(workload, f"{ms(wall)}, {recording.summary(graph)}",
                     f"of {len(counted) - left_out} functions, {left_out} left out",
                     "calls as function_profile counts them" if workload.same else
                     "calls differ from run to run")
            data, wall, pid = self.recorded(workload, "function_duration")
            durations = recording.check(data)
            self.say(workload, f"{ms(wall)}, {recording.summary(durations)}",
                     self.times(durations, pid, wall))
            self.report(data, durations)
        except recording.Damage as damage:
            raise ProgramError(f"{words(workload)}: {damage}")

    def say(self, workload, *what):
        print(f"{self.name}: {words(workload)}: {', '.join(what)}", flush=True)

    def recorded(self, workload, tracer):
        """Returns the folder of the recording, the start and end times, and the PID."""
        data = self.work / "patchbay.data"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        library = self.build / "lib" / "libpatchbay-trace.so"
        wall, pid = self.timed(workload, f"LD_PRELOAD={library}", "PATCHBAY="
                               f"tracer={tracer},filter=*,buffer=64G,output={data}")
        return data, wall, pid

    def timed(self, workload, *environment):
        """The command without ASLR, because some programs hash addresses."""
        image, *arguments = workload.command
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        process = subprocess.Popen(
            ("setarch", "-R", "env", *environment, self.folder / image, *arguments),
            cwd=self.run_folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")
        said, _ = process.communicate()
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if process.returncode:
            raise ProgramError(f"{words(workload)}: exit code {process.returncode}\n"
                               f"{said[-2000:]}")
        return (before, after), process.pid

    def counted(self, data):
        said = json.loads(self.output(self.patchbay, "report", "--json", "-i", data))
        return Counter({(function["module"], int(function["entry"], 16)): function["calls"]
                        for function in said["functions"]})

    def times(self, recordings, pid, wall):
        """Checks that all events are between start and end, and that the outermost calls of a
        thread do not take longer."""
        main = next(r for r in recordings if r.pid == pid)
        error = CLOCK_ERROR_NS + CLOCK_ERROR * (wall[1] - wall[0])
        covered = []
        for thread in main.threads.values():
            first, last = main.ns(thread.first), main.ns(thread.last)
            if first < wall[0] - error or last > wall[1] + error:
                raise recording.Damage(f"calls from {first:.0f} to {last:.0f} ns, of a run "
                                       f"from {wall[0]} to {wall[1]} ns")
            covered.append(main.duration_ns(thread.outermost))
        if covered[0] > wall[1] - wall[0] + error:
            raise recording.Damage(f"calls took {covered[0]:.0f} ns of {wall[1] - wall[0]}")
        return f"{covered[0] / 1e6:.1f} ms of them in calls of the main thread"

    def report(self, data, recordings):
        """Checks that the sums of `patchbay report` equal the records', except for rounding."""
        said = json.loads(self.output(self.patchbay, "report", "--json", "-i", data))
        calls = sum(function["calls"] for function in said["functions"])
        own = sum(function["self_ns"] for function in said["functions"])
        threads = [(r, thread) for r in recordings for thread in r.threads.values()]
        recorded = sum(thread.exits for _, thread in threads)
        ns = sum(r.duration_ns(thread.outermost) for r, thread in threads)
        if calls != recorded:
            raise recording.Damage(f"{calls} calls are reported, {recorded} were recorded")
        if abs(own - ns) > calls + CLOCK_ERROR_NS:
            raise recording.Damage(f"{own} ns are reported, {ns:.0f} were recorded")


def ms(wall):
    return f"{(wall[1] - wall[0]) / 1e6:.1f} ms"


def agree(counted, recorded, traced):
    """Compares the counts of one run with the recorded calls of another run."""
    differ = {where for where in traced if counted[where] != recorded[where]}
    if differ:
        module, entry = where = min(differ)
        raise recording.Damage(
            f"of {len(traced)} functions {len(differ)} differ: the one at {entry:#x} of "
            f"{module} was called {counted[where]} times by function_profile's count, "
            f"{recorded[where]} times by function_graph's events")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="+", choices=programs.TRACED)
    parser.add_argument("--whole", action="store_true",
                        help="longer runs: gigabytes of events, many minutes")
    parser.add_argument("--no-build", action="store_true", help="trace what is built")
    programs.add_places(parser)
    args = programs.read_places(parser)
    args.stock = False
    try:
        for name in args.program:
            Tracing(args, name).run()
    except (ProgramError, OSError) as error:
        sys.exit(f"trace.py: {error}")


if __name__ == "__main__":
    main()
