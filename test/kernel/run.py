#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds Linux with Patchbay, boots it in QEMU, and checks CFI and tracing in the guest. Prints
a line for each check, then the number of checks. For comparison, builds the same configuration
without the plugin, and once more without CFI. With --variant, builds other configurations with
the plugin. For ppc64le, checks static calls, and compares them with those of a kernel that
another linker has linked."""
import argparse
import dataclasses
import resource
import shutil
import sys
from pathlib import Path

import boot
import checks
import durations
import multi
import report
import rival
from base import BaseRun, finished, last_words, llvm, product
from kernels import HERE, ROOT, KernelError, Tools, source
from multi_run import MultiRun
from static_call_run import StaticCallRun


class Run(BaseRun):
    module_sources = HERE / "modules"
    VARIANTS = [path.stem for path in (HERE / "config" / "variants").iterdir()]

    def __init__(self, options):
        if options.rival and not rival.patches(options.version):
            raise KernelError(f"no patch of the rival layout for Linux {options.version}: use 6.12")
        self.quick = options.quick
        super().__init__(options)

    def prepare(self, build):
        """Sets up the tools, the source and the kernels that are compared."""
        self.tools = Tools(product(build, "lib/patchbay-pass.so"), product(build, "bin/ld.lld"),
                           llvm(build))
        self.source = source(self.version, self.out)
        self.patchbay = product(build, "bin/patchbay")
        self.multi = multi.is_in(self.source)
        config = ("far",) if self.multi and self.arch == "arm64" else ()
        # Use the kernel names of --multi, so that runs with and without --multi share kernels.
        more = ("selftests",) if config and not self.quick else ()
        if self.quick and not self.multi:
            # A separate kernel, which is compared with no other.
            self.ours = self.kernel("quick", True, "quick", "cfi")
        else:
            self.ours = self.kernel("ours", True, *config, *more, "cfi")
        self.cfi = self.kernel("cfi", False, *config, "cfi")
        self.plain = self.kernel("no-cfi" if config else "plain", False, *config)
        self.programs = {"BPF": self.out / "bpf", "MULTI": self.out / "multi",
                         "STORM": self.out / "multi-storm"}

    def rival(self):
        """The kernel of the rival design, built by stock clang."""
        return dataclasses.replace(self.kernel("rival", False, "cfi"),
                                   source=rival.source(self.source, self.version, self.out))

    def start(self, kernel, *boots):
        """Builds the kernel, then boots it in the background for each of these lists of
        scripts. Yields a check, and returns the running boots by their first script."""
        self.say(f"building {kernel.name}")
        try:
            kernel.build()
            if kernel.plugin:
                self.build_modules(kernel)
        except KernelError as error:
            yield f"kernel {kernel.name} is built", False, str(error)
            return {}
        yield f"kernel {kernel.name} is built", True, ""
        return {scripts[0]: self.pool.submit(self.boot, kernel, *scripts,
                                             on=self.machine(scripts[0]),
                                             SECONDS_OF_STORM=self.storm)
                for scripts in boots}

    def machine(self, script):
        """The machine for boots that begin with this script."""
        usual = boot.Machine.usual(self.arch)
        args = {"durations": durations.ARGS, "stop-at-boot": durations.STOP_ARGS}
        if script in args:
            return usual.with_args(f"{usual.guest.kernel_args} {args[script]}")
        return {"multi": usual.anywhere(), "multi-storm": usual.with_cpus(2)}.get(script, usual)

    def messages(self):
        """Checks the messages for a user without the plugin, before and after a kernel was
        configured with the plugin. Uses the kernel's own folder if it is still empty, so that
        make's tools are built only once."""
        none = self.out / "none.so"
        is_first = not self.ours.out.exists()
        without = dataclasses.replace(
            self.ours, out=self.ours.out if is_first else self.out / "messages",
            tools=dataclasses.replace(self.tools, plugin=none))
        if not is_first:
            shutil.rmtree(without.out, ignore_errors=True)
        without.configure()
        # Forget the configuration: after an interruption the next run builds in the same folder.
        without.forget_configuration()
        said = without.log.read_text(errors="replace")
        yield ("configuring without the plugin says so, and leaves CALL_OPS out",
               f"no ftrace ops slots: there is no file {none}" in said
               and not without.enabled("DYNAMIC_FTRACE_WITH_CALL_OPS"), said)
        dataclasses.replace(without, tools=self.tools).make("olddefconfig", "syncconfig")
        # Building a module must not configure the kernel anew.
        for what, plugin, target, offered in (
                ("without the plugin that it was configured with", none, ["lib/ctype.o"], True),
                ("with a folder as the plugin", self.out, ["lib/ctype.o"], True),
                ("a module without the plugin", none, [f"M={self.out}", "modules"], False)):
            try:
                dataclasses.replace(without, tools=dataclasses.replace(
                    self.tools, plugin=plugin)).make(*target)
                said = "it was built"
            except KernelError as error:
                said = str(error).rpartition("| $ make ")[2]
            yield (f"building {what} says so",
                   f'no compiler plugin for ftrace ops slots at "{plugin}"' in said
                   and ("syncconfig" in said) == offered, said)
        without.make("syncconfig", "lib/ctype.o")
        yield ("a kernel without the plugin is built after make syncconfig",
               not without.enabled("DYNAMIC_FTRACE_WITH_CALL_OPS"), "CALL_OPS is still on")

    def check_all(self, quick, variants, with_rival):
        prefix = f"__{self.arch}_sys_"
        self.program(HERE / "guest" / "bpf.c", f'-DSYSCALL="{prefix}getsid"')
        for name in ("multi", "multi-storm") if self.multi else ():
            self.program(HERE / "guest" / f"{name}.c", *multi.flags(self.source, prefix))
        self.storm = 20 if quick else 600  # seconds
        if variants:
            yield from self.check_variants(variants)
        elif with_rival:
            yield from self.check_rival()
        else:
            yield from self.messages()
            yield from self.check_version(quick)

    def check_variants(self, names):
        kernels = [self.kernel(name, True, "cfi", f"variants/{name}") for name in names]
        started = []
        for kernel in kernels:
            boots = yield from self.start(kernel, ("bpf", "direct", "modules", "log"), ("lkdtm",))
            started.append((kernel, boots))
        for kernel, boots in started:
            for line, good in kernel.asked():
                yield f"{kernel.name}: {line}", good, "not so"
            yield from self.check_ours(kernel, boots)

    def check_rival(self):
        kernel = self.rival()
        boots = yield from self.start(kernel, ("bpf", "direct", "ops", "log"), ("lkdtm",))
        said = yield from self.check_ours(kernel, boots)
        report.ops({}, checks.cells(said.get("ops", "")))
        built = {"with CFI alone": self.cfi, "with CALL_OPS and CFI": self.ours,
                 "with CFI and room in each function": kernel}
        report.size("vmlinux", {name: [one.out / "vmlinux"] for name, one in built.items()
                                if (one.out / "vmlinux").exists()})

    def check_version(self, quick):
        boots = [("bpf", "direct", "ops", "modules", "log"), ("lkdtm",)]
        if self.multi:
            boots += [("multi", "sets", "log"), ("multi-storm", "log"), ("durations", "log")]
        if durations.can_stop(self.source):
            boots.append(("stop-at-boot", "log"))
        if quick:
            ours = yield from self.start(self.ours, *boots)
            said = yield from self.check_ours(self.ours, ours)
            report.ops({}, checks.cells(said.get("ops", "")))
            return
        ours = yield from self.start(self.ours, ("selftests", "log"), *boots)
        # Start this kernel early: its selftests take longest, and run in parallel with others.
        plain = yield from self.start(self.plain, ("selftests", "log"))
        cfi = yield from self.start(self.cfi, ("bpf", "ops", *(["multi"] * self.multi), "log"))
        padded = (yield from self.build_rival()) if ours and cfi and plain else None
        said = yield from self.check_ours(self.ours, ours)
        yield from self.compare(said, (yield from finished(self.cfi, cfi, "bpf")))
        yield from self.check_selftests((yield from finished(self.ours, ours, "selftests")),
                                        (yield from finished(self.plain, plain, "selftests")))
        if ours and self.ours.enabled("HAVE_STATIC_CALL"):
            yield from self.check_syscalls(self.ours)
        if ours and cfi and plain:
            self.report_sizes(padded)

    def check_ours(self, kernel, boots):
        yield from config(kernel)
        said = yield from finished(kernel, boots, "bpf")
        if said:
            yield from checks.startup(said["log"])
            yield from checks.log(said["log"])
            yield from checks.records(said["log"])
            yield from checks.bpf(said["bpf"])
            yield from checks.direct(said["direct"])
            if kernel.plugin:
                yield from checks.modules(said["modules"])
        if "ops" in said:
            yield from checks.ops(said["ops"])
            if self.multi:
                yield from multi.matrix(checks.cells(said["ops"]), self.arch)
        for first in ("multi", "multi-storm"):
            if first in boots:
                yield from multi.booted((yield from finished(kernel, boots, first)), self.arch)
        if "durations" in boots:
            traced = yield from finished(kernel, boots, "durations")
            if traced:
                yield from durations.check(traced["durations"], self.patchbay, kernel.out)
                yield from checks.log(traced["log"])
        if "stop-at-boot" in boots:
            traced = yield from finished(kernel, boots, "stop-at-boot")
            if traced:
                yield from durations.stops(traced["stop-at-boot"])
                yield from checks.log(traced["log"])
        if "lkdtm" in boots:
            yield from checks.lkdtm(last_words(kernel, "lkdtm", boots["lkdtm"]))
        return said

    def compare(self, ours, cfi):
        if cfi:
            # Since Linux 7.3, arm64 has direct calls without CALL_OPS.
            if self.cfi.enabled("DYNAMIC_FTRACE_WITH_DIRECT_CALLS"):
                yield from checks.bpf(cfi["bpf"], "without CALL_OPS ")
            else:
                yield from checks.no_bpf(cfi["bpf"])
            if "multi" in cfi and self.cfi.enabled("HAVE_SINGLE_FTRACE_DIRECT_OPS"):
                yield from multi.attached(cfi["multi"])
            elif "multi" in cfi:
                yield from multi.refused(cfi["multi"])
        if cfi and ours:
            yield from checks.records(ours["log"], cfi["log"])
        report.ops(checks.cells(cfi.get("ops", "")), checks.cells(ours.get("ops", "")))

    @staticmethod
    def check_selftests(ours, plain):
        if ours and plain:
            yield from checks.selftests(ours["selftests"], plain["selftests"])
            yield from checks.log(ours["log"], plain["log"])
            report.selftests(checks.results(ours["selftests"]),
                             checks.results(plain["selftests"]))

    def build_rival(self):
        """Compares the objects of the rival's kernel, which is not booted."""
        if not rival.patches(self.version):
            return None
        self.say("compiling for the rival layout")
        try:
            kernel = self.rival()
            rival.build(kernel)
        except KernelError as error:
            yield "objects of the rival layout are compiled", False, str(error)
            return None
        yield "objects of the rival layout are compiled", True, ""
        return kernel

    def report_sizes(self, kernel):
        report.size("vmlinux", {"with CFI alone": [self.cfi.out / "vmlinux"],
                                "with CALL_OPS and CFI": [self.ours.out / "vmlinux"],
                                "with CALL_OPS, without CFI": [self.plain.out / "vmlinux"]})
        report.lines("ours", self.patches)
        if not kernel:
            return
        paths = rival.objects(self.cfi, self.ours, kernel)
        report.size(f"{len(paths)} objects", {
            name: [one.out / path for path in paths] for name, one in (
                ("with CFI alone", self.cfi),
                ("with CALL_OPS and CFI", self.ours),
                ("with CFI and room in each function", kernel))})
        report.lines("the rival's", rival.patches(self.version))


