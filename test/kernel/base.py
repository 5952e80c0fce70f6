# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of run.py that all types of kernels share: builds and boots kernels, and keeps their
output."""
import fcntl
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import boot  # noqa: E402
import build_tree  # noqa: E402
import static_calls  # noqa: E402
from kernels import (HERE, ROOT, SELFTESTS, SOURCE_ARCH, Kernel, KernelError, run,  # noqa: E402
                     series)


def alone(folder):
    """A lock on the folder, held until the file is closed."""
    lock = open(folder / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise KernelError(f"{folder} is in use by another run: wait for it, or name "
                          "another folder with --out") from None
    return lock


class BaseRun:
    """A subclass defines module_sources, VARIANTS, prepare() and check_all()."""
    # Architectures whose kernels have no patches and are only compared with.
    UPSTREAM = ()

    def __init__(self, options):
        unknown = [name for name in options.variant if name not in self.VARIANTS]
        if unknown:
            raise KernelError(f"no variant {unknown[0]} of a kernel for {options.arch}: use "
                              + ", ".join(sorted(self.VARIANTS)))
        self.arch, self.version = options.arch, options.version
        self.patches = series(self.version)
        folder = SOURCE_ARCH.get(self.arch, self.arch)
        if self.arch not in self.UPSTREAM and not any(f"+++ b/arch/{folder}/" in patch.read_text() for patch in self.patches):
            raise KernelError(f"no patches of {self.arch} for Linux {self.version}: use 7.2")
        self.out = (options.out or ROOT / "build" / "kernel"
                    / f"{options.arch}-{options.version}").resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.alone = alone(self.out)
        self.busybox = system(self.arch)
        self.began = time.monotonic()
        self.programs = {}  # for the guest, by the names of the guest's variables
        self.prepare(options.build)

    def kernel(self, name, plugin, *config):
        return Kernel(self.arch, name, self.source, self.out / name, self.tools, plugin, config)

    def say(self, text):
        print(f"-- {time.monotonic() - self.began:.0f} s: {text}", flush=True)

    def program(self, source, *flags):
        """Builds a program for the guest from a file of guest/."""
        path = self.out / source.stem
        run([f"clang{self.tools.llvm}", f"--target={Path(boot.GUESTS[self.arch].sysroot).name}",
             "-fuse-ld=lld", "-static", "-O1", *flags, source, "-o", path],
            self.out / f"{source.stem}.log")

    def counting(self, counts, **options):
        """Returns the default machine, with a QEMU plugin that writes counts to this file."""
        plugin = self.out / "branches.so"
        run([f"clang{self.tools.llvm}", "-std=c11", "-O2", "-fPIC", "-shared",
             "-fvisibility=hidden", HERE / "static-calls" / "branches.c", "-o", plugin],
            self.out / "branches.log")
        options = "".join(f",{name}={value}" for name, value in options.items())
        return boot.Machine.usual(self.arch).without_startup_tests().with_options(
            "-plugin", f"{plugin},out={counts}{options}")

    def check_syscalls(self, kernel):
        """Checks which share of the instructions of system calls is in trampolines of static
        calls."""
        self.programs["SYSCALLS"] = self.out / "syscalls"
        self.program(HERE / "guest" / "syscalls.c")
        first, last, length = static_calls.tramps(kernel.out / "vmlinux", self.tools.llvm)
        counts = self.out / "syscalls.counts"
        on = self.counting(counts, first=f"{first:x}", last=f"{last:x}")
        # Load the kernel at its link-time addresses, which the counting plugin uses.
        on = on.with_args(f"{on.guest.kernel_args} nokaslr")
        future = self.pool.submit(self.boot, kernel, "syscalls", on=on)
        said = yield from finished(kernel, {"syscalls": future}, "syscalls")
        if said:
            yield from static_calls.syscalls(said["syscalls"], counts.read_text(), length)

    def modules(self, kernel):
        return self.out / "modules" / kernel.name

    def build_modules(self, kernel, **variables):
        """Builds copies of the modules, because make writes into the folder of the sources."""
        shutil.rmtree(self.modules(kernel), ignore_errors=True)
        shutil.copytree(self.module_sources, self.modules(kernel))
        kernel.make(f"M={self.modules(kernel)}", "modules", **variables)

    def boot(self, kernel, *scripts, what=None, on=None, more=(), trees=(), **environment):
        """Runs the scripts, with additional files and variables. Returns the output of each
        script. Keeps the results under the name `what`, or the name of the first script."""
        selftests = self.source / SELFTESTS
        modules = self.modules(kernel)
        programs = {name: path for name, path in self.programs.items() if path.exists()}
        files = [*programs.values(), *kernel.modules(), *modules.glob("*.ko"), *more,
                 *(path for path in selftests.glob("**/*") if path.is_file())]
        folder = log_folder(kernel, what or scripts[0])
        started = time.monotonic()
        try:
            return boot.boot(on or boot.Machine.usual(self.arch), self.busybox, kernel,
                             folder, scripts, files,
                             {**programs, "MODULES": modules, "SELFTESTS": selftests,
                              **environment}, trees)
        except boot.GuestError as error:
            raise KernelError(f"{error}\nsee {folder}/console and {folder}/output") from error
        finally:
            self.say(f"{kernel.name} ran {' '.join(scripts)}"
                     f" in {time.monotonic() - started:.0f} s")

    def check(self, quick, variants, with_rival):
        """Runs all checks. Boots one kernel while the next one is built."""
        with ThreadPoolExecutor(2) as self.pool:
            yield from self.check_all(quick, variants, with_rival)


def finished(kernel, boots, first):
    """Checks that a kernel booted and reached the end of the scripts. Returns the outputs by
    script."""
    if first not in boots:
        return {}  # the kernel was not built, which was reported
    try:
        said = boots[first].result()
    except KernelError as error:
        yield f"kernel {kernel.name} boots, and runs {first} and more", False, str(error)
        return {}
    yield f"kernel {kernel.name} boots, and runs {' '.join(said)}", "end" in said, str(said)
    return said


def log_folder(kernel, script):
    """The folder of the boot with this name. By default, the name is the first script."""
    return kernel.out / f"boot-{script}"


def last_words(kernel, script, future):
    """Returns the kernel's log, or the script's output if the kernel survives the script."""
    try:
        return future.result()[script]
    except KernelError as error:
        console = log_folder(kernel, script) / "console"
        return console.read_text(errors="replace")[-8000:] if console.exists() else str(error)


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


def debian(arch, *packages):
    """Returns a root file system with these packages of Debian and their dependencies."""
    fetch = subprocess.run(["sh", ROOT / "cmake" / "fetch-programs.sh", boot.GUESTS[arch].name,
                            *packages], stdout=subprocess.PIPE, check=False, text=True)
    if fetch.returncode:
        raise KernelError(f"no {' and '.join(packages)} for {arch}: the line above says why")
    return Path(fetch.stdout.strip())


def system(arch):
    fetch = subprocess.run(["sh", ROOT / "cmake" / "fetch-system.sh",
                            boot.GUESTS[arch].name],
                           stdout=subprocess.PIPE, check=False, text=True)
    if fetch.returncode:
        raise KernelError(f"no busybox for {arch}: the line above says why")
    return Path(fetch.stdout.strip()) / "busybox"
