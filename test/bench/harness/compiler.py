# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the compiler, in two ways.

*CPU time* is reported by the kernel when a process ends. A round compiles one file with all
systems in turn and then in reverse order (A B B A), so that steady changes of load or
temperature affect all systems equally. The next round compiles the next file, because many
short rounds give more information than few long rounds.

*Instructions* are counted by valgrind. Their number hardly differs between runs, even on a busy
machine, so one run suffices, and a tenth of a percent is significant. But instructions take
different times.
"""
import os
import re
import subprocess
import time
from dataclasses import dataclass

from . import BenchError
from .paired import Case, rows
from .report import Row

VALGRIND = ("valgrind", "--tool=cachegrind", "--cache-sim=no",
            "--cachegrind-out-file=/dev/null")
SECONDS = 300  # start no new round after this time


@dataclass(frozen=True)
class Compiler:
    """A compiler that compiles some files, one after another."""
    system: str
    commands: tuple  # each ends with the object file
    against: tuple = ()
    note: str = ""


def _run(command, cpu):
    """Runs one process. Returns its CPU time and its output."""
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    with process.stderr:
        said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchError(f"{' '.join(command)}: failed\n{said.strip()}")
    return usage.ru_utime + usage.ru_stime, said


def time_rows(name, compilers, plan):
    """Returns rows with the CPU time of a compiler run, in ms."""
    rounds = []
    turn = range(len(compilers))
    files = len(compilers[0].commands)
    start = time.monotonic()
    while len(rounds) < max(files, 2) or (
            len(rounds) < plan.rounds * plan.generations
            and time.monotonic() < start + SECONDS):
        times = [0] * len(compilers)
        for i in (*turn, *reversed(turn)):
            command = compilers[i].commands[len(rounds) % files]
            times[i] += _run(command, plan.cpu)[0] * 1e9 / 2
        rounds.append(times)
    case = Case(f"{name}, time", 1, 1, tuple(compilers), unit="ms", per="run")
    return rows(case, list(zip(*rounds)))


def _instructions(command, cpu):
    _, said = _run((*VALGRIND, *command), cpu)
    found = re.search(r"I +refs: +([\d,]+)", said)
    if not found:
        raise BenchError(f"{' '.join(command)}: valgrind counted nothing: {said.strip()}")
    return int(found[1].replace(",", ""))


def instruction_rows(name, compilers, plan):
    return _figures(f"{name}, instructions", compilers, "millions", lambda command:
                    _instructions(command, plan.cpu) / 1e6)


def object_rows(name, compilers):
    """Returns rows with the sizes of the last object files."""
    return _figures(f"{name}, objects", compilers, "kB", lambda command:
                    os.path.getsize(command[-1]) / 1e3)


def _figures(case, compilers, unit, figure):
    """Makes rows of figures that are equal in all runs, so that one run suffices."""
    figures = {}
    for compiler in compilers:
        here = figures[compiler.system] = sum(map(figure, compiler.commands))
        for against in compiler.against or (None,):
            there = figures.get(against)
            yield Row(case, compiler.system, here, unit, against,
                      here / there if there else None,
                      over=here - there if there else None)
