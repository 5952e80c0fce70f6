# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lua: an interpreter whose errors and coroutines jump over frames of C."""
from pathlib import Path

from . import ROOT, Image, Unit, Workload, unpack

# So that each run makes the same calls. The seed would be the time, and tables would
# be in another order. Strings are looked up in a cache by the address that they are
# at, some on the stack, where those differ whose exits are traced and those whose
# are not: with one line the cache goes by what is in them.
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
