# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mimalloc in a server (servers/allocating.cpp), instead of the C library's malloc()."""
from . import Unit, unpack
from .allocating import link


def images(folder, cc):
    source = unpack("mimalloc", folder)
    # src/static.c includes the other files.
    return link("mimalloc", Unit(source / "src" / "static.c", (
        "-std=gnu11", "-DMI_MALLOC_OVERRIDE", "-DNDEBUG", "-ftls-model=initial-exec",
        "-fno-builtin-malloc", f"-I{source / 'include'}")))