def config(kernel):
    cfi = "CFI" if kernel.enabled("CFI") else "CFI_CLANG"
    for option in (cfi, "DYNAMIC_FTRACE_WITH_CALL_OPS", "DYNAMIC_FTRACE_WITH_DIRECT_CALLS"):
        yield f"CONFIG_{option}=y", kernel.enabled(option), "not set"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    variants = sorted({*Run.VARIANTS, *StaticCallRun.VARIANTS})
    parser.add_argument("arch", metavar="ARCH", choices=boot.GUESTS,
                        help="one of: " + " ".join(boot.GUESTS))
    parser.add_argument("version", metavar="VERSION", help="of Linux: 6.12, 7.2 or 7.3")
    parser.add_argument("--build", type=Path, metavar="DIR", default=ROOT / "build" / "release",
                        help="where the plugin and the linker are (default: build/release)")
    parser.add_argument("--quick", action="store_true",
                        help="our kernel alone: no selftests, nothing to compare with")
    parser.add_argument("--variant", nargs="+", default=[], metavar="NAME", choices=variants,
                        help="our kernel in other configurations, or beside another: "
                             + " ".join(variants))
    parser.add_argument("--rival", action="store_true",
                        help="the kernel with room before each function instead of slots")
    parser.add_argument("--multi", nargs="*", metavar="KERNEL", choices=MultiRun.KERNELS,
                        help="one BPF program on many functions, in these kernels or in all: "
                             + " ".join(MultiRun.KERNELS))
    parser.add_argument("--boot", nargs="+", default=[], metavar="NAME", choices=MultiRun.BOOTS,
                        help="of --multi, these boots alone: " + " ".join(MultiRun.BOOTS))
    parser.add_argument("--hash-mmu", action="store_true",
                        help="of --multi for ppc64le: boot with the hash MMU instead of radix")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="for sources, kernels and logs (default: build/kernel/ARCH-VERSION)")
    return parser.parse_args()


