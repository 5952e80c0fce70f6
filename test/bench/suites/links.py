# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""links: the cost per call of programs at entry and exit, and the cost of attaching them, to one
function or to all functions."""
import shutil
import subprocess

from harness import BenchError, callgrind, functions, uftrace
from harness.paired import Case, Entry, measure
from harness.report import Row, Skipped
from harness.systems import systems
from harness.toolchain import BENCH
from suites.sites import CALLS, NO_UFTRACE, NO_XRAY, Hot, with_control

# The kinds of links, and the number of events per call.
KINDS = {"fentry": 1, "fexit": 1, "fmodret": 1, "fmodret-skip": 1, "session": 2}
NOTES = {"fmodret": "the body is called", "fmodret-skip": "the program answers"}
ATTACHED = ("fentry", "fexit", "session")
BPF = ("fentry", "fexit", "fmodret")
NO_BPF = "libpatchbay-bpf is not built: see cmake/packages.txt"
SEVERAL = (1, 2, 4)
UPROBE_CALLS = 2000  # system calls are slow
COUNTED_CALLS = 10000  # enough to make the entry of the loop negligible


def run(bench):
    tools = bench.tools
    table = systems(tools.product("patchbay-pass.so"))
    xray = tools.runtime_library("clang_rt.xray") is not None
    hot = Hot(tools, table)
    library = Library(tools, table, bench.functions)
    measure(calls(hot, library, xray), bench.plan, bench.report)
    measure(floors(hot, library), bench.plan, bench.report)
    measure(bpf(hot, library), bench.plan, bench.report)
    measure(several(hot, library), bench.plan, bench.report)
    count_several(hot, library, bench.report)
    number = f"{bench.functions:,}"
    programs = library.patchers(xray)
    for name, mode in (("attach", "arm"), ("detach", "disarm")):
        measure(batches(f"{name} {number}", programs, mode, xray), bench.plan,
                bench.report)
    memory(library, bench)


class Library:
    """Builds programs with the hot loop and many other functions, linked with our library."""

    def __init__(self, tools, table, number):
        self.tools, self.table = tools, table
        self.copies, bodies = functions.copies(number)
        self.source = functions.write(
            tools.cache / f"functions-{bodies}.c", bodies)
        folder = tools.product("libpatchbay-link.so").parent
        self.link = [str(folder / "libpatchbay-link.so"),
                     str(folder / "libpatchbay.so"), f"-Wl,-rpath,{folder}"]
        self.link_static = [str(folder / "libpatchbay-link.a"),
                            str(folder / "libpatchbay.a")]

    def functions(self, system):
        return [self.tools.object(self.source, self.table[system].flags)] * self.copies

    def worker(self, static=False):
        tools = self.tools
        objects = [tools.object(source) for source in
                   ("worker.c", "load_hot.c", "tracer_link.c")]
        objects += [tools.object(source, ["-mgeneral-regs-only"])
                    for source in ("handlers.c", "link_programs.c")]
        objects.append(tools.object("hot_callee.c", self.table["ours"].flags))
        return tools.program("links-worker" + ("-static" if static else ""),
                             objects + self.functions("ours"),
                             self.link_static if static else self.link)

    def bpf_worker(self):
        """Returns None if libpatchbay-bpf is not built."""
        tools = self.tools
        library = tools.lib / "libpatchbay-bpf.so"
        if not library.exists():
            return None
        objects = [tools.object(source) for source in
                   ("worker.c", "load_hot.c", "tracer_bpf.c")]
        objects.append(tools.object("hot_callee.c", self.table["ours"].flags))
        return tools.program("links-bpf", objects + self.functions("ours"),
                             [str(library), *self.link])

    def bpf_programs(self):
        tools = self.tools
        return tools.compile(BENCH / "src" / "programs.bpf.c",
                             ["-target", "bpf", "-O2", "-g"])

    def patchers(self, xray):
        def program(name):
            system = self.table["xray" if name == "xray" else "ours"]
            main = self.tools.object("patch_main.c", system.callers)
            if name == "xray":
                patcher, link = self.tools.object("patcher_xray.c"), ["-fxray-instrument"]
            else:
                kind = f"-DLINK_KIND=PATCHBAY_{name.upper()}"
                patcher = self.tools.object("patcher_link.c",
                                            ["-mgeneral-regs-only", kind])
                link = self.link
            return self.tools.program(f"links-{name}",
                                      [main, patcher, *self.functions(system.name)], link)

        return self.tools.each(program, ATTACHED + (("xray",) if xray else ()))

    def memory(self):
        objects = [self.tools.object("link_memory.c"),
                   self.tools.object("handlers.c", ["-mgeneral-regs-only"])]
        return self.tools.program("links-memory", objects + self.functions("ours"),
                                  self.link)


def calls(hot, library, xray):
    """Times the hot loop with a link to one function, and with a link to all functions (-multi).
    As in the kernel's table, the two are also compared with each other."""
    worker = library.worker()
    entries = [Entry("baseline", (hot.program("baseline", "none"),), ())]
    for kind, events in KINDS.items():
        entries.append(Entry(kind, (worker, f"{kind}/one"), events=events,
                             note=NOTES.get(kind, "")))
        entries.append(Entry(f"{kind}-multi", (worker, f"{kind}/all"),
                             ("baseline", kind), events))
    skipped = []
    if xray:
        entries.append(Entry("xray", (hot.program("xray", "xray"),),
                             ("baseline", "fexit", "session"), 2,
                             note="at entry and at exit"))
    else:
        skipped.append(("xray", NO_XRAY))
    if shutil.which("uftrace"):
        program = hot.program("uftrace", "none")
        entries.append(Entry("uftrace", uftrace.command(program), events=2,
                             proof=uftrace.proof(program),
                             note="at entry and at exit, with time stamps"))
    else:
        skipped.append(("uftrace", NO_UFTRACE))
    program = hot.program("baseline", "uprobe")
    for name, option in (("uprobe", "entry"), ("uretprobe", "return")):
        reason = refusal((program, option))
        if reason:
            skipped.append((name, reason))
        else:
            entries.append(Entry(name, (program, option), events=1,
                                 calls=UPROBE_CALLS, note="counts in the kernel"))
    return Case("hot", 10, CALLS, with_control(entries), skipped=tuple(skipped))


