# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""patch: the cost of arming and disarming many functions."""
import platform
import shutil
from dataclasses import replace

from harness import callgrind, functions
from harness.paired import Case, Entry, measure
from harness.report import Row, Skipped
from harness.systems import systems
from suites.sites import NO_XRAY, with_control

ONES = 200
XRAY = ("xray", "xray-entry")
# The system that only writes the bytes (patcher_floor.c).
FLOOR = "floor-writes"
# Renames functions of patcher_patchbay.c, because patcher_floor.c defines the same names.
LEARNED = [f"-Dpatcher_{name}=library_{name}"
           for name in ("init", "arm_all", "disarm_all")]
# The worker's functions, and the library's function to count in each. A slice arms, then disarms.
COUNTED = {"patcher_arm_all": "patchbay_arm", "patcher_disarm_all": "patchbay_disarm"}
COUNTED_SECOND = {"patcher_arm_second": "patchbay_arm",
                  "patcher_disarm_second": "patchbay_disarm"}


def run(bench):
    tools = bench.tools
    programs = build(tools, bench.functions)
    xray = tools.runtime_library("clang_rt.xray") is not None
    number = f"{bench.functions:,}"
    # One round per generation, because the first time occurs once per process.
    once = replace(bench.plan, rounds=1,
                   generations=bench.plan.rounds * bench.plan.generations)
    measure(case(f"arm {number}, first time", programs, "arm", xray,
                 warm_up=False), once, bench.report)
    measure(case(f"arm {number}, again", programs, "arm", xray, 3, more=(
        *floors(programs, "arm"),
        Entry("ours-update", (programs["ours"], "retarget"), XRAY if xray else (),
              note="patchbay_ops_update: all call another handler, no text is "
              "written"))), bench.plan, bench.report)
    measure(case(f"disarm {number}", programs, "disarm", xray, 3,
                 more=floors(programs, "disarm")), bench.plan, bench.report)
    for name, mode in (("a second tracer", "second"),
                       ("one of two less", "second-off")):
        measure(second(f"{number}, {name}", programs["ours"], mode), bench.plan,
                bench.report)
    measure(case("arm one by one", programs, "one-by-one", xray, 1, ONES,
                 unit="us", per="function"), bench.plan, bench.report)
    count(bench, programs)


def second(name, program, mode):
    """Times arming of functions that already have a tracer, including the first time, when cells
    get their first set of tracers."""
    entries = with_control([
        Entry("ours-update", (program, "retarget"), (),
              note="their tracer calls another handler" if mode == "second" else ""),
        Entry("ours", (program, mode), ("ours-update",))])
    return Case(name, 3, 1, entries, unit="ms", per="batch")


def count(bench, programs):
    """Counts user-mode instructions of the library, without the kernel's writes."""
    for mode, counted, names in (
            ("arm", COUNTED, ("first", "disarm", "again")),
            ("second", COUNTED_SECOND, ("a second tracer", "one of two less"))):
        names = [f"instructions, {what}" for what in names]
        if not shutil.which("valgrind"):
            for name in names:
                bench.report.skip(Skipped(name, "ours", "install valgrind"))
            continue
        counts = callgrind.calls((programs["ours"], mode), "2 1\n", counted)
        for name, figure in zip(names, counts):
            bench.report.add(Row(name, "ours", figure / bench.functions, "per function"))


def build(tools, number):
    table = systems(tools.product("patchbay-pass.so"))
    library = tools.product("libpatchbay.so")
    copies, bodies = functions.copies(number)
    source = functions.write(tools.cache / f"functions-{bodies}.c", bodies)

    def program(name):
        system = table["ours" if name == FLOOR else name]
        objects = [tools.object("patch_main.c", system.callers)]
        if system.is_xray:
            link = ["-fxray-instrument"]
            objects.append(tools.object(
                "patcher_xray.c", ["-DENTRIES_ONLY"] if name == "xray-entry" else ()))
        else:
            link = [str(library), f"-Wl,-rpath,{library.parent}"]
            # The handlers must use general registers only (PATCHBAY_OPS_FAST).
            objects.append(tools.object(
                "patcher_patchbay.c", ["-mgeneral-regs-only"] + LEARNED * (name == FLOOR)))
            if name == FLOOR:
                objects.append(tools.object("patcher_floor.c"))
        objects += [tools.object(source, system.flags)] * copies
        return tools.program(f"patch-{name}", objects, link)

    names = ["ours"]
    if platform.machine() == "x86_64":
        names.append(FLOOR)
    if tools.runtime_library("clang_rt.xray") is not None:
        names += XRAY
    return tools.each(program, names)


def floors(programs, mode):
    return [Entry(FLOOR, (programs[FLOOR], mode), (*XRAY[:1], "ours"),
                  note="the writes alone" if mode == "arm" else "")] * (FLOOR in programs)


def case(name, programs, mode, xray, slices=1, calls=1, more=(), unit="ms",
         per="batch", warm_up=True):
    """Returns a case. The first system is XRay, to compare other systems with."""
    entries = [Entry(system, (programs[system], mode),
                     () if system == XRAY[0] else XRAY[:1],
                     note="a sled at the entry only, as ours"
                     if system == XRAY[1] and mode == "arm" else "")
               for system in XRAY if xray]
    entries.append(Entry("ours", (programs["ours"], mode), XRAY if xray else ()))
    entries = (*entries, *more)
    return Case(name, slices, calls, with_control(entries) if xray else entries,
                unit=unit, per=per, warm_up=warm_up,
                skipped=() if xray else tuple((x, NO_XRAY) for x in XRAY))