def check_together(options):
    """Refuses options that would have no effect."""
    if options.multi is None and options.boot:
        raise KernelError("--boot goes with --multi alone")
    if options.hash_mmu and (options.multi is None or options.arch != "ppc64le"):
        raise KernelError("--hash-mmu goes with ppc64le and --multi alone")
    for option in ("variant", "rival"):
        if options.multi is not None and getattr(options, option):
            raise KernelError(f"--{option} does not go with --multi: these kernels have none")
    if options.rival and options.arch == "ppc64le":
        raise KernelError("--rival is instead of slots, which kernels for ppc64le have not")


def processor_time():
    """The CPU time of all compilers and emulators, which does not depend on other load."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    passed = failed = 0
    try:
        options = arguments()
        check_together(options)
        if options.arch in MultiRun.UPSTREAM and options.multi is None:
            raise KernelError(f"{options.arch} is compared with: it has --multi alone")
        kind = StaticCallRun if options.arch == "ppc64le" else Run
        test = (kind if options.multi is None else MultiRun)(options)
        for what, good, seen in test.check(options.quick, options.variant, options.rival):
            passed, failed = passed + bool(good), failed + (not good)
            print(f"ok: {what}" if good else f"FAILED: {what}\n| " +
                  seen.strip().replace("\n", "\n| "), flush=True)
        test.say(f"{processor_time():.0f} s of processor time in all")
    except KernelError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    print(f"{passed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
