#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds Linux with Patchbay, boots it in QEMU, and checks what CFI and tracing
do there: a line for each check, then their number. The same configuration is
built without the plugin, and once more without CFI, to compare with. Or it is
built with the plugin in variants. For ppc64le it is static calls that are
checked, beside those of a kernel that another linker has linked."""
import argparse
import dataclasses
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import boot
import build_tree
import checks
import report
import rival
import static_calls
from kernels import (HERE, ROOT, SELFTESTS, SOURCE_ARCH, Kernel, KernelError, Tools, run,
                     series, source)

VARIANTS = sorted(path.stem for path in (HERE / "config" / "variants").iterdir())


class Run:
    module_sources = HERE / "modules"

    def __init__(self, options):
        self.arch, self.version = options.arch, options.version
        if options.rival and not rival.patches(self.version):
            raise KernelError(f"no patch of the rival layout for Linux {self.version}: use 6.12")
        self.patches = series(self.version)
        folder = SOURCE_ARCH.get(self.arch, self.arch)
        if not any(f"+++ b/arch/{folder}/" in patch.read_text() for patch in self.patches):
            raise KernelError(f"no patches of {self.arch} for Linux {self.version}: use 7.2")
        self.out = options.out or ROOT / "build" / "kernel" / f"{options.arch}-{options.version}"
        self.out.mkdir(parents=True, exist_ok=True)
        self.busybox = system(self.arch)
        self.bpf = self.out / "bpf"
        self.began = time.monotonic()
        self.prepare(options.build)

    def prepare(self, build):
        """The kernels that are compared."""
        self.tools = Tools(product(build, "lib/patchbay-pass.so"), product(build, "bin/ld.lld"),
                           llvm(build))
        self.source = source(self.version, self.out)
        self.ours = self.kernel("ours", True, "cfi")
        self.cfi = self.kernel("cfi", False, "cfi")
        self.plain = self.kernel("plain", False)

    def kernel(self, name, plugin, *config):
        return Kernel(self.arch, name, self.source, self.out / name, self.tools, plugin, config)

    def rival(self):
        """Stock clang is all that it needs."""
        return dataclasses.replace(self.kernel("rival", False, "cfi"),
                                   source=rival.source(self.source, self.version, self.out))

    def say(self, text):
        print(f"-- {time.monotonic() - self.began:.0f} s: {text}", flush=True)

    def start(self, kernel, *boots):
        """Builds the kernel, then boots it for each of these lists of scripts, while
        others are built. Yields a check; returns what is under way, by the first
        script of each."""
        self.say(f"building {kernel.name}")
        try:
            kernel.build()
            if kernel.plugin:
                self.build_modules(kernel)
        except KernelError as error:
            yield f"kernel {kernel.name} is built", False, str(error)
            return {}
        yield f"kernel {kernel.name} is built", True, ""
        return {scripts[0]: self.pool.submit(self.boot, kernel, *scripts) for scripts in boots}

    def modules(self, kernel):
        return self.out / "modules" / kernel.name

    def build_modules(self, kernel):
        """Modules are built where they lie, so not in our source."""
        shutil.rmtree(self.modules(kernel), ignore_errors=True)
        shutil.copytree(self.module_sources, self.modules(kernel))
        kernel.make(f"M={self.modules(kernel)}", "modules")

    def build_bpf(self):
        run([f"clang{self.tools.llvm}", f"--target={boot.GUESTS[self.arch].name}-linux-gnu",
             "-fuse-ld=lld", "-static", "-O1", f'-DSYSCALL="__{self.arch}_sys_getsid"',
             HERE / "guest" / "bpf.c", "-o", self.bpf], self.out / "bpf.log")

    def messages(self):
        """What a user reads whose plugin is not there, before and after a kernel
        was configured with it."""
        none = self.out / "none.so"
        without = dataclasses.replace(
            self.ours, out=self.out / "messages",
            tools=dataclasses.replace(self.tools, plugin=none))
        shutil.rmtree(without.out, ignore_errors=True)
        without.configure()
        said = without.log.read_text(errors="replace")
        yield ("configuring without the plugin says so, and leaves CALL_OPS out",
               f"no ftrace ops slots: there is no file {none}" in said
               and not without.enabled("DYNAMIC_FTRACE_WITH_CALL_OPS"), said)
        dataclasses.replace(without, tools=self.tools).make("olddefconfig", "syncconfig")
        # Who builds a module cannot configure the kernel anew.
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

    def boot(self, kernel, *scripts, on=None, **environment):
        selftests = self.source / SELFTESTS
        modules = self.modules(kernel)
        files = [*(path for path in (self.bpf,) if path.exists()), *kernel.modules(),
                 *modules.glob("*.ko"),
                 *(path for path in selftests.glob("**/*") if path.is_file())]
        folder = log_folder(kernel, scripts[0])
        started = time.monotonic()
        try:
            return boot.boot(on or boot.Machine.usual(self.arch), self.busybox, kernel,
                             folder, scripts, files,
                             {"BPF": self.bpf, "MODULES": modules, "SELFTESTS": selftests,
                              **environment})
        except boot.GuestError as error:
            raise KernelError(f"{error}\nsee {folder}/console and {folder}/output") from error
        finally:
            self.say(f"{kernel.name} ran {' '.join(scripts)}"
                     f" in {time.monotonic() - started:.0f} s")

    def check(self, quick, variants, with_rival):
        """QEMU runs in one thread, and boots one kernel while the next is built."""
        with ThreadPoolExecutor(2) as self.pool:
            yield from self.check_all(quick, variants, with_rival)

    def check_all(self, quick, variants, with_rival):
        self.build_bpf()
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
        if quick:
            ours = yield from self.start(self.ours, *boots)
            said = yield from self.check_ours(self.ours, ours)
            report.ops({}, checks.cells(said.get("ops", "")))
            return
        ours = yield from self.start(self.ours, ("selftests", "log"), *boots)
        # Next, since the selftests take longest: they run side by side.
        plain = yield from self.start(self.plain, ("selftests", "log"))
        cfi = yield from self.start(self.cfi, ("bpf", "ops", "log"))
        padded = (yield from self.build_rival()) if ours and cfi and plain else None
        said = yield from self.check_ours(self.ours, ours)
        yield from self.compare(said, (yield from finished(self.cfi, cfi, "bpf")))
        yield from self.check_selftests((yield from finished(self.ours, ours, "selftests")),
                                        (yield from finished(self.plain, plain, "selftests")))
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
        if "lkdtm" in boots:
            yield from checks.lkdtm(last_words(kernel, "lkdtm", boots["lkdtm"]))
        return said

    @staticmethod
    def compare(ours, cfi):
        if cfi:
            yield from checks.no_bpf(cfi["bpf"])
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
        """Of which its objects are compared, and nothing is booted."""
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


class StaticCallRun(Run):
    """Of a kernel whose static calls the linker makes: there is no plugin in it."""
    module_sources = static_calls.MODULES

    def prepare(self, build):
        self.tools = Tools("", product(build, "bin/ld.lld"), llvm(build))
        self.source = source(self.version, self.out, static_calls.KERNEL_PATCH)
        self.ours = self.kernel("ours", True)
        self.plain = self.kernel("plain", False)

    def check_all(self, quick, variants, with_rival):
        if variants or with_rival:
            raise KernelError(f"{self.arch} has no --variant and no --rival")
        if (yield from self.build(self.ours)):
            yield from self.check_ours_booted(quick)
        if not quick:
            yield from self.check_plain()

    def build(self, kernel):
        """A check that it is built, and whether it is. Its modules are for kernels of
        both kinds."""
        self.say(f"building {kernel.name}")
        try:
            kernel.build()
            self.build_modules(kernel)
        except KernelError as error:
            yield f"kernel {kernel.name} is built", False, str(error)
            return False
        yield f"kernel {kernel.name} is built", True, ""
        return True

    def booted(self, kernel, what, *scripts, on=None, **environment):
        """A check that it boots; returns what the scripts have printed."""
        future = self.pool.submit(self.boot, kernel, *scripts, on=on, **environment)
        return (yield from finished(kernel, {what: future}, what))

    def check_ours_booted(self, quick):
        for option in static_calls.OPTIONS:
            yield f"CONFIG_{option}=y", self.ours.enabled(option), "not set"
        yield from static_calls.code(self.ours.out / "vmlinux", self.tools.llvm)
        usual = boot.Machine.usual(self.arch)
        # Upstream's CALL_OPS, with which our plugin has nothing to do here.
        ops = () if quick else ("ops",)
        said = yield from self.booted(self.ours, "static-calls", *ops, "static-calls", "log")
        if ops and said:
            yield from checks.ops(said["ops"])
        if said:
            yield from static_calls.calls(said["static-calls"])
            yield from static_calls.costs(said["static-calls"])
            yield from static_calls.startup(said["log"])
            yield from checks.log(said["log"], static_calls.KNOWN)
        said = yield from self.booted(self.ours, "storm", "storm", "log",
                                      on=usual.with_cpus(2), UPDATES=300 if quick else 10000)
        if said:
            yield from static_calls.storm(said["storm"])
            yield from checks.log(said["log"], static_calls.KNOWN)
        if quick:
            return
        # Other processors, and the other MMU.
        for cpu, args in (("power8", None), ("power10", None),
                          ("power9", usual.guest.kernel_args.replace(" disable_radix", ""))):
            name = f"{cpu}{'-radix' if args else ''}"
            said = yield from self.booted(self.ours, name, "static-calls", "log",
                                          on=usual.with_model(cpu, args))
            if said:
                yield from static_calls.calls(said["static-calls"])
                yield from checks.log(said["log"], static_calls.KNOWN)

    def check_plain(self):
        """The same configuration with a linker that makes none."""
        if not (yield from self.build(self.plain)):
            return
        yield ("with another linker static calls are generic",
               not self.plain.enabled("HAVE_STATIC_CALL"), "HAVE_STATIC_CALL is set")
        said = yield from self.booted(self.plain, "plain", "log")
        if said:
            yield from checks.log(said["log"], static_calls.KNOWN)
            report.size("vmlinux", {"with generic static calls": [self.plain.out / "vmlinux"],
                                    "with the linker's": [self.ours.out / "vmlinux"]})


def finished(kernel, boots, first):
    """A check that a kernel booted, and came to the end of the scripts; returns
    what these have printed, by their names."""
    if first not in boots:
        return {}  # it was not built, and that was said
    try:
        said = boots[first].result()
    except KernelError as error:
        yield f"kernel {kernel.name} boots, and runs {first} and more", False, str(error)
        return {}
    yield f"kernel {kernel.name} boots, and runs {' '.join(said)}", "end" in said, str(said)
    return said


def log_folder(kernel, script):
    """Of the boot that runs this script first."""
    return kernel.out / f"boot-{script}"


def last_words(kernel, script, future):
    """The kernel's; or the script's, if the kernel survives it."""
    try:
        return future.result()[script]
    except KernelError as error:
        console = log_folder(kernel, script) / "console"
        return console.read_text(errors="replace")[-8000:] if console.exists() else str(error)


def config(kernel):
    cfi = "CFI" if kernel.enabled("CFI") else "CFI_CLANG"
    for option in (cfi, "DYNAMIC_FTRACE_WITH_CALL_OPS", "DYNAMIC_FTRACE_WITH_DIRECT_CALLS"):
        yield f"CONFIG_{option}=y", kernel.enabled(option), "not set"


def product(build, name):
    path = (build / name).resolve()
    if not path.exists():
        raise KernelError(f"no {path}: build it, or name the build tree with --build")
    return path


def llvm(build):
    try:
        return f"-{build_tree.variable(build, 'PATCHBAY_LLVM_VERSION_MAJOR')}"
    except build_tree.NoBuildTree as error:
        raise KernelError(error) from None


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
    parser.add_argument("--variant", nargs="+", default=[], metavar="NAME", choices=VARIANTS,
                        help="our kernel in other configurations: " + " ".join(VARIANTS))
    parser.add_argument("--rival", action="store_true",
                        help="the kernel with room before each function instead of slots")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="for sources, kernels and logs (default: build/kernel/ARCH-VERSION)")
    return parser.parse_args()


def processor_time():
    """Of all compilers and emulators: it says more than the time, on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    passed = failed = 0
    try:
        options = arguments()
        test = (StaticCallRun if options.arch == "ppc64le" else Run)(options)
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
