# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: handler-code.py SOURCE BUILD

Finds all functions that the handlers of tracers may call: follows calls and addresses of
functions, starting at the handlers and at the code of libpatchbay that calls handlers. Prints
- calls of functions outside of LIBRARIES,
- instructions that use vector or x87 registers, in these functions and in all functions of
  files that are compiled for handlers,
- the number of the functions found, and their names."""
import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = ("runtime/CMakeFiles/patchbay-objects.dir",
             "runtime/trace/CMakeFiles/patchbay-trace.dir",
             "runtime/trace/CMakeFiles/patchbay-live.dir")
# Tables of handlers. Other functions in these tables run when functions are armed.
TABLES = ("tracer_table.c.o", "roots.c.o")
NOT_HANDLERS = re.compile(r"_attach$|_check$|^pb_threshold$")
CORE = ("pb_call_entry", "pb_call_exit", "pb_set_call", "pb_set_call_fast", "pb_timed_entry",
        "pb_timed_exit", "pb_enter_nothing")
OTHERS = ("pb_trigger_start", "pb_trigger_stop", "pb_root_entry", "pb_root_exit",
          "pb_budget_call")
# Do not follow trampolines: the core only compares their addresses.
TRAMPOLINE = re.compile(r"^pb_arch_")
# These instructions read arguments from their registers, which is allowed.
READ = re.compile(r"movq\s+%xmm[0-7], %r\w+$")
ALLOWED = {"__errno_location"}


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols(file):
    """Returns the names that a file defines, and the subset that other files can use."""
    found = re.findall(r"^\S+ (\w) (\S+)$", run("llvm-nm", "--defined-only", file), re.M)
    return {name for _, name in found}, {name for kind, name in found if kind.isupper()}


def main(source, build):
    cmake = Path(source, "runtime/trace/CMakeLists.txt").read_text()
    in_handlers = tuple(f"patchbay-trace.dir/{name}.o" for name in
                        re.search(r"set\(in_handlers\n(.*?)\)", cmake, re.S)[1].split())
    files = [str(path) for library in LIBRARIES
             for path in sorted(Path(build, library).rglob("*.o"))]
    local, of, calls, vectors, roots = {}, {}, {}, {}, set(CORE + OTHERS)
    for file in files:
        local[file], others_can = symbols(file)
        of |= {name: file for name in others_can}
    for file in files:
        here = None
        for line in run("llvm-objdump", "-dr", "--no-show-raw-insn", file).splitlines():
            if found := re.match(r"[0-9a-f]+ <(.+)>:$", line):
                here = file, found[1]
                calls[here] = set()
            elif here and (found := re.search(r"R_X86_64_(?!TPOFF|GOTTPOFF)\w+\s+([A-Za-z_]\w*)"
                                              r"|\t(?:call|j)\w+\s.*<([\w.]+)>$", line)):
                name = found[1] or found[2]
                calls[here].add((file if name in local[file] else of.get(name), name))
            if here and re.search(r"%[xyz]mm|%st\b|%mm[0-7]", line) and not (
                    "typed.c" in file and READ.search(line)):
                vectors.setdefault(here, line.strip())
        if file.endswith(TABLES):
            roots |= set(re.findall(r"R_X86_64_64\s+(pb_\w+)$",
                                    run("llvm-objdump", "-r", file), re.M))
    for (file, name), code in vectors.items():
        if file.endswith(in_handlers):
            print(f"{name}: {code}")
    waiting = [((of[name], name), name) for name in sorted(roots)
               if not NOT_HANDLERS.search(name)]
    reached = {}
    while waiting:
        function, way = waiting.pop()
        if function in reached or TRAMPOLINE.match(function[1]):
            continue
        reached[function] = way
        if function in vectors:
            print(f"{way}: {vectors[function]}")
        if function[0] is None and function[1] not in ALLOWED:
            print(f"{way}: is not in these libraries")
        waiting += [(callee, f"{way} > {callee[1]}") for callee in calls.get(function, ())]
    functions = sorted(name for file, name in reached if (file, name) in calls)
    print(len(functions), "functions")
    print("\n".join(functions))


main(*sys.argv[1:])
