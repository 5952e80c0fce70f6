# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sites: the cost of a patchable function, compared with other designs."""
import shutil
import statistics
from dataclasses import replace

from harness import elf, entries, functions, uftrace
from harness.paired import Case, Entry, measure
from harness.systems import systems
from harness.weigh import weigh

NO_XRAY = "no XRay runtime: install libclang-rt-dev of the compiler's version"
NO_UFTRACE = "no uftrace: install uftrace"
CALLS = 20000  # calls per slice of the hot loop


def run(bench):
    tools = bench.tools
    table = systems(tools.product("patchbay-pass.so"))
    xray = tools.runtime_library("clang_rt.xray") is not None
    hot = Hot(tools, table)
    measure(disarmed_hot(hot, xray), bench.plan, bench.report)
    programs = Sweep(tools, table, bench.functions)
    measure(disarmed_cold(programs), bench.plan, bench.report)
    measure(armed(hot, xray), bench.plan, bench.report)
    measure(armed_cold(programs, xray), bench.plan, bench.report)
    # These programs have no runtime, so differences of sizes are proportional to the number of
    # functions.
    size = {name: elf.measure(path) for name, path in programs.paths.items()}
    weigh("size", size, table, bench.functions, bench.report)
    entries.report(tools, bench.report)


class Hot:
    """Builds programs with the hot loop, in which only the callee is compiled for the system."""

    def __init__(self, tools, table):
        self.tools, self.table = tools, table
        self.common = [tools.object("worker.c"), tools.object("load_hot.c")]

    def program(self, system, tracer, flags=()):
        tools, system = self.tools, self.table[system]
        objects = [*self.common, tools.object("hot_callee.c", system.flags),
                   tools.object(f"tracer_{tracer}.c", flags)]
        link = ["-fxray-instrument"] if system.is_xray else []
        if "ours" in system.name:
            # Link with the shared library, as users do; the library registers the site.
            library = tools.product("libpatchbay.so")
            link += [str(library), f"-Wl,-rpath,{library.parent}"]
            objects.append(tools.object("handlers.c", ["-mgeneral-regs-only"]))
        return tools.program(f"hot-{system.name}-{tracer}", objects, link)


def disarmed_hot(hot, xray):
    """Times a site at its cheapest: decoded, cached, and executed while the CPU waits for the
    call."""
    names = ["baseline", "kcfi", "ours", "ours-without-kcfi", "pfe=5"]
    skipped = () if xray else (("xray", NO_XRAY),)
    names += ["xray"] if xray else []
    entries = [Entry(name, (hot.program(name, "none"),), hot.table[name].against)
               for name in names]
    return Case("disarmed, hot", 10, CALLS, with_control(entries),
                skipped=skipped)


def with_control(entries):
    """Adds the baseline once more. Its ratio to itself shows the noise of this run."""
    return (*entries, replace(
        entries[0], against=(entries[0].system,),
        note="the baseline again: the noise of the ratios"))


class Sweep:
    """Builds programs with many functions, without a runtime."""

    NAMES = ("baseline", "kcfi", "ours", "ours-without-kcfi", "pfe=5",
             "pfe=5+kcfi", "pfe=21,16+kcfi", "xray", "xray+kcfi", "xray-entry")

    def __init__(self, tools, table, number):
        self.tools, self.table = tools, table
        self.copies, self.bodies = functions.copies(number)
        self.source = functions.write(
            tools.cache / f"functions-{self.bodies}.c", self.bodies)
        self.paths = tools.each(self.program, self.NAMES)

    def program(self, name):
        tools, system = self.tools, self.table[name]
        objects = [tools.object("worker.c"), tools.object("tracer_none.c"),
                   # load_sweep.c makes the calls, with kCFI checks if the system has kCFI.
                   tools.object("load_sweep.c", system.callers)]
        objects += [tools.object(self.source, system.flags)] * self.copies
        return tools.program(f"sweep-{name}", objects)


    def armed(self, name, tracer, flags=(), link=()):
        tools, system = self.tools, self.table[name]
        objects = [tools.object("worker.c"),
                   tools.object("load_sweep.c", system.callers),
                   tools.object(f"tracer_{tracer}.c", flags)]
        objects += [tools.object(self.source, system.flags)] * self.copies
        if tracer == "patchbay":
            objects.append(tools.object("handlers.c", ["-mgeneral-regs-only"]))
        if tracer == "floor":
            objects.append(tools.object("floor_trampoline.c"))
        return tools.program(f"sweep-armed-{tracer}-{name}", objects, link)


