# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""toolchain: the compiler's cost of patchable functions."""
import shutil
from dataclasses import replace
from fnmatch import fnmatch

from harness import BenchError, real
from harness.compiler import Compiler, instruction_rows, object_rows, time_rows
from harness.systems import systems

SYSTEMS = ("kcfi", "ours", "pfe=5+kcfi", "xray+kcfi")
# The files to compile. More files would take too long: one round takes minutes.
FILES = {
    "zstd": ("*/lib/*/*.c",),
    "sqlite": ("*/sqlite3.c",),
    "fmt": ("*/fmtlib_*/src/*.cc", "*/args-test.cc", "*/os-test.cc", "*/core-test.cc"),
}
LEVELS = {"sqlite": ("-O0", "-O2")}
# The number of functions of the worst case: functions that are shorter than their site.
TINY = 5000


def run(bench):
    if bench.count and not shutil.which("valgrind"):
        raise BenchError("cannot count instructions: install valgrind")
    table = systems(bench.tools.product("patchbay-pass.so"))
    for name, sources in cases(bench):
        compilers = [
            Compiler(system, tuple(commands(bench.tools, table[system], sources)),
                     () if system == SYSTEMS[0] else SYSTEMS[:1])
            for system in SYSTEMS]
        if bench.count:
            rows = instruction_rows(name, compilers, bench.plan)
        else:
            control = replace(compilers[0], against=SYSTEMS[:1],
                              note="the same again: the noise of the ratios")
            rows = time_rows(name, [*compilers, control], bench.plan)
        for row in (*rows, *object_rows(name, compilers)):
            bench.report.add(row)


def cases(bench):
    """Yields the name of each case, its source files, and for each file a function from the system
    to the flags."""
    number = min(TINY, bench.functions)
    yield f"{number} tiny functions", [
        (tiny(bench.tools, number), lambda system: ("-O2", *system.flags))]
    for name in bench.programs:
        units = dict.fromkeys(
            unit for image in real.images(bench.tools, name) for unit in image.units
            if any(fnmatch(unit.source, pattern) for pattern in FILES[name]))
        units = list(units)[:1] if bench.quick else units
        for level in LEVELS.get(name, ("-O2",)):
            yield f"{name} {level}", [
                (unit.source, lambda system, name=name, unit=unit, level=level:
                 (*real.compile_flags(unit, real.flags(name, system)), level))
                for unit in units]


def tiny(tools, number):
    path = tools.cache / f"tiny-{number}.c"
    path.write_text("".join(f"int f{i}(int x) {{ return x + {i}; }}\n"
                            for i in range(number)))
    return path


def commands(tools, system, sources):
    folder = tools.cache / "toolchain" / system.name
    folder.mkdir(parents=True, exist_ok=True)
    for source, flags in sources:
        yield (tools.cc, *flags(system), "-c", str(source), "-o",
               str(folder / f"{source.stem}.o"))
