# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""threads: the cost of a new thread in a recorded program, by the number of existing threads."""
import dataclasses
import shutil
import tempfile
from pathlib import Path

from harness import traced, uftrace
from harness.paired import Case, Entry, measure
from harness.systems import systems
from suites.sites import NO_UFTRACE, with_control

NUMBERS = 10, 100, 1000, 5000
QUICK = 10, 100
# More slices for few threads, so that all cases start about equally many threads.
SLICES = {10: 50, 100: 10, 1000: 2, 5000: 1}
# Few rounds, because the records of each thread stay in a file.
ROUNDS, GENERATIONS = 5, 2


def run(bench):
    plan = dataclasses.replace(
        bench.plan, rounds=min(bench.plan.rounds, ROUNDS),
        generations=min(bench.plan.generations, GENERATIONS))
    for number in QUICK if bench.quick else NUMBERS:
        # Use the folder of the programs, because /tmp may be in memory.
        with tempfile.TemporaryDirectory(dir=bench.tools.cache) as logs:
            measure(case(bench.tools, number, Path(logs)), plan, bench.report)


def program(tools, system):
    """Builds the program without a tracer's library, which recording preloads."""
    table = systems(tools.product("patchbay-pass.so"))
    return tools.program(f"threads-{system}", [
        tools.object("worker.c"), tools.object("load_threads.c"),
        tools.object("hot_callee.c", table[system].flags),
        tools.object("tracer_none.c")], ["-pthread"])


def ours(tools, tracer, logs):
    recorded, log = program(tools, "ours-without-kcfi"), logs / tracer
    log.mkdir()
    # The settings of `patchbay record`, with a buffer of the default size.
    environment = {
        "LD_PRELOAD": str(tools.product("libpatchbay-trace.so")),
        "PATCHBAY": f"tracer={tracer},filter=hot_callee,output={log}"}
    return Entry(tracer, (recorded,), events=1, environment=environment,
                 proof=traced.proof("ours", tools.product("bin/patchbay"), log,
                                    recorded))


def case(tools, number, logs):
    entries = [Entry("baseline", (program(tools, "baseline"),), ()),
               ours(tools, "function_duration", logs),
               ours(tools, "function", logs)]
    skipped = ()
    if shutil.which("uftrace"):
        recorded = program(tools, "uftrace")
        entries.append(Entry(
            "uftrace", (*uftrace.RECORD, "-d", logs / "uftrace", recorded), events=2,
            proof=uftrace.proof(recorded)))
    else:
        skipped = (("uftrace", NO_UFTRACE),)
    return Case(f"{number:,} threads", SLICES[number], number, with_control(entries),
                unit="us", per="thread", skipped=skipped)