def disarmed_cold(programs):
    """Times a site at its most expensive: the bytes of each called function come from the
    third-level cache or from memory."""
    entries = [Entry(name, (path,), programs.table[name].against, copy=True)
               for name, path in programs.paths.items()]
    # A sample consists of two sweeps; a slice calls the functions of one object.
    return Case("disarmed, cold sweep", 2 * programs.copies, programs.bodies,
                with_control(entries), of_slices=statistics.median)


def armed(hot, xray):
    """Times the path to a handler that does nothing. Patchbay, and XRay with its "entry" sleds,
    call the handler once per call. XRay in its default build, and -finstrument-functions, also
    call a handler at the exit. The hooks of -finstrument-* are unconditional calls that cannot
    be disarmed: the minimum cost of a call inside a function. entry-bare does not even pass the
    function's address."""
    both = "at entry and at exit: XRay's default, one cannot be armed alone"
    entries = [
        Entry("baseline", (hot.program("baseline", "none"),), ()),
        Entry("ours", (hot.program("ours", "patchbay"), "fast"), events=1,
              note="handler of general registers only, PATCHBAY_OPS_FAST"),
        Entry("ours-any-handler", (hot.program("ours", "patchbay"), "any"),
              events=1, note="any handler: vector registers are saved"),
    ]
    skipped = ()
    if xray:
        entries += [
            Entry("xray-entry", (hot.program("xray-entry", "xray"),), events=1,
                  note="built with -fxray-instrumentation-bundle=function-entry"),
            Entry("xray", (hot.program("xray", "xray"),), events=2, note=both),
        ]
    else:
        skipped = (("xray-entry", NO_XRAY), ("xray", NO_XRAY))
    for name, events in (("instrument-functions", 2),
                         ("instrument-function-entry-bare", 1)):
        entries.append(Entry(
            name, (hot.program(name, "hooks"),), events=events,
            proof=(hot.program(name, "hooks", ["-DCOUNT"]),),
            note="at entry and at exit; always on" if events == 2
            else "always on; the hook is not told the function"))
    if shutil.which("uftrace"):
        program = hot.program("uftrace", "none")
        entries.append(Entry(
            "uftrace", uftrace.command(program), events=2,
            proof=uftrace.proof(program),
            note="at entry and at exit, with time stamps; it has no handlers"))
    else:
        skipped += (("uftrace", NO_UFTRACE),)
    return Case("armed, empty handler", 10, CALLS, with_control(entries),
                skipped=skipped)


def armed_cold(programs, xray):
    """Times armed functions at their most expensive: each call loads a slot, a cell and a page of
    text that differs from the file. Systems with kCFI are compared only with each other,
    because callers also read the hash before the entry."""
    library = programs.tools.product("libpatchbay.so")
    shared = [str(library), f"-Wl,-rpath,{library.parent}"]
    # The program's reference is weak and would not load the archive's member.
    static = ["-Wl,-u,patchbay_module_register",
              str(programs.tools.product("libpatchbay.a")), "-lpthread"]
    entries = [Entry("baseline", (programs.paths["baseline"],), ()),
               Entry("kcfi", (programs.paths["kcfi"],))]
    for suffix, plain in (("", "kcfi"), ("-without-kcfi", "baseline")):
        ours, floor = f"ours{suffix}", f"floor{suffix}"
        sled = "xray-entry+kcfi" if plain == "kcfi" else "xray-entry"
        against = (plain, floor, sled) if xray else (plain, floor)
        entries.append(Entry(
            floor, (programs.armed(ours, "floor"),), (plain,), events=1,
            note="the sites of ours call the least trampoline that there is"))
        for name, link, note in (
                (ours, shared, "all functions armed, PATCHBAY_OPS_FAST"),
                (f"ours-static{suffix}", static, "with libpatchbay.a")):
            entries.append(Entry(
                name, (programs.armed(ours, "patchbay", ['-DARM="*"'], link), "fast"),
                against, events=1, note=note))
        if xray:
            entries.append(Entry(
                sled, (programs.armed(sled, "xray", link=["-fxray-instrument"]),),
                (plain,), events=1, note="all sleds patched"))
    skipped = () if xray else (("xray-entry", NO_XRAY), ("xray-entry+kcfi", NO_XRAY))
    return Case("armed, cold sweep", 2 * programs.copies, programs.bodies,
                with_control(entries), of_slices=statistics.median,
                skipped=skipped)
