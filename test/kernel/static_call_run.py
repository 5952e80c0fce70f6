# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel whose static calls our linker makes, without the plugin. The checks themselves are
in static_calls.py."""
import dataclasses
import shutil

import boot
import checks
import report
import static_calls
from base import BaseRun, finished, llvm, product
from kernels import HERE, SELFTESTS, KernelError, Tools, source

# GNU cross-compilers, by our names of architectures.
GCC = {"ppc64le": "powerpc64le-linux-gnu-"}

# LIMIT: seconds of the guest for each of the kernel's own tests. PACE: an instruction takes
# 2**PACE ns in the guest. With 4, three tracers of a clock tick outlast its interval.
LIMIT, PACE = 200, 2


def with_radix(machine):
    return machine.with_args(machine.guest.kernel_args.replace("disable_radix",
                                                               "disable_radix=off"))


class StaticCallRun(BaseRun):
    module_sources = static_calls.MODULES

    # Other kernels: the fragments in config/variants, and variables of make.
    VARIANTS = {
        "far": ((), {"TEST_STATIC_CALL_CFLAGS": "-DTEST_STATIC_CALL_FAR"}),
        "ld-o2": ((), {"LD": "{linker} -O2"}),
        "no-reserve": (("static-calls/no-reserve",), {}),
        "stock": None,      # our kernel, compared with one linked by the stock linker
        "thin-lto": (("variants/thin-lto",), {}),
    }

    # Additional CPUs, and a POWER9 with the hash MMU.
    MACHINES = (("power8", ""), ("power9", "-radix"), ("power10", ""), ("power10", "-radix"))

    def prepare(self, build):
        self.tools = Tools("", product(build, "bin/ld.lld"), llvm(build))
        self.source = source(self.version, self.out, *static_calls.KERNEL_PATCHES)
        self.ours = self.kernel("ours", True)
        self.plain = self.kernel("plain", False)
        self.programs = {"EVENTS": self.out / "events", "KEXEC": self.out / "kexec"}

    def check_all(self, quick, variants, with_rival):
        if with_rival:
            raise KernelError(f"no --rival for {self.arch}")
        for path in self.programs.values():
            self.program(HERE / "guest" / f"{path.name}.c")
        if variants:
            for name in variants:
                yield from self.check_variant(name)
            return
        if not (yield from self.build(self.ours)):
            return
        yield from self.check_code(self.ours)
        yield from self.check_usual(self.ours, quick)
        yield from self.check_storm(self.ours, 300 if quick else 2500)
        yield from self.check_refused()
        yield from self.check_fallback()
        if not quick:
            self.report(self.ours)
            counted = yield from self.count(self.ours)
            yield from static_calls.branches(counted)
            yield from self.check_machines()
            yield from self.check_kexec()
            yield from self.check_gcc()
            yield from self.check_plain(counted)

    def build(self, kernel):
        """Builds the kernel and its modules. Yields a check, and returns the build's success."""
        self.say(f"building {kernel.name}")
        try:
            kernel.build()
            self.build_modules(kernel)
        except KernelError as error:
            yield f"kernel {kernel.name} is built", False, str(error)
            return False
        yield f"kernel {kernel.name} is built", True, ""
        warnings = static_calls.warnings(kernel.log.read_text(errors="replace"), self.patches)
        yield "the compiler warns of nothing that is patched", not warnings, "\n".join(warnings)
        return True

    def start(self, kernel, what, *scripts, **more):
        """Boots the kernel in the background."""
        return {what: self.pool.submit(self.boot, kernel, *scripts, what=what, **more)}

    def booted(self, kernel, what, *scripts, **more):
        """Checks that the kernel boots; returns the output of the scripts."""
        return (yield from finished(kernel, self.start(kernel, what, *scripts, **more), what))

    @property
    def quick_boot(self):
        return boot.Machine.usual(self.arch).without_startup_tests()

    def check_code(self, kernel):
        for option in static_calls.OPTIONS:
            yield f"CONFIG_{option}=y", kernel.enabled(option), "not set"
        yield from static_calls.code(kernel.out / "vmlinux", self.tools.llvm)
        yield from static_calls.early(kernel.out, self.tools.llvm)

    def check_usual(self, kernel, quick=True):
        """Runs all checks that need only one boot, including instruction counts."""
        # Upstream's CALL_OPS; our plugin is not involved here.
        ops = () if quick else ("ops",)
        # static-calls is last: it locks the kernel down, after which no module can be loaded.
        said = yield from self.booted(kernel, "static-calls", *ops, "irqsoff", "static-calls",
                                      "events", "log")
        if not said:
            return
        if ops:
            yield from checks.ops(said["ops"])
            report.ops({}, checks.cells(said["ops"]), "with the kernel's own CALL_OPS")
        yield from static_calls.calls(said["static-calls"])
        yield from static_calls.sites(said["static-calls"])
        yield from static_calls.patched(said["static-calls"])
        yield from static_calls.hooks(said["static-calls"])
        yield from static_calls.costs(said["static-calls"])
        yield from static_calls.events(said["events"])
        yield from static_calls.irqsoff(said["irqsoff"])
        yield from static_calls.startup(said["log"])
        yield from checks.log(said["log"], static_calls.KNOWN)

    def check_storm(self, kernel, updates, what="storm", on=None):
        """Checks updates during calls by another CPU, and while modules are loaded and unloaded."""
        said = yield from self.booted(kernel, what, "storm", "log",
                                      on=(on or self.quick_boot).with_cpus(2), UPDATES=updates)
        if said:
            yield from static_calls.storm(said["storm"], updates)
            yield from checks.log(said["log"], static_calls.KNOWN)

    def check_refused(self):
        """Checks that the kernel refuses invalid modules."""
        ours = self.modules(self.ours)
        module = (ours / "sc_user.ko").read_bytes()
        other = module.replace(b"vermagic=7.", b"vermagic=6.")
        (ours / "sc_other.ko").write_bytes(other)
        yield "a module of another kernel is made", other != module, "no vermagic in it"
        said = yield from self.booted(self.ours, "refused", "refused", on=self.quick_boot)
        if said:
            yield from static_calls.refused(said["refused"], "sc_jump", "sc_bare", "sc_sites",
                                            "sc_other")

    def check_fallback(self):
        """Builds our tree with a linker that does not support static calls."""
        kernel = self.kernel("fallback", False)
        kernel.configure()
        said = (kernel.out / ".config").read_text()
        yield ("with another linker the kernel is configured with generic static calls",
               "STATIC_CALL=y" not in said and "CONFIG_PPC64=y" in said, said[:2000])

    def report(self, kernel):
        vmlinux = kernel.out / "vmlinux"
        static_calls.report_code(vmlinux, self.tools.llvm)
        static_calls.report_ftrace(vmlinux, self.tools.llvm)
        # Compare with a link without the option, which ignores missing trampolines.
        static_calls.report_link(kernel, self.tools.linker, "--static-calls-kernel")
        static_calls.report_link(kernel, self.tools.linker, "--unresolved-symbols=ignore-all")
        report.size("vmlinux", {"with the linker's static calls": [vmlinux]})
        report.lines("for static calls", [patch for patch in self.patches
                                          if static_calls.PATCH.search(patch.name)])

    def count(self, kernel):
        """Counts the instructions of each call, by type, with a QEMU plugin."""
        counts = kernel.out / "branches.counts"
        said = yield from self.booted(kernel, "branches", "calls", on=self.counting(counts))
        if not said:
            return {}
        yield from static_calls.calls(said["calls"])
        return static_calls.counted(said["calls"], counts.read_text())

    def check_machines(self):
        """Boots on additional CPU models, and with the hash MMU; with one CPU and with two."""
        for cpu, radix in self.MACHINES:
            name, on = cpu + radix, self.quick_boot.with_model(cpu)
            if radix:
                on = with_radix(on)
            said = yield from self.booted(self.ours, name, "static-calls", "log", on=on)
            if said:
                yield from static_calls.mmu(said["log"], name)
                yield from static_calls.calls(said["static-calls"])
                yield from static_calls.sites(said["static-calls"])
                yield from static_calls.patched(said["static-calls"])
                yield from checks.log(said["log"], static_calls.KNOWN)
            yield from self.check_storm(self.ours, 300, f"{name}-storm", on)

    def check_kexec(self):
        """Checks kexec: the kernel boots itself, and the new kernel runs guest/kexeced.sh."""
        script = HERE / "guest" / "kexeced.sh"
        said = yield from self.booted(self.ours, "kexec", "kexec",
                                      on=self.quick_boot, more=(self.ours.image, script),
                                      KERNEL=self.ours.image, NEXT=script)
        if said:
            yield from static_calls.kexec(said)

    def check_gcc(self):
        """Loads modules built by GCC into the kernel built by clang. These modules are not
        traced: before version 13 GCC has no -fpatchable-function-entry for this ABI."""
        if not shutil.which(GCC[self.arch] + "gcc"):
            yield f"modules by gcc: no {GCC[self.arch]}gcc", False, "install it"
            return
        kernel = dataclasses.replace(self.ours, name="gcc")
        try:
            self.build_modules(kernel, LLVM="", CC_FLAGS_FTRACE="", CROSS_COMPILE=GCC[self.arch],
                               CC=f"sh {static_calls.GCC} {GCC[self.arch]}gcc")
        except KernelError as error:
            yield "modules are built by gcc", False, str(error)
            return
        said = yield from self.booted(kernel, "gcc", "static-calls", "log",
                                      on=self.quick_boot)
        if said:
            yield from static_calls.made_by(self.modules(kernel) / "sc_calls.ko", "GCC")
            yield from static_calls.calls(said["static-calls"])
            yield from static_calls.sites(said["static-calls"])
            yield from static_calls.patched(said["static-calls"])
            yield from checks.log(said["log"], static_calls.KNOWN)

    def check_variant(self, name):
        """Builds a variant and compares it with our kernel."""
        if name == "stock":
            if (yield from self.build(self.ours)):
                yield from self.check_plain((yield from self.count(self.ours)))
            return
        config, variables = self.VARIANTS[name]
        variables = {key: value.format(linker=self.tools.linker)
                     for key, value in variables.items()}
        kernel = dataclasses.replace(self.kernel(name, True, *config),
                                     variables=tuple(variables.items()))
        kernel.begin_as(self.ours)
        if not (yield from self.build(kernel)):
            return
        if config:
            for line, good in kernel.asked():
                yield f"{name}: {line}", good, "not so"
        yield from self.check_code(kernel)
        if name == "far":
            yield from self.check_far(kernel)
        else:
            yield from self.check_usual(kernel)
            yield from self.check_storm(kernel, 300)
        report.size("vmlinux", {name: [kernel.out / "vmlinux"]})
        static_calls.report_ftrace(kernel.out / "vmlinux", self.tools.llvm)

    def check_far(self, kernel):
        """A kernel that is too large for branches. Calls that cannot reach their trampolines go
        through stubs of the linker, and are not patched. ftrace reports that the kernel cannot
        be traced, because ftrace's own stubs are also out of reach."""
        said = yield from self.booted(kernel, "far", "static-calls", "log", on=self.quick_boot)
        if said:
            yield from static_calls.calls(said["static-calls"])
            yield from static_calls.far(said["static-calls"], said["log"])
        said = yield from self.booted(kernel, "far-storm", "storm", "log",
                                      on=self.quick_boot.with_cpus(2), UPDATES=300)
        if said:
            yield from static_calls.storm(said["storm"], 300)
            yield from static_calls.no_oops(said["log"])

    def check_plain(self, counted):
        """Checks our configuration with a linker that makes no static calls."""
        self.plain.begin_as(self.ours)
        # Some tests patch all functions, or all tracepoints, dozens of times. For speed, this
        # kernel patches text without mappings: static-calls/rodata-off.patch.
        on = with_radix(boot.Machine.usual(self.arch)).with_pace(PACE)
        on = on.with_args(f"{on.guest.kernel_args} rodata=off")
        started = self.start(self.ours, "selftests", "selftests", "log", on=on, LIMIT=LIMIT)
        if not (yield from self.build(self.plain)):
            return
        other = self.start(self.plain, "selftests", "selftests", "log", on=on, LIMIT=LIMIT)
        ours = yield from finished(self.ours, started, "selftests")
        plain = yield from finished(self.plain, other, "selftests")
        if ours and plain:
            files = len([*(self.source / SELFTESTS / "test.d").glob("**/*.tc")])
            yield from static_calls.same_selftests(ours["selftests"], plain["selftests"], files)
            yield from static_calls.startup(ours["log"])
            yield from checks.same_startup(ours["log"], plain["log"])
            yield from checks.log(ours["log"], plain["log"] + static_calls.KNOWN)
            report.selftests(checks.results(ours["selftests"]),
                             checks.results(plain["selftests"]), "ours", "stock")
        yield from static_calls.beside_generic(counted, (yield from self.count(self.plain)))
        yield from self.check_module_of(self.plain)
        static_calls.report_link(self.plain, f"ld.lld{self.tools.llvm}")
        report.size("vmlinux", {"with generic static calls": [self.plain.out / "vmlinux"],
                                "with the linker's": [self.ours.out / "vmlinux"]})

    def check_module_of(self, other):
        """Copies a module of the same version and configuration that another linker linked."""
        shutil.copy(self.modules(other) / "sc_user.ko",
                    self.modules(self.ours) / "sc_generic.ko")
        said = yield from self.booted(self.ours, "refused", "refused", on=self.quick_boot)
        if said:
            yield from static_calls.refused(said["refused"], "sc_generic")
