# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jemalloc in a server (servers/allocating.cpp), in place of the C library's malloc()."""
import subprocess

from . import Unit, unpack
from .allocating import link


def configure(source, cc):
    """Writes its headers. The last is of make's: names that the linker does not see;
    without them private functions keep the names that the source has."""
    environment = ("env", f"CC={cc}", "CFLAGS=-O2")
    subprocess.run(["autoconf"], cwd=source, check=True)
    subprocess.run([*environment, "sh", "./configure", "--disable-cxx"], cwd=source, check=True,
                   stdout=subprocess.DEVNULL)
    (source / "include/jemalloc/internal/private_namespace.h").write_text("")


def images(folder, cc):
    source = unpack("jemalloc", folder)
    if not (source / "include/jemalloc/internal/private_namespace.h").exists():
        configure(source, cc)
    # zone.c is macOS's.
    return link("jemalloc", *(
        Unit(path, ("-std=gnu11", "-D_GNU_SOURCE", "-D_REENTRANT", "-fvisibility=hidden",
                    f"-I{source / 'include'}"))
        for path in sorted(source.glob("src/*.c")) if path.name != "zone.c"))
