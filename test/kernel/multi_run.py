# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests one BPF program on many functions, in all types of kernels that support this, and in
one that does not. The checks themselves are in multi.py."""
import base64
import dataclasses
import gzip
import shutil
import subprocess
from pathlib import Path

import boot
import bpf_selftests
import checks
import durations
import multi
import report
import static_calls
import tools
from base import BaseRun, debian, finished, llvm, product
from kernels import HERE, ROOT, KernelError, Tools, other_source, run, source
from static_call_run import with_radix


class MultiRun(BaseRun):
    module_sources = HERE / "modules"
    VARIANTS = ()
    # The order in which kernels are built. "ours" has CFI and the plugin, and is the kernel
    # of run.py without --multi; without --quick it also has the options of BPF's tests, on
    # arm64. "distribution" is Debian's own kernel of the same version: it has neither our
    # patches nor our configuration, and need not be built. "unpatched" has our configuration,
    # so modules for some tests can be built for it.
    KERNELS = ("distribution", "unpatched", "ours", "no-cfi", "debug")
    UNPATCHED = ("distribution", "unpatched")
    # Architectures that support a BPF program on many functions without patches. The kernel's
    # own tests run there, for comparison.
    UPSTREAM = ("x86-64",)
    # Architectures without CFI. Upstream's CALL_OPS for ppc64le needs no plugin.
    NO_CFI_ALONE = ("ppc64le", *UPSTREAM)
    # Architectures where Debian's programs are tested, too: only one, because QEMU is slow.
    TOOLS = ("arm64",)
    # A boot has the name of its first script.
    BOOTS = ("multi", "multi-replaced", "multi-storm", "provoked", "durations", "bpf-selftests",
             "debian")
    # Debian's kernel has a driver for the board's serial line, which would change the numbers
    # of the guest's lines.
    DISTRIBUTION_ARGS = {"riscv": "initcall_blacklist=of_platform_serial_driver_init"}
    # Architectures whose system calls have other names inside the kernel.
    PREFIXES = {"ppc64le": "sys_"}

    def __init__(self, options):
        known = [name for name in self.KERNELS
                 if name != "ours" or options.arch not in self.NO_CFI_ALONE]
        if options.arch in self.UPSTREAM:
            known = list(self.UNPATCHED)
        unknown = [name for name in options.multi if name not in known]
        if unknown:
            raise KernelError(f"no kernel {unknown[0]} for {options.arch}: use "
                              + ", ".join(known))
        self.names, self.wanted = options.multi or known, options.boot
        self.with_hash_mmu = options.hash_mmu
        if options.arch == "ppc64le" and not options.out:
            # A separate folder, because patches and configuration differ for static calls.
            options.out = ROOT / "build" / "kernel" / f"{options.arch}-{options.version}-multi"
        super().__init__(options)

    def prepare(self, build):
        self.has_cfi = self.arch not in self.NO_CFI_ALONE
        plugin = product(build, "lib/patchbay-pass.so") if self.has_cfi else ""
        self.tools = Tools(plugin, product(build, "bin/ld.lld"), llvm(build))
        self.source = source(self.version, self.out)
        if not multi.is_in(self.source):
            raise KernelError(f"Linux {self.version} attaches a BPF program to one function"
                              " at a time: use 7.2")
        self.patchbay = product(build, "bin/patchbay")
        self.runtime = build.resolve() / "lib" / boot.GUESTS[self.arch].name / "libpatchbay-trace.so"
        self.programs = {"MULTI": self.out / "multi", "STORM": self.out / "multi-storm",
                         "REPLACED": self.out / "multi-replaced"}

    def check_all(self, quick, _variants, _rival):
        self.quick, self.storm = quick, 20 if quick else 600  # seconds
        prefix = self.PREFIXES.get(self.arch, f"__{self.arch}_sys_")
        for path in self.programs.values():
            self.program(HERE / "guest" / f"{path.name}.c", *multi.flags(self.source, prefix))
        if self.has_tools():
            self.recorded_program()
        self.record_bytes, self.has_booted = {}, False
        for name in self.names:
            yield from self.check_kernel(name)
        if not self.has_booted:
            yield ("one of these kernels boots", False,
                   f"none of them has {' or '.join(self.wanted)}" if self.wanted else "")
        without = [self.record_bytes.pop(name) for name in self.UNPATCHED
                   if name in self.record_bytes]
        for name, size in self.record_bytes.items():
            if without:
                yield from multi.records(name, size, max(without))

    def has_tools(self):
        return self.arch in self.TOOLS and not self.quick

    def has_selftests(self, name):
        """Do the kernel's own tests of BPF programs on functions run on this kernel?"""
        return self.arch in self.UPSTREAM or \
            self.has_tools() and name in ("ours", *self.UNPATCHED)

    def recorded_program(self):
        """Builds the program to record, for the C library of the guest."""
        self.programs["BOTH"] = self.out / "both-worlds"
        run([f"clang{self.tools.llvm}",
             f"--target={Path(boot.GUESTS[self.arch].sysroot).name}", "-fuse-ld=lld", "-O1",
             f"-fplugin={self.tools.plugin}", f"-fpass-plugin={self.tools.plugin}",
             HERE / "guest" / "both.c", "-o", self.programs["BOTH"]], self.out / "both-worlds.log")

    def described(self, name):
        """The kernel, configured with and without the plugin."""
        config = ["far"] if self.arch == "arm64" else []
        if self.has_selftests(name):
            config.append("selftests")
        if self.arch in self.UPSTREAM:
            pass  # only the results of the tests are compared
        elif not self.has_cfi:
            config.append(f"multi/{self.arch}")
        elif name in ("ours", "debug"):
            config.append("cfi")
        if name == "debug":
            config.append("multi/debug")
        kernel = self.kernel(name, self.has_cfi and "cfi" in config, *config)
        if name == "unpatched":
            return dataclasses.replace(kernel, source=other_source(
                self.source, self.version, self.out / "unpatched-source"))
        return kernel

    def check_kernel(self, name):
        kernel = self.described(name)
        try:
            if name == "distribution":
                fetch_image(kernel, self.version)
            else:
                self.say(f"building {name}")
                kernel.build()
            if name not in self.UNPATCHED:
                self.build_modules(kernel)
        except KernelError as error:
            yield f"kernel {name} is there", False, str(error)
            return
        yield f"kernel {name} is there", True, ""
        if name == "debug":
            for line, good in kernel.asked():
                yield f"{name}: {line}", good, "not so"
        for scripts in self.boots(name):
            if self.wanted and scripts[0] not in self.wanted:
                continue
            self.has_booted = True
            try:
                yield from self.check_boot(kernel, scripts)
            except KernelError as error:
                yield f"{name} can run {scripts[0]}", False, str(error)

    def boots(self, name):
        """The scripts of each boot. A boot is named after its first script."""
        if self.arch in self.UPSTREAM:
            yield ("bpf-selftests",)
            return
        if name in self.UNPATCHED:
            yield ("multi",)
        else:
            # The checks of "debug" change times, so do not measure times with them.
            if name != "debug":
                yield ("multi", "ops")
            yield ("multi-replaced", "sets")
            yield ("multi-storm",)
        if name == "debug":
            yield ("provoked",)
        if name == "ours":
            yield ("durations",)
        if self.has_selftests(name):
            yield ("bpf-selftests",)
        if name in ("ours", "distribution") and self.has_tools():
            yield ("debian", "bpftrace", "both")

    def check_boot(self, kernel, scripts):
        if scripts[0] == "bpf-selftests":
            yield from self.check_selftests(kernel)
        elif scripts[0] == "debian":
            yield from self.check_tools(kernel, scripts)
        elif scripts[0] == "durations":
            said = yield from self.booted(kernel, *scripts, args=durations.ARGS)
            if said:
                yield from durations.check(said["durations"], self.patchbay, kernel.out)
                yield from checks.log(said["log"])
        elif scripts[0] == "provoked":
            said = yield from self.booted(kernel, *scripts)
            if said:
                yield from checks.provoked(said["provoked"])
        else:
            said = yield from self.booted(kernel, *scripts,
                                          cpus=2 if scripts[0] == "multi-storm" else None)
            if said and kernel.name in self.UNPATCHED:
                yield from multi.refused(said["multi"], f"on the kernel {kernel.name}")
                yield from checks.log(said["log"])
            elif said:
                yield from multi.booted(said, self.arch, preempted=kernel.name == "debug",
                                        past=multi.goes_past(kernel.source, self.arch))
                if kernel.name == "debug":
                    yield from checks.lockdep(said["log"])
                report.ops({}, checks.cells(said.get("ops", "")), f"in the kernel {kernel.name}")

    def check_tools(self, kernel, scripts):
        root = debian(self.arch, "bpftrace", "trace-cmd")
        # Linux 7.2 lets only debuggers write to text, so the runtime starts a debugger.
        said = yield from self.booted(kernel, *scripts,
                                      trees=[root, self.runtime.parent], DEBIAN=root,
                                      RUNTIME=self.runtime)
        if said:
            yield from tools.bpftrace(said["bpftrace"])
            yield from tools.both(said["both"], self.patchbay, kernel.out)
            yield from checks.log(said["log"])

    def check_selftests(self, kernel):
        # Always Debian's types, whose newer pahole also recorded functions called by programs.
        distribution = self.described("distribution")
        fetch_image(distribution, self.version)
        types = yield from self.types(distribution)
        builder = bpf_selftests.Builder(self, kernel, debian(self.arch, "libelf-dev"), types,
                                        kernel.name != "distribution")
        self.say(f"building the kernel's tests of BPF programs for {kernel.name}")
        unfit = builder.build()
        tests = builder.tree()
        config = kernel.out / ".config"
        said = yield from self.booted(kernel, "bpf-selftests", trees=[tests], TESTS=tests,
                                      more=[config] if config.exists() else [], CONFIG=config)
        if not said:
            return
        text = said["bpf-selftests"]
        has_many = self.arch in self.UPSTREAM or kernel.name not in self.UNPATCHED
        # Known failures depend on our configuration.
        is_built = kernel.name != "distribution"
        known = bpf_selftests.accepted(config.read_text()) if is_built else {}
        if has_many and is_built:
            yield from bpf_selftests.check(text, unfit, self.selftests(kernel), known)
        else:
            yield from bpf_selftests.check_unpatched(text, unfit, has_many, known)
        yield from checks.log(said["log"])

    def selftests(self, kernel):
        """Returns the last results of kernels without patches in the same tests, by test."""
        outs = {self.arch: self.out}
        outs.update((arch, self.out.parent / f"{arch}-{self.version}") for arch in self.UPSTREAM)
        found = {}
        for arch, out in outs.items():
            for other, name in (("distribution", "Debian's"), ("unpatched", "unpatched")):
                said = out / other / "boot-bpf-selftests" / "output"
                if out / other == kernel.out:
                    continue
                if said.exists():
                    found[f"{name} {arch}"] = bpf_selftests.results(
                        said.read_text(errors="replace"))
                else:
                    self.say(f"nothing to compare with of {name} {arch}: run.py {arch}"
                             f" {self.version} --multi {other} has it")
        return found

    def types(self, kernel):
        """Returns a file with the types of a kernel that was not built here."""
        if self.arch in self.UPSTREAM:  # the image contains its types uncompressed
            return extracted(kernel)
        file = kernel.out / "vmlinux.btf"
        if not file.exists() or file.stat().st_mtime < kernel.image.stat().st_mtime:
            said = yield from self.booted(kernel, "types")
            file.write_bytes(gzip.decompress(base64.b64decode(said.get("types", ""))))
        return file

    def booted(self, kernel, *scripts, cpus=None, args="", **more):
        # A program on all functions is also attached to functions that handle faults of the
        # hash MMU. Without fix 0012, trampolines of these functions cause such faults
        # themselves, which recurse without end. The radix MMU has no such faults.
        on = boot.Machine.usual(self.arch).anywhere()
        if self.arch == "ppc64le" and not self.with_hash_mmu:
            on = with_radix(on)
        if "ftrace=" not in args:
            on = on.without_startup_tests()
        if kernel.name == "distribution":
            args += f" {self.DISTRIBUTION_ARGS.get(self.arch, '')}"
        on = on.with_args(f"{on.guest.kernel_args} {args}")
        if cpus:
            on = on.with_cpus(cpus)
        future = self.pool.submit(self.boot, kernel, *scripts, "log", on=on,
                                  SECONDS_OF_STORM=self.storm,
                                  CALLERS=2 if kernel.name == "debug" else 1, **more)
        said = yield from finished(kernel, {scripts[0]: future}, scripts[0])
        if said and self.arch == "ppc64le":
            yield from static_calls.mmu(said["log"],
                                        "power9" if self.with_hash_mmu else "power9-radix")
        if size := multi.record_bytes(said.get("log", "")):
            self.record_bytes[kernel.name] = size
        return said


def extracted(kernel):
    """Unpacks the kernel in a bzImage."""
    file = kernel.out / "vmlinux"
    found = subprocess.run(["sh", kernel.source / "scripts" / "extract-vmlinux", kernel.image],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    if not found.startswith(b"\x7fELF"):
        raise KernelError(f"no vmlinux in {kernel.image}, or nothing to unpack it with")
    file.write_bytes(found)
    return file


def fetch_image(kernel, version):
    fetch = subprocess.run(["sh", ROOT / "cmake" / "fetch-kernel.sh",
                            boot.GUESTS[kernel.arch].name, version],
                           stdout=subprocess.PIPE, check=False, text=True)
    if fetch.returncode:
        raise KernelError(f"no kernel of Debian for {kernel.arch}: the line above says why")
    kernel.image.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(fetch.stdout.strip(), kernel.image)
