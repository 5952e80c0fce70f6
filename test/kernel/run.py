#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds Linux with Patchbay, boots it in QEMU, and checks what CFI and tracing
do there: a line for each check, then their number. The same configuration is
built without the plugin, and once more without CFI, to compare with."""
import argparse
import dataclasses
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boot
import checks
import report
from kernels import HERE, ROOT, SELFTESTS, Kernel, KernelError, Tools, run, source

# Longer than any of the boots takes on a busy machine.
TIMEOUT = 3600


class Run:
    def __init__(self, options):
        self.arch = options.arch
        self.out = options.out or ROOT / "build" / "kernel" / f"{options.arch}-{options.version}"
        self.out.mkdir(parents=True, exist_ok=True)
        self.tools = Tools(product(options.build, "lib/patchbay-pass.so"),
                           product(options.build, "bin/ld.lld"))
        self.busybox = system(self.arch)
        self.source = source(options.version, self.out)
        self.ours = self.kernel("ours", True, "cfi")
        self.cfi = self.kernel("cfi", False, "cfi")
        self.plain = self.kernel("plain", False)
        self.start = time.monotonic()

    def kernel(self, name, plugin, *config):
        return Kernel(self.arch, name, self.source, self.out / name, self.tools, plugin, config)

    def say(self, text):
        print(f"-- {time.monotonic() - self.start:.0f} s: {text}", flush=True)

    def build(self, kernel):
        self.say(f"building {kernel.name}")
        kernel.build()
        return kernel

    def build_guest(self):
        """What is run in the guest, beside the kernel's own: modules are built
        where they lie, so not in our source."""
        self.modules = self.out / "modules"
        shutil.rmtree(self.modules, ignore_errors=True)
        shutil.copytree(HERE / "modules", self.modules)
        self.ours.make(f"M={self.modules}", "modules")
        self.bpf = self.out / "bpf"
        run(["clang-22", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-static", "-O1",
             HERE / "guest" / "bpf.c", "-o", self.bpf], self.out / "bpf.log")

    def messages(self):
        """What a user reads whose plugin is not there, before and after a kernel
        was configured with it."""
        none = self.out / "none.so"
        without = dataclasses.replace(
            self.ours, out=self.out / "messages", tools=Tools(none, self.tools.linker))
        shutil.rmtree(without.out, ignore_errors=True)
        without.configure()
        said = without.log.read_text(errors="replace")
        yield ("configuring without the plugin says so, and leaves CALL_OPS out",
               f"no ftrace ops slots: there is no {none}" in said
               and not without.enabled("DYNAMIC_FTRACE_WITH_CALL_OPS"), said)
        dataclasses.replace(without, tools=self.tools).make("olddefconfig", "syncconfig")
        try:
            without.make("lib/ctype.o")
            said = "it was built"
        except KernelError as error:
            said = str(error)
        yield ("building without the plugin that it was configured with says so",
               f'no compiler plugin for ftrace ops slots at "{none}"' in said, said)

    def boot(self, kernel, *scripts):
        selftests = self.source / SELFTESTS
        files = [self.bpf, *kernel.modules(), *self.modules.glob("*.ko"),
                 *(path for path in selftests.glob("**/*") if path.is_file())]
        folder = kernel.out / f"boot-{scripts[0]}"
        started = time.monotonic()
        said = boot.boot(self.arch, self.busybox, kernel, folder, scripts, files,
                         {"BPF": self.bpf, "MODULES": self.modules, "SELFTESTS": selftests},
                         TIMEOUT)
        self.say(f"{kernel.name} ran {' '.join(scripts)} in {time.monotonic() - started:.0f} s")
        return said

    def boot_to_death(self, kernel, script):
        """The kernel's last words; or the script's, if the kernel survives it."""
        try:
            return self.boot(kernel, script)[script]
        except boot.GuestError as error:
            return str(error)

    def check(self, quick):
        """QEMU runs in one thread, and boots one kernel while the next is built."""
        with ThreadPoolExecutor(2) as pool:
            yield from self.messages()
            self.build(self.ours)
            self.build_guest()
            ours = pool.submit(self.boot, self.ours, "bpf", "direct", "ops", "log", "modules")
            trap = pool.submit(self.boot_to_death, self.ours, "lkdtm")
            if not quick:
                selftests = pool.submit(self.boot, self.ours, "selftests", "log")
                cfi = pool.submit(self.boot, self.build(self.cfi), "bpf", "ops", "log")
                reference = pool.submit(self.boot, self.build(self.plain), "selftests", "log")
            yield from self.check_ours(ours.result(), trap.result())
            if quick:
                report.ops({}, checks.cells(ours.result()["ops"]))
                return
            yield from self.compare(ours.result(), cfi.result())
            yield from checks.selftests(selftests.result()["selftests"],
                                        reference.result()["selftests"])
            yield from checks.log(selftests.result()["log"])

    def check_ours(self, said, last_words):
        yield from config(self.ours)
        yield from checks.startup(said["log"])
        yield from checks.log(said["log"])
        yield from checks.lkdtm(last_words)
        yield from checks.bpf(said["bpf"])
        yield from checks.direct(said["direct"])
        yield from checks.ops(said["ops"])
        yield from checks.modules(said["modules"])

    def compare(self, ours, cfi):
        yield from checks.no_bpf(cfi["bpf"])
        report.ops(checks.cells(cfi["ops"]), checks.cells(ours["ops"]))
        report.size({kernel.name: kernel.out / "vmlinux"
                     for kernel in (self.plain, self.cfi, self.ours)})


def config(kernel):
    cfi = "CFI" if kernel.enabled("CFI") else "CFI_CLANG"
    for option in (cfi, "DYNAMIC_FTRACE_WITH_CALL_OPS", "DYNAMIC_FTRACE_WITH_DIRECT_CALLS"):
        yield f"CONFIG_{option}=y", kernel.enabled(option), "not set"


def product(build, name):
    path = (build / name).resolve()
    if not path.exists():
        raise KernelError(f"no {path}: build it, or name the build tree with --build")
    return path


def system(arch):
    fetch = subprocess.run(["sh", ROOT / "cmake" / "fetch-system.sh",
                            boot.GUESTS[arch].name],
                           stdout=subprocess.PIPE, check=False, text=True)
    if fetch.returncode:
        raise KernelError(f"no busybox for {arch}: the line above says why")
    return Path(fetch.stdout.strip()) / "busybox"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arch", metavar="ARCH", choices=boot.GUESTS,
                        help="one of: " + " ".join(boot.GUESTS))
    parser.add_argument("version", metavar="VERSION", help="of Linux: 6.12 or 7.2")
    parser.add_argument("--build", type=Path, metavar="DIR", default=ROOT / "build" / "release",
                        help="where the plugin and the linker are (default: build/release)")
    parser.add_argument("--quick", action="store_true",
                        help="our kernel alone: no selftests, nothing to compare with")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="for sources, kernels and logs (default: build/kernel/ARCH-VERSION)")
    return parser.parse_args()


def main():
    passed = failed = 0
    try:
        options = arguments()
        for what, good, seen in Run(options).check(options.quick):
            passed, failed = passed + bool(good), failed + (not good)
            print(f"ok: {what}" if good else f"FAILED: {what}\n| " +
                  seen.strip().replace("\n", "\n| "), flush=True)
    except (KernelError, boot.GuestError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    print(f"{passed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
