# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the linker's cost of static calls: links LLVM's libraries and some files that make
static calls into one shared object. Measures CPU time in rounds, like compiler.py."""
import shutil
from pathlib import Path

from . import BenchError
from .compiler import Compiler, instruction_rows, time_rows
from .report import Skipped
from .toolchain import CFLAGS

FILES, KEYS = 10, 100  # number of files, keys per file
CALLS = 3  # calls of each key, in the next file
QUICK = "libLLVMSupport.a"


def report(bench):
    if bench.count and not shutil.which("valgrind"):
        raise BenchError("cannot count instructions: install valgrind")
    tools = bench.tools
    stock = tools.tool("ld.lld")
    archives = sorted((Path(stock).resolve().parent.parent / "lib").glob(
        QUICK if bench.quick else "libLLVM*.a"))
    name = f"link, {FILES * KEYS} static calls"
    if not archives:
        bench.report.skip(Skipped(name, "ours", "no libraries of LLVM: install "
                                                "llvm-dev of the compiler's version"))
        return
    for archive in archives:
        archive.read_bytes()  # to load the file into the page cache
    calls = [compile(tools, f"static-calls-{i}", calling_file(i)) for i in range(FILES)]
    tramps = compile(tools, "static-call-tramps", tramp_file())
    ours = str(tools.product("bin/ld.lld"))

    def linker(system, command, objects, against=(), note=""):
        # A tramp is a hidden symbol, so a missing tramp would be an error.
        return Compiler(system, ((
            *command, "-shared", "--threads=1", "--whole-archive",
            *map(str, archives), "--no-whole-archive", *map(str, objects),
            "-o", "/dev/null"),), against, note)

    linkers = [
        linker("stock", (stock,), [*calls, tramps], note="tramps are in the input"),
        linker("ours-off", (ours,), [*calls, tramps], ("stock",)),
        linker("ours", (ours, "--static-calls"), calls, ("ours-off", "stock")),
    ]
    if bench.count:
        rows = instruction_rows(name, linkers, bench.plan)
    else:
        control = linker("stock", (stock,), [*calls, tramps], ("stock",),
                         "the same again: the noise of the ratios")
        rows = time_rows(name, [*linkers, control], bench.plan)
    for row in rows:
        bench.report.add(row)


def compile(tools, name, text):
    source = tools.cache / f"{name}.c"
    source.write_text(text)
    return tools.compile(source, [*CFLAGS, "-fPIC"])


def calling_file(number):
    """Returns the source of a file that defines keys, and calls the keys of the previous file."""
    names = [f"f{number}_{key}" for key in range(KEYS)]
    before = [f"f{(number - 1) % FILES}_{key}" for key in range(KEYS)]
    lines = ["#include <patchbay/static_call.h>"]
    lines += [f"int target_{name}(int x) {{ return x + {i}; }}\n"
              f"DEFINE_STATIC_CALL({name}, target_{name});"
              for i, name in enumerate(names)]
    lines += [f"DECLARE_STATIC_CALL({name}, int(int));\nint call_{name}(int x)"
              f" {{ return {f' + static_call({name})(x)' * CALLS}; }}" for name in before]
    return "\n".join(lines) + "\n"


def tramp_file():
    """Returns the source of the tramps, for linkers that do not make them."""
    return "".join(
        '__asm__(".section .static_call.text, \\"ax\\"\\n.balign 8\\n'
        f'.globl __SCT__f{file}_{key}\\n.hidden __SCT__f{file}_{key}\\n'
        f'__SCT__f{file}_{key}: jmp target_f{file}_{key}\\n");\n'
        for file in range(FILES) for key in range(KEYS))
