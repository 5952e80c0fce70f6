# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lua: an interpreter whose errors and coroutines jump over C frames."""
from pathlib import Path

from . import ROOT, Image, Unit, Workload, unpack

# Make all runs identical. Lua's default seed is the time, which changes the order of tables.
# Lua also looks up strings in a cache by their address. Some of these strings are on the
# stack, where addresses differ if exits are traced. With one cache line the lookup depends on
# the contents only.
SAME = ("-Dluai_makeseed(L)=1", "-DSTRCACHE_N=1", "-DSTRCACHE_M=2")
FLAGS = ("-std=gnu99", "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN", *SAME)


def images(folder, cc):
    source = unpack("lua5.4", folder)
    units = tuple(Unit(path, FLAGS) for path in sorted(source.glob("src/l*.c"))
                  if path.name != "luac.c")
    return [Image("lua", units, ("-Wl,-E", "-lm", "-ldl"))]


def workloads(folder, cc, whole):
    lua = tuple(images(folder, cc))
    jumps = Path(__file__).with_name("jumps.lua")
    words = ROOT / "test" / "examples" / "words.lua"
    text = unpack("lua5.4", folder) / "doc" / "manual.html"
    runs = [Workload(lua, ("lua", str(jumps), "20000" if whole else "100"), jumps=True)]
    if whole:
        runs.append(Workload(lua, ("lua", str(words), str(text)), jumps=True))
    return runs
