#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""static_call_objects.py --build DIR --out DIR [--stock LD]

Compiles security/security.o of Linux 7.2, which calls all hooks of security modules, for
x86-64, arm64 and ppc64le, and links it. Compares the static calls that our linker lists with
the branches in the object, and on x86-64 also with the list made by the kernel's objtool. With
--stock, also links the object with that LLD, and with our linker without options: the two
outputs must be identical."""
import argparse
import filecmp
import re
import shutil
import subprocess
import sys
from pathlib import Path

from base import llvm, product
from kernels import SOURCE_ARCH, KernelError, run, source

COMMON = ("64BIT", "SMP", "PRINTK", "EXPERT", "SYSFS", "MULTIUSER", "MODULES", "SECURITY",
          "SECURITY_LOCKDOWN_LSM")
# By architecture: additional options, and the relocation types of branches to a trampoline.
ARCHES = {"x86_64": ((), {"R_X86_64_PLT32"}),
          "arm64": (("CFI",), {"R_AARCH64_CALL26", "R_AARCH64_JUMP26"}),
          "ppc64le": (("PPC64", "CPU_LITTLE_ENDIAN", "PPC_PSERIES"), {"R_PPC64_REL24"})}

# Omit two thirds of the source, but keep the directories that Kconfig reads.
WITHOUT = ("Documentation/devicetree/*", "arch/*/boot/dts/*", "tools/perf/*",
           # Patches change selftests of BPF.
           "tools/testing/[a-rt-z]*", "tools/testing/selftests/[a-ac-z]*",
           *(f"{part}/*.[chS]" for part in ("drivers", "fs", "net", "samples", "sound")))
# Compile the kernel's own tools without optimization, because they run only once.
HOSTCFLAGS = "-O0 -g0"

SECTION = re.compile(r"Relocation section '\.rela(\S+)'")
RELOCATION = re.compile(r"^([0-9a-f]+) +[0-9a-f]+ (R_\w+) +[0-9a-f]+ (\S+) \+ ([0-9a-f]+)")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Objects:
    def __init__(self, options):
        self.out, self.stock = options.out, options.stock
        self.out.mkdir(parents=True, exist_ok=True)
        self.linker, self.llvm = product(options.build, "bin/ld.lld"), llvm(options.build)
        self.source = source("7.2", self.out, without=WITHOUT)

    def compile(self, arch):
        options, _ = ARCHES[arch]
        out = self.out / arch
        out.mkdir(exist_ok=True)
        config = out / "all.config"
        config.write_text("".join(f"CONFIG_{name}=y\n" for name in (*COMMON, *options)))
        cc = f"{'ccache ' if shutil.which('ccache') else ''}clang{self.llvm}"
        make = ["make", "-s", "-j2", "-C", self.source, f"O={out}", "PATCHBAY_PASS=",
                f"ARCH={SOURCE_ARCH.get(arch, arch)}", f"LLVM={self.llvm}", f"LD={self.linker}",
                f"CC={cc}", f"HOSTCC={cc}", f"HOSTCFLAGS={HOSTCFLAGS}"]
        run([*make, f"KCONFIG_ALLCONFIG={config}", "allnoconfig"], out / "make.log")
        run([*make, "security/security.o"], out / "make.log")
        return out / "security" / "security.o"

    def link(self, linker, *arguments):
        subprocess.run([linker, *arguments], check=True)
        return arguments[-1]

    def relocations(self, path):
        """Yields relocations: section, offset, type, symbol, addend."""
        section = None
        for line in output(f"llvm-readelf{self.llvm}", "-rW", path).splitlines():
            if found := SECTION.match(line):
                section = found[1]
            elif found := RELOCATION.match(line):
                yield (section, int(found[1], 16), found[2], found[3], int(found[4], 16))

    def listed(self, path):
        """The contents of .static_call_sites: (address, name, whether the branch is a jump)."""
        table = [(f"{symbol}+{addend:#x}", symbol, addend) for section, _, _, symbol, addend
                 in self.relocations(path) if section == ".static_call_sites"]
        return sorted((place[0], re.sub("^__SC[KT]__", "", key[1]), key[2])
                      for place, key in zip(table[::2], table[1::2]))

    def branches(self, path, arch):
        """The calls that listed() must have, from the relocations of the code."""
        _, types = ARCHES[arch]
        names = [found for found in self.relocations(path)
                 if found[2] in types and found[3].startswith("__SCT__")]
        return sorted((f"{section}+{offset:#x}", symbol[len("__SCT__"):],
                       int(kind == "R_AARCH64_JUMP26"))
                      for section, offset, kind, symbol, _ in names)

    def check(self, arch):
        try:
            compiled = self.compile(arch)
        except KernelError as error:
            yield f"{arch}: security.o is compiled", False, str(error)
            return
        out = compiled.parent
        by_objtool = self.listed(compiled)
        bare = out / "bare.o"
        run([f"llvm-objcopy{self.llvm}", "--remove-section=.static_call_sites", compiled, bare],
            out / "objcopy.log")
        sites = self.listed(self.link(self.linker, "-r", "--static-call-sites", bare,
                                      "-o", out / "sites.o"))
        wanted = by_objtool if arch == "x86_64" else self.branches(bare, arch)
        yield (f"{arch}: {len(sites)} static calls are listed, as "
               f"{'by objtool' if arch == 'x86_64' else 'there are branches'}",
               len(sites) > 100 and sites == wanted,
               f"{len(wanted)} are wanted; {sorted(set(sites) ^ set(wanted))[:6]}")
        if arch == "ppc64le":
            yield from self.check_kernel(bare, len(wanted))
        if self.stock:
            ours = self.link(self.linker, "-r", compiled, "-o", out / "ours.o")
            stock = self.link(self.stock, "-r", compiled, "-o", out / "stock.o")
            yield (f"{arch}: without options the output is stock LLD's, byte by byte",
                   filecmp.cmp(ours, stock, shallow=False), f"{ours} and {stock} differ")

    def check_kernel(self, compiled, calls):
        """Links the object as vmlinux is linked, although most callees are missing."""
        linked = self.link(self.linker, "--static-calls-kernel", "-e", "0",
                           "--unresolved-symbols=ignore-all",
                           "--defsym=__static_call_toc_offset=16", compiled,
                           "-o", compiled.parent / "kernel")
        code = output(f"llvm-objdump{self.llvm}", "-d", "--no-show-raw-insn", linked)
        restored = len(re.findall(r"\tbl \S+ <__SCT__\S+\n[^\n]*\tld 2, 16\(13\)", code))
        yield (f"ppc64le: behind {restored} calls r2 is loaded from the PACA",
               restored == calls and code.count("ld 2, 16(13)") == calls, f"of {calls}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stock", type=Path)
    failed = 0
    try:
        objects = Objects(parser.parse_args())
        for arch in ARCHES:
            for what, good, seen in objects.check(arch):
                failed += not good
                print(f"ok: {what}" if good else f"FAILED: {what}\n| {seen}", flush=True)
    except (KernelError, subprocess.CalledProcessError) as error:
        print(f"static_call_objects.py: {error}", file=sys.stderr)
        return 1
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
