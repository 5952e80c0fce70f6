# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scaling: the cost of a call by the number of tracers that are armed on the function (relevant)
and on other functions (irrelevant)."""
from harness.paired import Case, Entry, measure
from harness.systems import systems
from suites.sites import CALLS, with_control

# Numbers of relevant and irrelevant tracers.
COUNTS = ((0, 0), (0, 1), (0, 10), (0, 100), (0, 10000),
          (1, 0), (1, 1), (1, 10), (1, 100), (1, 1000), (1, 10000),
          (2, 0), (2, 1), (2, 100), (2, 10000),
          (10, 0), (10, 1), (10, 100), (10, 10000),
          (100, 0), (100, 1), (100, 100), (100, 10000))
QUICK = ((0, 1), (1, 0), (1, 10), (2, 0))
# The maximum number of steps of list walks in a slice.
LIST_STEPS = 2000000


def run(bench):
    tools = bench.tools
    ours = systems(tools.product("patchbay-pass.so"))["ours"]
    programs = {
        "baseline": program(tools, "baseline", "none", ()),
        "ours": program(tools, "ours", "sets", ours.flags),
        "ours-static": program(tools, "ours-static", "sets", ours.flags,
                               library="libpatchbay.a"),
        "ours-near": near(tools, ours.flags),
        "ours-far-handler": far_handler(tools, ours.flags, "libpatchbay.so"),
        "static-far-handler": far_handler(tools, ours.flags, "libpatchbay.a"),
        "list-walk": program(tools, "list-walk", "list", ours.flags),
    } | floors(tools)
    for counts in QUICK if bench.quick else COUNTS:
        measure(case(programs, *counts), bench.plan, bench.report)


def program(tools, name, tracer, flags, callee="hot_callee.c",
            library="libpatchbay.so"):
    objects = [tools.object(source) for source in ("worker.c", "load_hot.c")]
    objects += [tools.object(source, flags) for source in (callee, "others.c")]
    objects.append(tools.object(f"tracer_{tracer}.c"))
    link = []
    if tracer != "none":
        library = tools.product(library)
        # A weak reference, like that of the program, does not load a member of an archive.
        link = ["-Wl,-u,patchbay_module_register", str(library),
                f"-Wl,-rpath,{library.parent}", "-lpthread"]
        objects.append(tools.object("handlers.c", ["-mgeneral-regs-only"]))
    if tracer == "list":
        objects.append(tools.object("list_walk.c", ["-mgeneral-regs-only"]))
    return tools.program(f"scaling-{name}", objects, link)


def far_handler(tools, flags, library):
    """Builds a program with the handlers in a shared object, like `patchbay record`. Loop, callee
    and trampolines are in the executable: the module's own trampolines or, with libpatchbay.a,
    the library's."""
    handlers = tools.link("scaling-handlers", [
        "-shared", "-fuse-ld=lld",
        tools.object("handlers.c", ["-mgeneral-regs-only", "-fPIC"])], ".so")
    objects = [tools.object(source)
               for source in ("worker.c", "load_hot.c", "tracer_sets.c")]
    objects += [tools.object(source, flags) for source in ("hot_callee.c", "others.c")]
    library = tools.product(library)
    return tools.program(f"scaling-far-handler{library.suffix}", [*objects, handlers], [
        "-Wl,-u,patchbay_module_register", str(library),
        f"-Wl,-rpath,{library.parent}", "-lpthread"])


def near(tools, flags):
    """Builds a program with loop, callee and handlers in a shared object, near the library."""
    objects = [tools.object("load_hot.c", ["-fPIC"]),
               tools.object("handlers.c", ["-mgeneral-regs-only", "-fPIC"])]
    objects += [tools.object(source, [*flags, "-fPIC"])
                for source in ("hot_callee.c", "others.c")]
    hot = tools.link("scaling-near", ["-shared", "-fuse-ld=lld", "-Wl,-Bsymbolic",
                                      *objects], ".so")
    library = tools.product("libpatchbay.so")
    return tools.program(
        "scaling-ours-near",
        [tools.object("worker.c"), tools.object("tracer_sets.c"), hot],
        [str(library), f"-Wl,-rpath,{library.parent}", "-lpthread"])


def floors(tools):
    """Builds the minimal trampoline in three variants: called directly, through a stub, and
    through a stub with trampoline and handler in a shared object, far from the executable."""
    common = [tools.object(source)
              for source in ("worker.c", "load_hot.c", "tracer_none.c")]
    trampoline = tools.object("floor_trampoline.c", ["-fPIC"])
    far = tools.link("scaling-floor-far", ["-shared", "-fuse-ld=lld", trampoline],
                     ".so")
    stub = tools.object("hot_floor.c", ["-DSTUB"])
    return {
        "floor": tools.program("scaling-floor", [
            *common, tools.object("hot_floor.c"), trampoline]),
        "floor-stub": tools.program("scaling-floor-stub", [*common, stub, trampoline]),
        "floor-far": tools.program("scaling-floor-far", [*common, stub, far]),
    }


def list_calls(tracers):
    """Returns the number of calls in a slice if each call walks over this many tracers."""
    return min(CALLS, max(100, LIST_STEPS // max(tracers, 1)))


def case(programs, relevant, irrelevant):
    option = f"{relevant}/{irrelevant}"
    entries = [Entry("baseline", (programs["baseline"],), ())]
    if option == "1/0":
        entries += [
            Entry("floor", (programs["floor"],),
                  note="a call of a call; one register is kept"),
            Entry("floor-stub", (programs["floor-stub"],), ("baseline", "floor"),
                  note="by way of a stub, as ours are"),
            Entry("floor-far", (programs["floor-far"],), ("baseline", "floor-stub"),
                  note="the same, trampoline and handler in a shared object"),
        ]
    is_alone = irrelevant == 0 and 0 < relevant <= 10
    static = ("baseline", "ours-static") if is_alone else ("baseline",)
    entries += [
        Entry("ours", (programs["ours"], option), static, events=relevant),
        Entry("ours-static", (programs["ours-static"], option), events=relevant,
              note="with libpatchbay.a" if option == "1/0" else ""),
    ]
    if option == "1/0":
        entries.append(
            Entry("ours-near", (programs["ours-near"], option), static,
                  events=relevant,
                  note="libpatchbay.so; loop, callee and handler in a shared object "
                  "beside it"))
    if is_alone:
        entries += [
            Entry("static-far-handler", (programs["static-far-handler"], option), static,
                  events=relevant, note="libpatchbay.a, handlers in a shared object"),
            Entry("ours-far-handler", (programs["ours-far-handler"], option),
                  (*static, "static-far-handler"), events=relevant,
                  note="libpatchbay.so; handlers in a shared object beside it"),
        ]
    entries += [
        Entry("list-walk", (programs["list-walk"], option), events=relevant,
              # A function without tracers has no list to walk.
              calls=list_calls(relevant and relevant + irrelevant),
              note="emulated: every site calls one function, which asks all "
              "tracers" if option == "1/0" else ""),
    ]
    return Case(f"{relevant} and {irrelevant} others", 10, CALLS,
                with_control(entries))
