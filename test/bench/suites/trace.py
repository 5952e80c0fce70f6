# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""trace: the cost of recording a call and its duration, compared with other tracers and
the lower bound."""
import contextlib
import shutil
import tempfile
from pathlib import Path

from harness import kept, lttng, traced, uftrace
from harness.paired import Case, Entry, measure
from harness.systems import systems
from harness.report import Skipped
from suites.sites import CALLS, NO_UFTRACE, NO_XRAY, Hot, with_control

NO_LTTNG = "no LTTng: install lttng-tools, liblttng-ust1, babeltrace2"
BOTH = "an event at entry and one at exit"
DURATION = "one record, at the exit, with entry and duration"
AGAINST = ("baseline", "floor")
# Calls per slice for the slowest systems, because long slices are interrupted more often.
FEWER = CALLS // 10
# Calls of recordings that keep each call. Patchbay's records, 240 MB, fit into the default buffer.
KEPT, KEPT_ROUNDS = 10_000_000, 5
KEPT_QUICK = 2_000_000


def run(bench):
    # Use the folder of the programs, because /tmp may be in memory.
    with tempfile.TemporaryDirectory(dir=bench.tools.cache) as logs:
        programs = Programs(bench.tools, logs)
        with lttng.ring() if programs.lttng else contextlib.nullcontext():
            measure(logged(programs), bench.plan, bench.report)
        measure(dropped(programs), bench.plan, bench.report)
        kept.measure("kept call", programs.kept(), programs.logs,
                     KEPT_QUICK if bench.quick else KEPT,
                     2 if bench.quick else KEPT_ROUNDS, bench.report)
        for system, reason in programs.missing():
            bench.report.skip(Skipped("kept call", system, reason))


class Programs:
    def __init__(self, tools, logs):
        self.tools = tools
        self.hot = Hot(tools, systems(tools.product("patchbay-pass.so")))
        self.logs = Path(logs)
        self.xray = tools.runtime_library("clang_rt.xray") is not None
        self.uftrace = shutil.which("uftrace") is not None
        self.lttng = lttng.library() is not None

    def floor(self, name, flags=(), callee="hot_log.c"):
        tools = self.tools
        objects = [*self.hot.common, tools.object(callee, flags),
                   tools.object("tracer_none.c")]
        return tools.program(f"trace-{name}", objects)

    def plain(self, system):
        """Builds the program without a tracer's library, which tracing preloads."""
        tools, flags = self.tools, self.hot.table[system].flags
        objects = [*self.hot.common, tools.object("hot_callee.c", flags),
                   tools.object("tracer_none.c")]
        return tools.program(f"trace-{system}", objects)

    def log(self, name):
        folder = self.logs / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def ours(self, name, tracer, options="", note="", against=AGAINST):
        program, log = self.plain("ours-without-kcfi"), self.log(name)
        environment = traced.ours(self.tools, tracer, log, options)
        proof = traced.proof("ours", self.tools.product("bin/patchbay"), log, program)
        if options:
            # The threshold drops all calls, so the proof runs without a threshold.
            plain = traced.ours(self.tools, tracer, log)
            proof = ("env", f"PATCHBAY={plain['PATCHBAY']}", *proof)
        return Entry(name, (program,), against, events=1, proof=proof,
                     environment=environment, note=note)

    def xray_log(self, mode):
        command, log = (self.hot.program("xray", "xray_log"), mode), self.log(mode)
        return Entry(mode, command, AGAINST, events=2, environment=traced.xray(log),
                     proof=traced.proof("xray", self.tools.tool("llvm-xray"), log,
                                        *command), calls=FEWER, note=BOTH)

    def kept_program(self, system, tracer="none", flags=()):
        tools, system = self.tools, self.hot.table[system]
        return tools.program(
            f"kept-{system.name}",
            [tools.object("kept_calls.c"), tools.object("load_hot.c"),
             tools.object("hot_callee.c", system.flags),
             tools.object(f"tracer_{tracer}.c", flags)],
            ["-fxray-instrument"] if system.is_xray else [])

    def kept(self):
        """Returns recordings in the default mode of each tracer's command. XRay has no command: it
        records in the program, and its default buffers keep only the newest calls."""
        patchbay = self.tools.product("bin/patchbay")
        plain = self.kept_program("ours-without-kcfi")
        found = [
            kept.Recording("baseline", self.kept_program("baseline")),
            kept.Recording(
                "ours", plain, note=DURATION,
                command=lambda log: (patchbay, "record", "-t", "function_duration", "-F",
                                     "hot_callee", "-o", log / "data", "--"),
                kept=lambda log: traced.read_ours(log / "data", plain, patchbay))]
        if self.uftrace:
            found.append(kept.Recording(
                "uftrace", self.kept_program("uftrace"), note=BOTH,
                command=lambda log: ("uftrace", "record", "-d", log / "data"),
                kept=lambda log: uftrace.calls(log / "data")))
        if self.xray:
            program = self.kept_program("xray", "xray_log", ["-DDEFAULT_BUFFERS"])
            found.append(kept.Recording(
                "xray-fdr", program, note=f"{BOTH}; keeps the newest calls",
                arguments=("xray-fdr",), environment=traced.xray,
                kept=lambda log: traced.read_xray(log, program, self.tools.tool(
                    "llvm-xray")) / 2))
        return found

    def missing(self):
        return (() if self.uftrace else (("uftrace", NO_UFTRACE),)) + (
            () if self.xray else (("xray-fdr", NO_XRAY),))


