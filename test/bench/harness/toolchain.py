# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and links with the compiler of the build tree, without ccache. Keeps each output with a
hash of all inputs in a separate file, and rebuilds the output when the hash changes."""
import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import BenchError

BENCH = Path(__file__).resolve().parent.parent
sys.path.append(str(BENCH.parent))
import build_tree

SOURCE = BENCH.parent.parent
CFLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIE", "-Wall", "-Wextra",
          "-I", str(SOURCE / "runtime" / "include"), "-I", str(BENCH / "src"))
LDFLAGS = ("-pie", "-fuse-ld=lld")


class Toolchain:
    def __init__(self, build):
        self.build = Path(build).resolve()
        try:
            self.cc = build_tree.compiler(self.build)
        except build_tree.NoBuildTree as error:
            raise BenchError(error) from None
        self.lib = self.build / "lib"
        self.cache = self.build / "bench"
        self.cache.mkdir(exist_ok=True)
        self.version = self._output("--version").splitlines()[0]
        headers = [*(BENCH / "src").glob("*.h"),
                   *(SOURCE / "runtime" / "include").rglob("*.h")]
        self._common = [self.version, *(h.read_text() for h in sorted(headers))]

    def product(self, name):
        """Returns a library of the build tree, or a program if the name begins with bin/."""
        path = (self.build if name.startswith("bin/") else self.lib) / name
        if not path.exists():
            raise BenchError(f"no {path}: run `cmake --build {self.build}`")
        return path

    def tool(self, name):
        """Returns a tool of the compiler's release, such as its own linker."""
        return self._output(f"--print-prog-name={name}").strip()

    def runtime_library(self, name):
        """Returns a library of compiler-rt, or None if it is not installed."""
        folder = Path(self._output("--print-runtime-dir").strip())
        # The folder named after the triple, and Debian's folder.
        for path in (folder / f"lib{name}.a",
                     folder.parent / "linux" / f"lib{name}-x86_64.a"):
            if path.exists():
                return path
        return None

    def object(self, source, flags=()):
        """Compiles one file, relative to src/ unless its path is absolute."""
        source = BENCH / "src" / source
        return self._make(source.stem, ".o", [*CFLAGS, *flags, "-c", str(source)])

    def compile(self, source, arguments):
        """Compiles one file with only these arguments."""
        return self._make(source.stem, ".o", [*arguments, "-c", str(source)])

    def program(self, name, objects, flags=()):
        return self.link(name, [*LDFLAGS, *map(str, objects), *flags])

    def link(self, name, arguments, suffix=""):
        """Links with only these arguments."""
        return self._make(name, suffix, list(map(str, arguments)))

    def each(self, function, items):
        """Calls the function for each item, on all CPUs. Returns the results by item."""
        items = list(items)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return dict(zip(items, pool.map(function, items)))

    def _make(self, name, suffix, arguments):
        digest = hashlib.sha256(repr(self._common).encode())
        for argument in sorted(set(arguments)):
            file = Path(argument.partition("=")[2] or argument)
            if file.is_absolute() and file.is_file():
                digest.update(file.read_bytes())
        made_from = digest.hexdigest()
        key = hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:16]
        path = self.cache / f"{name}-{key}{suffix}"
        stamp = path.with_name(path.name + ".made-from")
        if not (path.exists() and stamp.exists()
                and stamp.read_text() == made_from):
            # Write to a temporary file, and write the stamp last, so that an interrupted or
            # concurrent run leaves no partial file.
            own = f".{os.getpid()}-{threading.get_ident()}-{path.name}"
            part = path.with_name(own)
            self._output(*arguments, "-o", str(part))
            part.rename(path)
            part.write_text(made_from)
            part.rename(stamp)
        return path

    def _output(self, *arguments):
        try:
            run = subprocess.run([self.cc, *arguments], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise BenchError(f"cannot run the compiler {self.cc}: {error}")
        if run.returncode:
            raise BenchError(f"{self.cc} {' '.join(arguments)}: failed\n"
                             f"{run.stderr.strip()}")
        return run.stdout
