# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tcmalloc of gperftools in a server (servers/allocating.cpp), instead of the C library's
malloc(). The server contains the files of gperftools' libtcmalloc_minimal.a."""
import os
import shutil
import subprocess
from pathlib import Path

from . import Unit, unpack
from .allocating import link

FILES = ("common", "internal_logging", "system-alloc", "memfs_malloc", "central_freelist",
         "page_heap", "sampler", "span", "stack_trace_table", "static_vars", "symbolize",
         "thread_cache", "malloc_hook", "malloc_extension", "maybe_threads", "tcmalloc",
         "base/logging", "base/dynamic_annotations", "base/spinlock", "base/spinlock_internal",
         "base/sysinfo")


def compiler_of_cxx(cc):
    """The C++ compiler, which LLVM installs beside the C compiler."""
    return Path(os.path.realpath(shutil.which(cc))).with_name("clang++")


def images(folder, cc):
    source = unpack("google-perftools", folder)
    headers = folder / "tcmalloc-headers"
    if not (headers / "config.h").exists():
        subprocess.run(["cmake", "-S", source, "-B", headers, f"-DCMAKE_C_COMPILER={cc}",
                        f"-DCMAKE_CXX_COMPILER={compiler_of_cxx(cc)}",
                        "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                        "-Dgperftools_build_minimal=ON"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    flags = ("-DNO_TCMALLOC_SAMPLES", "-DNO_HEAP_CHECK", "-DNDEBUG", "-fno-builtin-malloc",
             f"-I{headers}", f"-I{source / 'src'}")
    paths = [next(source.glob(f"src/{name}.c*")) for name in FILES]
    return link("tcmalloc", *(
        Unit(path, (*flags, "-std=c++17") if path.suffix == ".cc" else flags)
        for path in paths))
