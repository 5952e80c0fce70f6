# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""static-calls: the cost of a static call, compared with a direct call and with a call through a
pointer, and the linker's cost."""
from harness import linking, placed
from harness.paired import Case, Entry, measure
from suites.sites import CALLS, with_control

OURS = ("-DCALL=static_call(hot)",)


def run(bench):
    measure(hot(bench.tools), bench.plan, bench.report)
    placed.report(bench.tools, bench.report)
    linking.report(bench)


def hot(tools):
    """Times one call in a loop, made in each way that x86-64 supports."""
    linker = (f"--ld-path={tools.product('bin/ld.lld')}", "-Wl,--static-calls")
    runtime = tools.product("libpatchbay.so")
    callee = tools.object("hot_callee.c")
    far = tools.link("hot-far", ["-shared", "-fuse-ld=lld", callee], ".so")

    def program(name, call=(), objects=(), link=(), callee=callee, tracer="none"):
        return tools.program(f"static-call-{name}", [
            tools.object("worker.c"), tools.object("load_form.c", call),
            tools.object(f"tracer_{tracer}.c"), callee,
            *map(tools.object, objects)], link)

    pointer = ("-DCALL=hot_pointer",)
    updated = program("updated", OURS, ["hot_key.c"],
                      [*linker, runtime, f"-Wl,-rpath,{runtime.parent}"],
                      tracer="static_call")
    both = ("baseline", "pointer")
    return Case("static call, hot", 10, CALLS, with_control([
        Entry("baseline", (program("direct"),), (), note="a direct call"),
        Entry("pointer", (program("pointer", pointer, ["hot_pointer.c"]),)),
        Entry("ours", (program("ours", OURS, ["hot_key.c"], linker),), both,
              note="as linked"),
        Entry("ours-updated", (updated, "tramp"), both, events=1),
        Entry("ours-sites", (updated, "sites"), both, events=1,
              note="updated, the call itself is patched"),
        Entry("ours-far", (program("ours-far", OURS, ["hot_key.c"],
                                   [*linker, f"-Wl,-rpath,{far.parent}"], far),), both,
              note="target out of reach: through the key"),
        Entry("kernel-tramp", (program("kernel", OURS, ["hot_tramp.c"],
                                       ["-Wl,--no-branch-to-branch"]),), both,
              note="the input's tramp, stock linker"),
        Entry("pointer+kcfi", (program(
            "kcfi", (*pointer, "-fsanitize=kcfi"), ["hot_pointer.c"],
            callee=tools.object("hot_callee.c", ["-fsanitize=kcfi"])),), both),
        Entry("pointer+retpoline", (program(
            "retpoline", (*pointer, "-mretpoline"), ["hot_pointer.c"]),), both),
    ]))
