# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jemalloc in a server (servers/allocating.cpp), instead of the C library's malloc()."""
import subprocess

from . import Unit, unpack
from .allocating import link


def configure(source, cc):
    """Generates jemalloc's headers. The last one, which renames private functions, is empty
    here; make would generate its contents."""
    environment = ("env", f"CC={cc}", "CFLAGS=-O2")
    subprocess.run(["autoconf"], cwd=source, check=True)
    subprocess.run([*environment, "sh", "./configure", "--disable-cxx"], cwd=source, check=True,
                   stdout=subprocess.DEVNULL)
    (source / "include/jemalloc/internal/private_namespace.h").write_text("")


def images(folder, cc):
    source = unpack("jemalloc", folder)
    if not (source / "include/jemalloc/internal/private_namespace.h").exists():
        configure(source, cc)
    # zone.c is for macOS.
    return link("jemalloc", *(
        Unit(path, ("-std=gnu11", "-D_GNU_SOURCE", "-D_REENTRANT", "-fvisibility=hidden",
                    f"-I{source / 'include'}"))
        for path in sorted(source.glob("src/*.c")) if path.name != "zone.c"))
