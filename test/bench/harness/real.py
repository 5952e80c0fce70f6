# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds programs of test/programs for a system."""
import sys

from .toolchain import SOURCE

sys.path.append(str(SOURCE / "test" / "programs"))
import programs  # noqa: E402
from programs.build import compile_flags  # noqa: E402

# More programs would take longer and add little information.
PROGRAMS = ("zstd", "sqlite", "fmt")
ProgramError = programs.ProgramError


def images(tools, name):
    folder = tools.cache / name
    folder.mkdir(exist_ok=True)
    return programs.load(name).images(folder, tools.cc)


def flags(name, system):
    """Returns the compiler's options. With kCFI, they exclude calls that kCFI cannot check."""
    return system.flags + programs.kcfi(name) if system.checks else system.flags


def build(tools, name, image, system):
    objects = tools.each(
        lambda unit: tools.compile(unit.source, compile_flags(unit, flags(name, system))),
        image.units)
    return tools.program(f"{image.name}-{system.name}", objects.values(),
                         image.libraries)
