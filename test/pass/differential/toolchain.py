# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles, links, runs and inspects programs of all targets."""
import json
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
import build_tree

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent
RUN_LIMIT = 60  # seconds; a program runs for a few hundredths of one
# csmith's programs have the same meaning on all targets under two rules: overflow wraps, and
# only an explicit multiply-add is fused.
CFLAGS = ("-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
          "-Wno-everything", "-Wbackend-plugin", "-fno-crash-diagnostics",
          "-I", str(HERE / "Inputs"), "-mllvm", "-verify-machineinstrs")
LDFLAGS = ("-fuse-ld=lld", "-Wl,--threads=1")


class SetupError(Exception):
    """The test cannot run. The message says what the user must do."""


class ToolError(Exception):
    """`patchbay` refuses an image."""


@dataclass(frozen=True)
class Target:
    name: str        # the first part of the triple
    emulator: tuple  # the command that runs its programs on other machines
    library: str     # Debian's name in packages of C libraries
    # Options that change the start of functions or how functions are reached, one set per
    # program.
    flavours: tuple


COMMON = ((), ("-static",), ("-fno-pic", "-no-pie"), ("-ffunction-sections",), ("-g",),
          ("-fstack-protector-all", "-fstack-clash-protection"),
          ("-fno-omit-frame-pointer", "-falign-functions=64"))
TARGETS = {target.name: target for target in (
    Target("x86_64", ("qemu-x86_64",), "amd64",
           COMMON + (("-fcf-protection=full",), ("-mstackrealign",))),
    Target("aarch64", ("qemu-aarch64",), "arm64",
           COMMON + (("-mbranch-protection=standard",), ("-mbranch-protection=pac-ret+leaf",))),
    Target("powerpc64le", ("qemu-ppc64le", "-cpu", "power10"), "ppc64el",
           COMMON + (("-mcpu=pwr9",), ("-mcpu=pwr10",))),
    Target("riscv64", ("qemu-riscv64",), "riscv64",
           COMMON + (("-mno-relax",), ("-msave-restore",))),
)}
HOST = {"ppc64le": "powerpc64le"}.get(platform.machine(), platform.machine())


@dataclass(frozen=True)
class Configuration:
    target: Target
    opt: str
    kcfi: bool
    flavour: tuple = ()

    def __str__(self):
        return f"{self.target.name} -{self.opt} {'kcfi' if self.kcfi else 'no-cfi'}"

    @property
    def file_name(self):
        return str(self).replace(" -", "-").replace(" ", "-")

    @property
    def flags(self):
        return (f"--target={self.target.name}-linux-gnu", f"-{self.opt}",
                *(["-fsanitize=kcfi"] if self.kcfi else []))


class Toolchain:
    def __init__(self, build):
        build = build.resolve()
        try:
            self.cc = build_tree.compiler(build)
        except build_tree.NoBuildTree as error:
            raise SetupError(error) from None
        self.plugin = build / "lib" / "patchbay-pass.so"
        self.tool = build / "bin" / "patchbay"
        for product in (self.plugin, self.tool):
            if not product.exists():
                raise SetupError(f"no {product}: run `cmake --build {build}`")
        self.csmith = shutil.which("csmith")
        if not self.csmith:
            raise SetupError("csmith not found: install csmith and libcsmith-dev")
        self.include = Path(self.csmith).resolve().parent.parent / "include" / "csmith"
        if not (self.include / "csmith.h").exists():
            raise SetupError(f"no {self.include}/csmith.h: install libcsmith-dev")
        self.nm = self._text(self.cc, "-print-prog-name=llvm-nm").strip()

    def _text(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def compile_command(self, configuration, source, output, plugin):
        instrument = [f"-fplugin={self.plugin}", "-Werror=backend-plugin"] if plugin else []
        return [self.cc, *configuration.flags, *CFLAGS, "-isystem", str(self.include),
                *configuration.flavour, *instrument, "-c", str(source), "-o", str(output)]

    def link_command(self, configuration, objects, output):
        return [self.cc, *configuration.flags, *configuration.flavour, *LDFLAGS,
                *map(str, objects), "-o", str(output)]

    def run_command(self, configuration, image, *arguments):
        target = configuration.target
        libraries = f"/usr/{target.name}-linux-gnu"
        emulator = [] if target.name == HOST else [*target.emulator, "-L", libraries]
        return [*emulator, str(image), *arguments]

    def recorded(self, image):
        """Returns the names of the functions with records, and how often."""
        found = subprocess.run([self.tool, "list", "--json", image],
                               capture_output=True, text=True)
        if found.returncode == 3:
            return Counter()
        if found.returncode:
            raise ToolError(f"patchbay list fails: {found.stderr.strip()}")
        return Counter(_plain(function["name"])
                       for function in json.loads(found.stdout)["functions"])

    def verify_command(self, image):
        return [str(self.tool), "verify", str(image)]

    def verify(self, image):
        """Returns the first fault that `patchbay verify` finds."""
        ended = run(self.verify_command(image))
        return f"patchbay verify: {ended.first_line}" if ended.status else None

    def defined(self, objects):
        """Returns the names of the functions that objects define. Skips other symbols in code:
        labels, the prefixes of stock kCFI, and the plugin's pads and functions that register a
        module."""
        symbols = self._text(self.nm, "--defined-only", "--format=posix", *objects)
        names = (line.split()[0] for line in symbols.splitlines()
                 if line[:1] and line.split()[1:2] and line.split()[1] in "tTwW")
        return Counter(_plain(name) for name in names
                       if not name.startswith((".", "__cfi_", "__patchbay_", "pad.")))


def _plain(name):
    """Removes the suffix that LLVM appends to names of copies."""
    return name.partition(".")[0]


@dataclass(frozen=True)
class Ended:
    """Describes the result of a command."""
    words: str
    status: int  # -N: by signal N
    stdout: str = ""
    stderr: str = ""

    @property
    def first_line(self):
        return (self.stdout + self.stderr or self.words).partition("\n")[0]


def run(command, limit=RUN_LIMIT):
    try:
        ended = subprocess.run(command, capture_output=True, text=True, errors="replace",
                               timeout=limit)
    except subprocess.TimeoutExpired:
        return Ended(f"does not end in {limit} s", 1)
    status = ended.returncode
    if status < 0:
        words = f"dies of {signal.Signals(-status).name}"
    elif status:
        words = f"exits with {status}"
    else:
        words = f"prints '{', '.join(ended.stdout.splitlines())}'"
    return Ended(words, status, ended.stdout, ended.stderr)
