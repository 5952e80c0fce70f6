# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""records: the cost of recording a call in fewer bytes (src/hot_record.c)."""
import shutil

from harness import callgrind
from harness.paired import Case, Entry, measure
from harness.report import Row, Skipped
from harness.systems import systems
from harness.toolchain import SOURCE
from suites.sites import CALLS, Hot, with_control

FORMS = (24, 16, 12, 8)
COUNTED_CALLS = 100000
AS_IS = "24 bytes"


def run(bench):
    tools = bench.tools
    hot = Hot(tools, systems(tools.product("patchbay-pass.so")))
    folders = [SOURCE / "runtime" / "trace", SOURCE / "runtime" / "trace" / "arch" / "x86_64"]
    include = [flag for folder in folders for flag in ("-I", str(folder))]

    def program(size, fresh):
        return tools.program(f"record-{size}-{fresh}", [
            *hot.common, tools.object("tracer_none.c"),
            tools.object("hot_record.c", [*include, f"-DBYTES={size}", f"-DFRESH={fresh}"])])

    baseline = hot.program("baseline", "none")
    for case, fresh in ("a record, in a ring", 0), ("a record, in new memory", 1):
        entries = [Entry("baseline", (baseline,), ())]
        entries += [Entry(f"{size} bytes", (program(size, fresh),),
                          ("baseline",) if size == FORMS[0] else ("baseline", AS_IS))
                    for size in FORMS]
        measure(Case(case, 10, CALLS, with_control(entries)), bench.plan, bench.report)
    count({"baseline": baseline} | {f"{size} bytes": program(size, 0) for size in FORMS},
          bench.report)


def count(programs, report):
    """Counts instructions of a recorded call, minus the loop and an empty callee."""
    case = "instructions, a record"
    if not shutil.which("valgrind"):
        for name in programs:
            report.skip(Skipped(case, name, "install valgrind"))
        return
    counted = {}
    for name, program in programs.items():
        # The first count belongs to the calls of the proof.
        *_, last = callgrind.calls((program,), f"1 {COUNTED_CALLS}\n",
                                   {"load_run": "load_run"})
        counted[name] = last / COUNTED_CALLS
    for name in list(programs)[1:]:
        figure = counted[name] - counted["baseline"]
        if name == AS_IS:
            as_is = figure
            report.add(Row(case, name, figure, "per call"))
        else:
            report.add(Row(case, name, figure, "per call", AS_IS, figure / as_is,
                           over=figure - as_is))
