# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the CPU time of recording each call to a file, by each tracer's command in its default
mode: of the traced thread, and of the command that writes the file."""
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from . import BenchError
from .report import Row

EARLIER = 100000  # calls before the program begins to measure


@dataclass(frozen=True)
class Recording:
    """A tracer's recording. command(FOLDER) is the prefix of the command line that records to
    FOLDER; kept(FOLDER) counts the calls in the recording."""
    system: str
    program: os.PathLike
    command: Callable = lambda folder: ()
    arguments: tuple = ()
    kept: Callable = None
    environment: Callable = lambda folder: {}
    note: str = ""


@dataclass(frozen=True)
class Times:
    """The costs of a recorded call, in ns."""
    user: float
    kernel: float
    recorder: float
    kept: float  # the fraction of the calls that the file contains

    @property
    def all(self):
        return self.user + self.kernel + self.recorder


def _run(recording, folder, calls):
    """Returns user and kernel time of the calls, and CPU time of all other processes."""
    command = [*recording.command(folder), recording.program, calls, *recording.arguments]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **recording.environment(folder)})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        times = re.search(r"^(\d+) (\d+) (\d+)$", output.read(), re.MULTILINE)
    if process.returncode or not times:
        raise BenchError(f"{recording.system}: exit status {process.returncode}")
    user, kernel, program = map(int, times.groups())
    return user, kernel, (usage.ru_utime + usage.ru_stime) * 1e9 - program


def _times(recording, folder, calls):
    def run(number):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return _run(recording, folder, number)

    # Subtract the CPU time of the command's other work, such as reading the program's file.
    other = run(1)[2]
    user, kernel, recorder = run(calls)
    made = calls + min(calls, EARLIER)
    kept = recording.kept(folder) / made if recording.kept else 0
    shutil.rmtree(folder)
    return Times(user / calls, kernel / calls, max(recorder - other, 0) / made, kept)


def measure(case, recordings, folder, calls, rounds, report):
    """Measures all recordings, one after another in each round."""
    found = {recording.system: [] for recording in recordings}
    for _ in range(rounds):
        for recording in recordings:
            found[recording.system].append(_times(recording, folder / "log", calls))
    base = statistics.median(times.all for times in found[recordings[0].system])
    for recording in recordings:
        report.add(row(case, recording, found[recording.system], base))


def row(case, recording, times, base):
    def median(of):
        return statistics.median(getattr(each, of) for each in times)

    parts = {of: round(median(of), 1) for of in ("user", "kernel", "recorder")}
    if recording.kept:
        parts["kept"] = f"{100 * min(each.kept for each in times):.0f}%"
    return Row(case, recording.system, median("all"), "ns/call", rounds=len(times),
               min=min(each.all for each in times), over=median("all") - base,
               note=recording.note, parts=parts)
