# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One BPF program on many functions, in kernels of all kinds that it is for, and in
one that cannot do it. The checks themselves are in multi.py."""
import dataclasses

import boot
import checks
import multi
from base import BaseRun, finished, llvm, product
from kernels import HERE, ROOT, KernelError, Tools, other_source, source


class MultiRun(BaseRun):
    module_sources = HERE / "modules"
    VARIANTS = ()
    # In the order in which they are built. "ours" has CFI and the plugin, and is the
    # kernel of run.py without --multi.
    KERNELS = ("ours", "no-cfi", "unpatched", "debug")
    # Upstream's CALL_OPS for ppc64le needs no plugin, and there is no CFI.
    NO_CFI_ALONE = ("ppc64le",)
    # Where system calls have other names inside the kernel.
    PREFIXES = {"ppc64le": "sys_"}

    def __init__(self, options):
        known = self.KERNELS[options.arch in self.NO_CFI_ALONE:]
        unknown = [name for name in options.multi if name not in known]
        if unknown:
            raise KernelError(f"no kernel {unknown[0]} for {options.arch}: use "
                              + ", ".join(known))
        self.names = options.multi or known
        if options.arch in self.NO_CFI_ALONE and not options.out:
            # Other patches and another configuration than those of static calls.
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
        self.programs = {"MULTI": self.out / "multi", "STORM": self.out / "multi-storm",
                         "REPLACED": self.out / "multi-replaced"}

    def check_all(self, quick, _variants, _rival):
        self.storm = 20 if quick else 600  # seconds
        prefix = self.PREFIXES.get(self.arch, f"__{self.arch}_sys_")
        for path in self.programs.values():
            self.program(HERE / "guest" / f"{path.name}.c", f'-DPREFIX="{prefix}"',
                         "-I", self.source / "tools/include/uapi")
        for name in self.names:
            yield from self.check_kernel(name)

    def described(self, name):
        """The kernel, which is configured with and without the plugin."""
        config = ["far"] if self.arch == "arm64" else []
        if not self.has_cfi:
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
        self.say(f"building {name}")
        try:
            kernel.build()
            if name != "unpatched":
                self.build_modules(kernel)
        except KernelError as error:
            yield f"kernel {name} is built", False, str(error)
            return
        yield f"kernel {name} is built", True, ""
        if name == "debug":
            for line, good in kernel.asked():
                yield f"{name}: {line}", good, "not so"
        if name == "unpatched":
            said = yield from self.booted(kernel, "multi")
            if said:
                yield from multi.refused(said["multi"], "on the unpatched kernel")
                yield from checks.log(said["log"])
            return
        # With all that is looked up there, times say nothing.
        scripts = ("multi-replaced",) if name == "debug" else ("multi", "multi-replaced", "sets")
        said = yield from self.booted(kernel, *scripts)
        yield from multi.booted(said, self.arch)
        said = yield from self.booted(kernel, "multi-storm", cpus=2)
        yield from multi.booted(said, self.arch)

    def booted(self, kernel, *scripts, cpus=None):
        on = boot.Machine.usual(self.arch).anywhere().without_startup_tests()
        if cpus:
            on = on.with_cpus(cpus)
        future = self.pool.submit(self.boot, kernel, *scripts, "log", on=on,
                                  SECONDS_OF_STORM=self.storm)
        return (yield from finished(kernel, {scripts[0]: future}, scripts[0]))