def refusal(command):
    """Returns the reason why a worker does not start, or None."""
    worker = subprocess.run([str(part) for part in command], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)
    if not worker.returncode:
        return None
    return worker.stderr.partition(": ")[2].strip() or f"status {worker.returncode}"


def floors(hot, library):
    """Times the lower bound for any trampoline: trampolines written by hand for one function."""
    def floor(name, *sources):
        tools = hot.tools
        return tools.program(f"links-{name}", [
            *hot.common, *map(tools.object, sources), tools.object("tracer_none.c")])

    worker = library.worker()
    entries = (
        Entry("baseline", (hot.program("baseline", "none"),), ()),
        Entry("floor", (floor("floor", "hot_floor.c", "floor_trampoline.c"),),
              note="a call of a call; one register is kept"),
        Entry("floor-exit", (floor("floor-exit", "hot_floor_exit.c"),),
              note="a call of the body and a call; the result is kept"),
        Entry("fentry", (worker, "fentry/one"), ("baseline", "floor"), 1),
        Entry("fexit", (worker, "fexit/one"), ("baseline", "floor-exit"), 1))
    return Case("hot, floor", 10, CALLS, with_control(entries))


def bpf(hot, library):
    """Compares empty native programs with empty BPF programs."""
    worker, plain = library.bpf_worker(), library.worker()
    baseline = Entry("baseline", (hot.program("baseline", "none"),), ())
    if not worker:
        return Case("hot, BPF", 10, CALLS, (baseline,), skipped=(("bpf", NO_BPF),))
    programs = library.bpf_programs()
    entries = [baseline]
    for kind in BPF:
        entries.append(Entry(kind, (plain, f"{kind}/one"), events=1))
        for name, where in ((f"{kind}-bpf", "one"), (f"{kind}-multi-bpf", "all")):
            entries.append(Entry(name, (worker, f"{kind}/{where}/{programs}"),
                                 ("baseline", kind), 1))
    return Case("hot, BPF", 10, CALLS, with_control(entries))


def singles(kind, number):
    """Returns the rows to compare @number links of @kind with, besides the plain call, which costs
    almost nothing on some CPUs: one such link and, for sessions, one fexit link."""
    ones = ("session", "fexit") if kind == "session" else (kind,)
    return tuple(f"{one}, links: 1" for one in ones if (one, 1) != (kind, number))


def several(hot, library):
    """Times several links to the function of the hot loop, with libpatchbay.so and with
    libpatchbay.a, which is near the program's text."""
    worker, static = library.worker(), library.worker(static=True)
    entries = [Entry("baseline", (hot.program("baseline", "none"),), ())]
    entries += [Entry(f"{kind}, links: {number}", (worker, f"{kind}/one/{number}"),
                      ("baseline", *singles(kind, number)), number * KINDS[kind])
                for kind in ATTACHED for number in SEVERAL]
    entries += [Entry(f"{kind}-static, links: {number}", (static, f"{kind}/one/{number}"),
                      ("baseline", f"{kind}, links: {number}"), number * KINDS[kind])
                for kind in ATTACHED for number in SEVERAL]
    return Case("hot, several", 10, CALLS, with_control(entries))


def count_several(hot, library, report):
    """Counts instructions of a call with several links, including the loop and empty programs: the
    cost of a link, independent of machine load and branch prediction."""
    case, baseline = "instructions, several", (hot.program("baseline", "none"),)
    entries = {"baseline": (baseline, ())} | {
        f"{kind}, links: {number}": ((library.worker(), f"{kind}/one/{number}"),
                                     ("baseline", *singles(kind, number)))
        for kind in ATTACHED for number in SEVERAL}
    if not shutil.which("valgrind"):
        for name in entries:
            report.skip(Skipped(case, name, "install valgrind"))
        return
    figures = {}
    for name, (command, against) in entries.items():
        # The first count belongs to the calls of the proof.
        *_, counted = callgrind.calls(command, f"1 {COUNTED_CALLS}\n",
                                      {"load_run": "load_run"})
        figure = figures[name] = counted / COUNTED_CALLS
        if not against:
            report.add(Row(case, name, figure, "per call"))
        for other in against:
            report.add(Row(case, name, figure, "per call", other,
                           figure / figures[other], over=figure - figures[other]))


def batches(name, programs, mode, xray):
    entries = [Entry("xray", (programs["xray"], mode), ())] if xray else []
    entries += [Entry(kind, (programs[kind], mode), ("xray",) if xray else ())
                for kind in ATTACHED]
    return Case(name, 3, 1, with_control(entries) if xray else tuple(entries),
                unit="ms", per="batch",
                skipped=() if xray else (("xray", NO_XRAY),))


def memory(library, bench):
    """Reports heap memory by the number of links of a function."""
    run = subprocess.run([str(library.memory())], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        raise BenchError(f"link_memory: {run.stderr.strip()}")
    for line in run.stdout.splitlines():
        number, size = line.split()
        bench.report.add(Row("memory", f"ours, links: {number}", float(size),
                             "bytes/function"))
