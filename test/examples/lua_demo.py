# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patchbay with an unmodified program: the Lua interpreter.

Builds Lua from Debian's source package with kCFI, half of its files with the plugin and the
other half without. Counts Lua's calls while it runs a script and compares the counts with those
of Lua's own call hook. Changes the target of a static call in a small program. Shows that kCFI
still traps.
"""
import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "test"))
import build_tree

LUA_FLAGS = ["-std=gnu99", "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN"]
KCFI = ["-O2", "-fsanitize=kcfi"]


class Demo:
    def __init__(self, build, work, cc):
        self.work = work
        self.cc = cc
        self.patchbay = build / "bin" / "patchbay"
        self.plugin = [f"-fplugin={build / 'lib' / 'patchbay-pass.so'}"]
        self.linker = [f"--ld-path={build / 'bin' / 'ld.lld'}"]
        self.runtime = [f"-L{build / 'lib'}", f"-Wl,-rpath,{build / 'lib'}", "-lpatchbay"]
        self.include = [f"-I{ROOT / 'runtime' / 'include'}"]

    def run(self, *command, show=True, **options):
        command = [str(word) for word in command]
        if show:
            print("$", shlex.join(command), flush=True)
        return subprocess.run(command, cwd=self.work, text=True, **options)

    def must(self, *command, **options):
        return self.run(*command, check=True, **options)

    def unpack_lua(self):
        tarball = subprocess.run(["sh", ROOT / "cmake" / "fetch-source.sh", "lua5.4"],
                                 check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        self.must("mkdir", "-p", "lua-src", show=False)
        self.must("tar", "-xf", tarball, "-C", "lua-src", "--strip-components=1")

    def build_lua(self):
        """Returns every second file, in alphabetical order, to be built with the plugin."""
        sources = sorted(source for source in (self.work / "lua-src").glob("src/l*.c")
                         if source.name != "luac.c")
        commands = []
        for i, source in enumerate(sources):
            plugin = [] if i % 2 else self.plugin
            commands.append([self.cc, *KCFI, *LUA_FLAGS, *plugin, "-c", source.relative_to(self.work),
                             "-o", source.stem + ".o"])
        for command in commands[:2]:
            print("$", shlex.join(map(str, command)))
        print(f"... and so on: {len(commands[::2])} files with the plugin, "
              f"{len(commands[1::2])} without", flush=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda command: self.must(*command, show=False), commands))
        self.must(self.cc, *self.linker, "-Wl,-E", *[s.stem + ".o" for s in sources],
                  "-o", "lua", "-lm", "-ldl")

    def count_calls(self):
        text = "lua-src/doc/manual.html"
        self.must(self.patchbay, "record", "-t", "count", "-F", "*", "-o", "lua.data", "--",
                  "./lua", HERE / "words.lua", text)
        report = self.must(self.patchbay, "report", "-i", "lua.data", stdout=subprocess.PIPE).stdout
        lines = report.splitlines()
        print(*lines[:16], sep="\n")
        print(f"... and {max(0, len(lines) - 16)} more lines\n")

        hooked = self.must("./lua", HERE / "hooks.lua", HERE / "words.lua", text,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr
        report = self.must(self.patchbay, "report", "--json", "-i", "lua.data", show=False,
                           stdout=subprocess.PIPE).stdout
        counted = {f["name"]: f["calls"] for f in json.loads(report)["functions"]}
        compare(counted, dict(reversed(line.split()) for line in hooked.splitlines()))

    def exchange_static_call(self):
        self.must(self.cc, *KCFI, *self.plugin, *self.include, HERE / "static_call.c",
                  *self.linker, "-Wl,--static-calls", *self.runtime, "-o", "static_call")
        self.must("./static_call")

    def show_trap(self):
        source = HERE / "wrong_type.c"
        self.must(self.cc, *KCFI, *self.plugin, "-DCALLEES", "-c", source, "-o", "callees.o")
        self.must(self.cc, *KCFI, source, "callees.o", *self.linker, "-o", "wrong_type")
        code = self.run("./wrong_type").returncode
        if code != -signal.SIGILL:
            sys.exit(f"lua_demo: a wrongly typed call did not trap: exit code {code}")
        print("wrong type: killed by SIGILL, the kCFI trap")


def compare(counted, expected):
    """Prints the counts of both methods. Different counts fail the demo."""
    print(f"{'Patchbay':>10} {'Lua hook':>10}  function")
    for name in sorted(expected):
        print(f"{counted.get(name, 0):>10} {expected[name]:>10}  {name}")
    wrong = [name for name in expected if counted.get(name, 0) != int(expected[name])]
    if wrong or not expected:
        sys.exit(f"lua_demo: counts differ: {' '.join(wrong) or 'nothing was counted'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release",
                        help="where Patchbay is built (build/release)")
    parser.add_argument("--work", type=Path, help="where to work (BUILD/demo)")
    parser.add_argument("--cc", help="the compiler (that of the build tree)")
    args = parser.parse_args()
    build = args.build.resolve()
    try:
        cc = args.cc or build_tree.compiler(build)
    except build_tree.NoBuildTree as error:
        sys.exit(f"lua_demo: {error}")
    work = (args.work or build / "demo").resolve()
    work.mkdir(parents=True, exist_ok=True)

    demo = Demo(build, work, cc)
    steps = [
        ("Lua's source, from Debian", demo.unpack_lua),
        ("Build it with kCFI, half of it patchable", demo.build_lua),
        ("Count its calls, and compare with Lua's own call hook", demo.count_calls),
        ("Exchange the target of a static call", demo.exchange_static_call),
        ("Call a function through a pointer of a wrong type", demo.show_trap),
    ]
    for number, (title, step) in enumerate(steps, 1):
        print(f"\n== {number}. {title}", flush=True)
        try:
            step()
        except subprocess.CalledProcessError as error:
            sys.exit(f"lua_demo: {shlex.join(map(str, error.cmd))}: exit code {error.returncode}")


if __name__ == "__main__":
    main()
