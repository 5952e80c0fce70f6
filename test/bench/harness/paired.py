# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares times of programs on a machine that also runs other programs.

In a *round*, each program takes one sample, in a changing order. A sample is the fastest of a
few short *slices*, or the median of many slices, so that short off-CPU times do not affect it.
A ratio compares two samples of one round, which are milliseconds apart. The result is the
median of all rounds. After some rounds all programs are restarted (a *generation*), because the
addresses of a process affect its speed, and stay the same until it ends. If the text is larger
than the caches, new copies of the file are started, because its physical pages also affect the
speed.
"""
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from . import BenchError
from .report import Row, Skipped
from .worker import Worker

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6}
# The minimum time of a call and its return, and of reading a clock twice, on any machine. A
# smaller value means that no call was measured.
CALL_MIN_NS = 0.1
SLICE_MIN_NS = 1000


@dataclass(frozen=True)
class Plan:
    rounds: int
    generations: int
    cpu: int


@dataclass(frozen=True)
class Entry:
    """One program of a case. events: the number of events that each call must cause."""
    system: str
    command: tuple
    against: tuple = ("baseline",)
    events: int = 0
    # A similar program that counts events, if the program itself cannot.
    proof: tuple = ()
    environment: dict = field(default_factory=dict)
    copy: bool = False  # run a new copy of the file in each generation
    calls: int = 0  # calls per slice, if different from the case
    note: str = ""


@dataclass(frozen=True)
class Case:
    name: str
    slices: int
    calls: int
    entries: tuple
    unit: str = "ns"
    per: str = "call"  # the timed operation, for output
    of_slices: Callable = min  # computes the sample from the slices
    warm_up: bool = True  # discard the first round of each generation
    skipped: tuple = ()  # (system, reason)


def _idle_ticks():
    with open("/proc/stat") as stat:
        fields = [line.split() for line in stat]
    return {int(name[3:]): int(ticks[3]) for name, *ticks in fields
            if name.startswith("cpu") and name != "cpu"}


def idle_cpu():
    """Returns the least busy CPU in the affinity mask."""
    before = _idle_ticks()
    time.sleep(0.2)
    after = _idle_ticks()
    return max(os.sched_getaffinity(0), key=lambda cpu: after[cpu] - before[cpu])


def _check_events(entry, worker):
    if worker.proof_events != entry.events * worker.proof_calls:
        raise BenchError(
            f"{worker.name}: {worker.proof_events} events of "
            f"{worker.proof_calls} calls, expected {entry.events} of each")


def _run(entry, plan):
    if not entry.copy:
        return Worker(entry.command, plan.cpu, entry.environment)
    program, *arguments = entry.command
    # Copy the file to a folder beside the original, where executing files is permitted.
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        copy = shutil.copy(program, folder)
        return Worker((copy, *arguments), plan.cpu, entry.environment)


def _start(case, plan):
    workers = []
    try:
        for entry in case.entries:
            if entry.proof:
                proof = Worker(entry.proof, plan.cpu, entry.environment)
                proof.stop()
                _check_events(entry, proof)
            worker = _run(entry, plan)
            workers.append(worker)
            if not entry.proof:
                _check_events(entry, worker)
    except BaseException:
        _stop(workers)
        raise
    return workers


def _stop(workers):
    for worker in workers:
        worker.stop()


def _round(case, workers, order):
    """Returns a sample of each worker, in ns per call."""
    result = [0.0] * len(workers)
    checks = {}
    for i in order:
        calls = case.entries[i].calls or case.calls
        sample = workers[i].sample(case.slices, calls)
        taken = case.of_slices(sample.times)
        if taken < SLICE_MIN_NS or taken < CALL_MIN_NS * calls:
            raise BenchError(f"{workers[i].name}: timed nothing, {calls} "
                             f"calls took {taken} ns")
        # The check value of loads with another number of calls is proportional to the number.
        checks[i] = sample.check * case.calls // calls
        result[i] = taken / calls
    if len(set(checks.values())) != 1:
        values = ", ".join(f"{case.entries[i].system} {checks[i]}"
                           for i in sorted(checks))
        raise BenchError(f"{case.name}: not the same work: {values}")
    return result


def _rounds(case, plan):
    """Returns, for each entry, the samples of all rounds."""
    choose = random.Random(case.name)
    rounds = []
    for _ in range(plan.generations):
        workers = _start(case, plan)
        try:
            order = list(range(len(workers)))
            if case.warm_up:
                _round(case, workers, order)
            for _ in range(plan.rounds):
                choose.shuffle(order)
                rounds.append(_round(case, workers, order))
        finally:
            _stop(workers)
    return list(zip(*rounds))


def rows(case, samples):
    """Returns the rows of a case from the samples of its entries."""
    scale = UNITS[case.unit]
    of_system = {}
    for entry, times in zip(case.entries, samples):
        # The second entry of a system is compared with its first entry.
        of_system.setdefault(entry.system, times)
    for entry, times in zip(case.entries, samples):
        median = statistics.median(times) / scale
        row = dict(case=case.name, system=entry.system, median=median,
                   min=min(times) / scale, unit=f"{case.unit}/{case.per}",
                   rounds=len(times), note=entry.note)
        if not entry.against:
            yield Row(**row)
        for against in entry.against:
            base = of_system[against]
            ratios = [a / b for a, b in zip(times, base)]
            over = statistics.median(a - b for a, b in zip(times, base)) / scale
            low, _, high = statistics.quantiles(ratios, n=4)
            yield Row(**row, against=against, ratio=statistics.median(ratios),
                      spread=(low, high), over=over)


def measure(case, plan, report):
    for row in rows(case, _rounds(case, plan)):
        report.add(row)
    for system, reason in case.skipped:
        report.skip(Skipped(case.name, system, reason))
