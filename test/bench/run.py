#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks: baseline, ours and peers in one run, as ratios."""
import argparse
import importlib
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from harness import BenchError
from harness.hosts import ENGINES
from harness.paired import Plan, idle_cpu
from harness.real import PROGRAMS, ProgramError
from harness.report import Report, machine
from harness.toolchain import SOURCE, Toolchain

SUITES = sorted(path.stem.replace("_", "-")
                for path in (Path(__file__).resolve().parent / "suites")
                .glob("[!_]*.py"))


@dataclass(frozen=True)
class Bench:
    """The environment of a suite."""
    tools: Toolchain
    plan: Plan
    report: Report
    functions: int
    programs: list
    events: list
    engines: list
    quick: bool
    count: bool
    before: Path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--json", metavar="FILE", type=Path,
                        help="write the rows there, too")
    parser.add_argument("--quick", action="store_true",
                        help="few rounds: shows that it works, not how fast")
    parser.add_argument("--rounds", type=int, default=20, metavar="N",
                        help="rounds per generation (default: %(default)s)")
    parser.add_argument("--generations", type=int, default=10, metavar="N",
                        help="starts of all programs (default: %(default)s)")
    parser.add_argument("--functions", type=int, default=50000, metavar="N",
                        help="of the generated program (default: %(default)s)")
    parser.add_argument("--events", type=int, action="append", metavar="MILLIONS",
                        help="of the recordings that 'reading' reads; may be repeated "
                             "(default: 5 and 50; 500 take 12 GB, and 16 for uftrace)")
    parser.add_argument("--engine", action="append", choices=ENGINES,
                        help="that 'fleet' asks; may be repeated (default: both)")
    parser.add_argument("--program", action="append", choices=PROGRAMS,
                        help="of test/programs; may be repeated (default: all)")
    parser.add_argument("--count", action="store_true",
                        help="count instructions of compiler and linker instead of "
                             "timing them, for busy machines; takes 30 times as long")
    parser.add_argument("--cpu", type=int, metavar="N",
                        help="pin programs there (default: the idlest)")
    parser.add_argument("--before", type=Path, metavar="DIR",
                        help="the build tree of another commit, which 'startup' arms "
                             "beside this one")
    parser.add_argument("--build", type=Path, metavar="DIR",
                        default=SOURCE / "build" / "release",
                        help="build tree (default: build/release)")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.generations = 5, 1
    if args.rounds < 2 or args.generations < 1:
        parser.error("a spread needs two rounds at least")
    if args.cpu is None:
        args.cpu = idle_cpu()
    if args.cpu not in os.sched_getaffinity(0):
        parser.error(f"cannot pin programs to processor {args.cpu}")
    return args


def main():
    args = arguments()
    try:
        if platform.machine() != "x86_64":
            raise BenchError(f"no benchmark for {platform.machine()}: only x86-64 "
                             "is timed")
        # Fail before the measurements, not after them.
        if args.json and not os.access(args.json.absolute().parent, os.W_OK):
            raise BenchError(f"cannot write {args.json}: no such folder, or not "
                             "writable")
        tools = Toolchain(args.build)
        plan = Plan(args.rounds, args.generations, args.cpu)
        report = Report(args.suite, machine(tools.version, args.cpu))
        suite = importlib.import_module(f"suites.{args.suite.replace('-', '_')}")
        report.heading()
        suite.run(Bench(tools, plan, report, args.functions,
                        args.program or PROGRAMS, args.events, args.engine or ENGINES, args.quick,
                        args.count, args.before))
        if args.json:
            report.write_json(args.json)
    except (BenchError, ProgramError, OSError) as error:
        sys.exit(f"run.py: {error}")


if __name__ == "__main__":
    main()
