# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and links a program."""
import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from . import ProgramError

# Ignore warnings about upstream's code, but treat the pass's warnings as errors.
COMMON = ("-O2", "-Wno-everything", "-Werror=backend-plugin")


def compile_flags(unit, flags):
    """Assembly is not instrumented."""
    instrument = () if unit.source.suffix == ".S" else tuple(flags)
    return (*COMMON, *unit.flags, *instrument)


def object_name(unit):
    digest = hashlib.sha256(repr((str(unit.source), unit.flags)).encode())
    return f"{unit.source.stem}-{digest.hexdigest()[:8]}.o"


class Build:
    """One variant of a program, in its own folder."""

    def __init__(self, cc, folder, flags, link_flags=(), jobs=None):
        self.cc, self.folder, self.flags = cc, folder, flags
        self.link_flags = link_flags
        self.jobs = jobs or len(os.sched_getaffinity(0))
        self.messages = []
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, images):
        """Compiles each unit once, even if several images contain it, and links."""
        units = list(dict.fromkeys(unit for image in images for unit in image.units))
        with ThreadPoolExecutor(self.jobs) as pool:
            self.messages = list(pool.map(self._compile, units))
            list(pool.map(self._link, images))
        return len(units)

    def _compile(self, unit):
        return self._run(*compile_flags(unit, self.flags), "-c", unit.source, "-o",
                         self.folder / object_name(unit))

    def _link(self, image):
        self._run(*self.link_flags, *(self.folder / object_name(unit)
                                      for unit in image.units),
                  *image.libraries, "-o", self.folder / image.name)

    def _run(self, *arguments):
        command = [str(word) for word in (self.cc, *arguments)]
        run = subprocess.run(command, text=True, stderr=subprocess.PIPE)
        if run.returncode:
            raise ProgramError(f"{' '.join(command)}: failed\n{run.stderr.strip()}")
        return run.stderr
