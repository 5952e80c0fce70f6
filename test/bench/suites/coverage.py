# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""coverage: how many seconds of a busy program fit into a buffer, by tracer and threshold."""
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness import BenchError, real
from harness.report import Row, Skipped
from harness.systems import systems
from harness.uftrace import RECORD
from suites.sites import NO_UFTRACE

import recording  # in test/programs, which harness.real has added to the path

BUFFER = 1 << 20
RUNS = 3
PROGRAMS = ("lua", "sqlite")
# The tracer and the threshold of each row.
OURS = {"ours-graph": ("function_graph", None),
        "ours-graph, 10 us": ("function_graph", "10us"),
        "ours-graph, 100 us": ("function_graph", "100us"),
        "ours": ("function_duration", None),
        "ours, 10 us": ("function_duration", "10us"),
        "ours, 100 us": ("function_duration", "100us")}
UFTRACE = {"uftrace": None, "uftrace, 10 us": "10us", "uftrace, 100 us": "100us"}


@dataclass(frozen=True)
class Held:
    seconds: float  # seconds of the program that fit into the buffer
    took: float     # run time of the program
    events: int     # events of the whole run
    whole: bool     # whether the whole run fits into the buffer
    calls: int = 0  # calls in the buffer
    functions: int = 0


def run(bench):
    tools = bench.tools
    table = systems(tools.product("patchbay-pass.so"))
    for name in PROGRAMS[:1] if bench.quick else PROGRAMS:
        case = f"{name}, {BUFFER >> 20} MB"

        def add(system, trace, option, command):
            held = [trace(tools, option, command)
                    for _ in range(1 if bench.quick else RUNS)]
            report(bench.report, case, system, held)
            return held[0].events

        command = build(tools, name, table["ours-without-kcfi"])
        events = [add(system, ours, asked, command) for system, asked in OURS.items()]
        if not shutil.which("uftrace"):
            bench.report.skip(Skipped(case, "uftrace", NO_UFTRACE))
            continue
        command = build(tools, name, table["uftrace"])
        seen = [add(system, uftrace, asked, command)
                for system, asked in UFTRACE.items()]
        # uftrace replaces return addresses, so some calls of longjmp() break its recording.
        if seen[0] < events[0] * 0.9:
            raise BenchError(f"{case}: uftrace wrote {seen[0]} events, of about "
                             f"{events[0]}")


def build(tools, name, system):
    """Builds the program. Returns the command of its last workload."""
    folder = tools.cache / name
    folder.mkdir(exist_ok=True)
    workload = real.programs.load(name).workloads(folder, tools.cc, whole=True)[-1]
    return (real.build(tools, name, workload.images[0], system), *workload.command[1:])


def report(report, case, system, held):
    """Adds a row. Ratios refer to the first row of the case."""
    seconds = statistics.median(h.seconds for h in held)
    first = next((row for row in report.rows if row.case == case), None)
    note = f"of a run of {statistics.median(h.took for h in held):.2f} s"
    if held[0].functions:
        note += f"; {held[0].calls} calls of {held[0].functions} functions"
    if any(h.whole for h in held):
        note += "; all of the run takes less than the buffer, and this is in proportion"
    report.add(Row(case, system, seconds * 1e3, "ms", first and first.system,
                   first and seconds * 1e3 / first.median, rounds=len(held), note=note))


def ours(tools, asked, command):
    tracer, threshold = asked
    with tempfile.TemporaryDirectory(dir=tools.cache) as folder:
        took = timed(command, {
            "LD_PRELOAD": str(tools.product("libpatchbay-trace.so")),
            "PATCHBAY": f"tracer={tracer},filter=*,buffer={BUFFER},overwrite=1,"
                        f"output={folder}"
                        + (f",threshold={threshold}" if threshold else "")})
        files = list(Path(folder).glob("*.pbd"))
        if len(files) != 1:
            raise BenchError(f"{tracer} {threshold}: {len(files)} processes were traced")
        record = recording.Recording(files[0])
        thread, = record.threads.values()
        # Events are written at the end of a call, except entries.
        written, calls = [], []
        for at, function, _, kind, detail in record.records(thread):
            if kind == recording.ENTRY:
                written.append(at)
            else:
                written.append(at + detail)
                calls.append(function)
        if not calls:
            raise BenchError(f"{tracer} {threshold}: no call was recorded")
        seconds = (record.ns(written[-1]) - record.ns(written[0])) / 1e9
        if not record.overwritten:
            seconds = took * BUFFER / (len(written) * recording.RECORD.size)
        return Held(seconds, took, len(written) + record.overwritten,
                    not record.overwritten, len(calls), len(set(calls)))


def uftrace(tools, threshold, command):
    """uftrace writes files instead of a ring. The size of the files shows which fraction of the
    run would fit into the buffer."""
    with tempfile.TemporaryDirectory(dir=tools.cache) as folder:
        data = Path(folder, "data")
        limit = (f"--time-filter={threshold}",) if threshold else ()
        took = timed((*RECORD, "-d", data, *limit, *command))
        written = sum(path.stat().st_size for path in data.glob("*.dat")
                      if re.fullmatch(r"\d+\.dat", path.name))
    if not written:
        raise BenchError(f"uftrace {threshold}: nothing was recorded")
    return Held(took * BUFFER / written, took, written // 16, written < BUFFER)


def timed(command, environment=None):
    start = time.monotonic()
    run = subprocess.run(command, env={**os.environ, **(environment or {})}, text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    took = time.monotonic() - start
    # Refuse a run with lost events, which the size would not include.
    if run.returncode or "LOST" in run.stderr:
        raise BenchError(f"{' '.join(map(str, command))}: status {run.returncode}\n"
                         f"{run.stderr.strip()}")
    return took