def logged(programs):
    entries = [
        Entry("baseline", (programs.hot.program("baseline", "none"),), ()),
        Entry("floor", (programs.floor("floor", ["-DRECORD"]),),
              note="two readings of the clock and a record of 24 bytes"),
        programs.ours("ours", "function_duration",
                      note=DURATION),
        programs.ours("ours-graph", "function_graph", note=BOTH),
        programs.ours("ours-function", "function", note="an event at entry"),
    ]
    skipped = ()
    if programs.xray:
        entries += [programs.xray_log("xray-fdr"), programs.xray_log("xray-basic")]
    else:
        skipped += (("xray-fdr", NO_XRAY), ("xray-basic", NO_XRAY))
    if programs.uftrace:
        program = programs.plain("uftrace")
        entries.append(Entry(
            "uftrace", (*uftrace.RECORD, "-d", programs.log("uftrace") / "data", program),
            AGAINST, events=2, proof=uftrace.proof(program), note=BOTH))
    else:
        skipped += (("uftrace", NO_UFTRACE),)
    if programs.lttng:
        program = programs.plain("instrument-functions")
        entries.append(Entry(
            "lttng", (program,), AGAINST, events=2, proof=lttng.proof(program),
            environment=lttng.environment(), calls=FEWER, note=f"{BOTH}; always on"))
    else:
        skipped += (("lttng", NO_LTTNG),)
    return Case("logged call", 10, CALLS, with_control(entries), skipped=skipped)


def dropped(programs):
    """Times calls that are shorter than the threshold."""
    entries = [
        Entry("baseline", (programs.hot.program("baseline", "none"),), ()),
        Entry("floor", (programs.floor("clocks"),),
              note="two readings of the clock"),
        Entry("floor-exit",
              (programs.floor("timed", callee="hot_floor_timed.c"),), AGAINST,
              note="the same from a trampoline, around a call of the body"),
        programs.ours("ours", "function_duration", ",threshold=10s",
                      against=(*AGAINST, "floor-exit")),
    ]
    skipped = ()
    if programs.uftrace:
        program = programs.plain("uftrace")
        entries.append(Entry("uftrace", uftrace.command(program), AGAINST, events=2,
                             proof=uftrace.proof(program)))
    else:
        skipped += (("uftrace", NO_UFTRACE),)
    return Case("call below the threshold", 10, CALLS, with_control(entries),
                skipped=skipped)
