#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the objects of a whole configuration of Linux with our patches and the plugin,
without linking. Then checks each patchable entry like slots.py. Continues where an interrupted
run stopped. Adds a line to the file "results" in the folder of the objects. Exits with 1 if
there is a fault, or if not all objects were compiled."""
import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import slots
from base import alone, llvm, product
from kernels import ROOT, Kernel, KernelError, Tools, source

ON = ("FTRACE", "FUNCTION_TRACER", "FUNCTION_GRAPH_TRACER", "DYNAMIC_FTRACE", "CFI",
      "SHADOW_CALL_STACK")
OFF = ("DEBUG_INFO_REDUCED", "DEBUG_INFO_BTF", "WERROR")


class Build:
    def __init__(self, options):
        self.minutes, self.config = options.minutes, options.config
        self.out = (options.out or ROOT / "build" / "kernel"
                    / f"{options.arch}-{options.version}").resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.alone = alone(self.out)
        tools = Tools(product(options.build, "lib/patchbay-pass.so"),
                      product(options.build, "bin/ld.lld"), llvm(options.build))
        tree = source(options.version, self.out)
        self.kernel = Kernel(options.arch, self.config, tree, self.out / self.config, tools,
                             True, ())
        self.folders = options.folders or [
            f"arch/{self.kernel.source_arch}/",
            *re.findall(r"^obj-\S+\s*\+= (\w+/)$", (tree / "Kbuild").read_text(), re.MULTILINE)]

    def configure(self):
        kernel = self.kernel
        if not (kernel.out / ".config").exists():
            kernel.out.mkdir(exist_ok=True)
            kernel.make(self.config)
            with open(kernel.out / ".config", "a", encoding="utf-8") as file:
                file.writelines(f"CONFIG_{name}=y\n" for name in ON)
                file.writelines(f"# CONFIG_{name} is not set\n" for name in OFF)
            kernel.make("olddefconfig")
        if not kernel.enabled("CFI") or not kernel.enabled("DYNAMIC_FTRACE_WITH_OPS_SLOT"):
            raise KernelError(f"{kernel.out}/.config has no CFI, or no slots")

    def compile(self):
        """Compiles. Returns why the compilation stopped, or None if all objects exist."""
        kernel, is_late = self.kernel, threading.Event()
        with open(kernel.log, "ab") as log:
            make = subprocess.Popen(kernel.command("-k", *self.folders), env=kernel.environment,
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                    start_new_session=True)

            def stop():
                is_late.set()
                os.killpg(make.pid, signal.SIGTERM)
            timer = threading.Timer(60 * self.minutes, stop)
            timer.start()
            try:
                failed = make.wait()
            finally:
                timer.cancel()
                if make.poll() is None:
                    os.killpg(make.pid, signal.SIGTERM)
        if is_late.is_set():
            return "the time is over: the same command continues"
        return f"make failed, see {kernel.log}" if failed else None

    def objects(self):
        """Yields the objects that were compiled for the target from source files."""
        for path in sorted(self.kernel.out.glob("**/*.o")):
            command = path.with_name(f".{path.name}.cmd")
            if command.exists() and " -c " in command.read_text().partition("\n")[0]:
                compiled = slots.Object(path)
                if compiled.arch == self.kernel.arch:
                    yield path.relative_to(self.kernel.out), compiled


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def record(path, found, seconds, stopped):
    """Adds a line for this run, with the CPU time of all runs. Returns the line."""
    before = re.findall(r", (\d+) s of CPU time", path.read_text() if path.exists() else "")
    total = int(before[-1] if before else 0) + round(seconds)
    line = f"{found}, {total} s of CPU time, {'some missing' if stopped else 'all compiled'}"
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return line


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arch", metavar="ARCH", choices=slots.RETURNS,
                        help="one of: " + " ".join(slots.RETURNS))
    parser.add_argument("version", metavar="VERSION", help="of Linux: 6.12, 7.2 or 7.3")
    parser.add_argument("folders", nargs="*", metavar="FOLDER/",
                        help="compile these folders only (default: all)")
    parser.add_argument("--config", default="defconfig", metavar="TARGET",
                        help="of make, as allmodconfig (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=60, metavar="N",
                        help="compile for at most this time (default: %(default)s)")
    parser.add_argument("--build", type=Path, metavar="DIR", default=ROOT / "build" / "release",
                        help="where the plugin and the linker are (default: build/release)")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="for sources and objects (default: build/kernel/ARCH-VERSION)")
    return parser.parse_args()


def main():
    try:
        build = Build(arguments())
        build.configure()
        stopped = build.compile()
    except KernelError as error:
        print(f"objects.py: {error}", file=sys.stderr)
        return 1
    seconds = cpu_seconds()
    found, good = slots.check(build.objects())
    print(record(build.kernel.out / "results", found, seconds, stopped))
    if stopped:
        print(f"objects.py: {stopped}", file=sys.stderr)
    return bool(stopped or not good)


if __name__ == "__main__":
    sys.exit(main())
