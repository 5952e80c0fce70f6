# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""startup: the start of a program with a million functions, and the time and memory for arming
them."""
import os
import statistics
import subprocess

from harness import BenchError, functions
from harness.paired import Case, Entry, measure
from harness.report import Row, Skipped
from harness.systems import systems
from harness.toolchain import Toolchain
from suites.sites import NO_XRAY, with_control

MILLION = 20  # factor to the number of functions in other suites

# The figures of start_main.c, and their names in the report.
TIMES = {"arm": "arm all, first time", "arm-again": "arm all, again",
         "disarm": "disarm all", "arm-one": "arm one by name, first time",
         "arm-one-again": "arm one by name, again"}
MEMORY = {"before": "before", "one-armed": "one armed", "armed": "all armed",
          "disarmed": "all disarmed"}


def run(bench):
    tools, number = bench.tools, bench.functions * MILLION
    xray = tools.runtime_library("clang_rt.xray") is not None
    programs = build(tools, number, xray)
    before = bench.before and Toolchain(bench.before)
    launch = tools.program("launch", [tools.object("launch.c")])
    name = f"start {number:,}"
    measure(start(name, launch, programs, xray), bench.plan, bench.report)
    for system, program in programs.items():
        faults(f"{name}, page faults", system, launch, program, bench)
    if before:
        programs = programs | {"before": build(before, number, False, ("ours",))["ours"]}
    arm(f"{number:,}", programs, 2 if bench.quick else 9, bench)


def build(tools, number, xray, names=("baseline", "library", "ours")):
    """Builds the programs. Needs half a minute for a million functions, and a few GB of memory."""
    table = systems(tools.product("patchbay-pass.so"))
    library = tools.product("libpatchbay.so")
    copies, bodies = functions.copies(number)
    source = functions.write(tools.cache / f"started-{bodies}.c", bodies, False)

    def program(name):
        system = table["baseline" if name == "library" else name]
        patcher = ("patcher_xray.c" if system.is_xray else
                   "patcher_patchbay.c" if name == "ours" else "patcher_none.c")
        link = ["-fxray-instrument"] if system.is_xray else []
        if name in ("ours", "library"):
            link = ["-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}"]
        objects = [tools.object("start_main.c"), tools.object(
            patcher, ["-mgeneral-regs-only"] if name == "ours" else ())]
        objects.append(tools.object("hot_callee.c", system.flags))
        objects += [tools.object(source, system.flags)] * copies
        return tools.program(f"start-{name}", objects, link)

    return {name: program(name)
            for name in (*names, *(("xray",) if xray else ()))}  # sequentially, to save memory


def start(name, launch, programs, xray):
    notes = {"library": "no function has a site; linked with libpatchbay.so"}
    entries = [Entry(system, (launch, program),
                     () if system == "baseline" else
                     ("baseline", "library") if system == "ours" else ("baseline",),
                     note=notes.get(system, ""))
               for system, program in programs.items()]
    return Case(name, 2, 5, with_control(entries), unit="us", per="run",
                skipped=() if xray else (("xray", NO_XRAY),))


def output(command, bench):
    run = subprocess.run(
        list(map(str, command)), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, {bench.plan.cpu}))
    if run.returncode:
        raise BenchError(f"{' '.join(map(str, command))}: failed with status "
                         f"{run.returncode}\n{run.stderr.strip()}")
    return run.stdout


def faults(case, system, launch, program, bench):
    """Reports the page faults of a start, without and with the file in the page cache."""
    cold, warm = output((launch, "faults", program), bench).splitlines()
    major, minor = map(int, warm.split())
    bench.report.add(Row(case, system, float(major + minor), "faults", parts={
        "cold-major": cold.split()[0], "cold-minor": cold.split()[1],
        "major": major, "minor": minor}))


def arm(number, programs, rounds, bench):
    names = [name for name in ("xray", "before", "ours") if name in programs]
    reports = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            lines = output((programs[name], "report"), bench).splitlines()
            reports[name].append({key: float(value) for key, value in
                                  (line.split() for line in lines)})
    for key, what in TIMES.items():
        for name in names:
            if key in reports[name][0]:
                for row in timed(f"{number}, {what}", name, key, reports):
                    bench.report.add(row)
    for key, what in MEMORY.items():
        for name in names:
            if f"rss-{key}" in reports[name][0]:
                bench.report.add(memory(f"{number}, resident, {what}", name, key,
                                        reports[name]))
    if "xray" not in programs:
        bench.report.skip(Skipped(number, "xray", NO_XRAY))


def timed(case, name, key, reports):
    times = [report[key] for report in reports[name]]
    row = dict(case=case, system=name, median=statistics.median(times), unit="ms/batch",
               min=min(times), rounds=len(times))
    against = [other for other in ("xray", "before") if name == "ours"
               and key in reports.get(other, [{}])[0]]
    if not against:
        yield Row(**row)
    for other in against:
        others = [report[key] for report in reports[other]]
        ratios = [a / b for a, b in zip(times, others)]
        low, _, high = statistics.quantiles(ratios, n=4)
        yield Row(**row, against=other, ratio=statistics.median(ratios),
                  spread=(low, high),
                  over=statistics.median(a - b for a, b in zip(times, others)))


def memory(case, name, key, reports):
    """Returns a row with the resident memory, its increase, and Pss, which counts shared memory in
    proportion."""
    rss, pss, added = (
        statistics.median(figure) / 1024 for figure in zip(*(
            (report[f"rss-{key}"], report[f"pss-{key}"],
             report[f"rss-{key}"] - report["rss-before"]) for report in reports)))
    return Row(case, name, rss, "MiB", over=added, rounds=len(reports),
               parts={"pss": round(pss, 1)})
