# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the kernel's own tests of BPF programs on functions for a guest, each from its own
source, and parses their output. The kernel's Makefile for these tests would first build about
700 other programs. This file has only the needed rules."""
import re
import shutil
import subprocess

import boot
from kernels import KernelError, run

SELFTESTS = "tools/testing/selftests/bpf"
# The tests, and for each the BPF programs without a generated header.
TESTS = {"fentry_test": (), "fexit_test": (), "fentry_fexit": (), "modify_return": (),
         "fexit_sleep": (), "fexit_stress": (), "fsession_test": (),
         "get_func_args_test": (), "get_func_ip_test": (), "tracing_multi": (),
         "tracing_struct": (), "tracing_failure": (),
         "trampoline_count": ("test_trampoline_count",), "module_fentry_shadow": (),
         "livepatch_trampoline": ()}
RUNNER = ("test_progs", "cgroup_helpers", "trace_helpers", "network_helpers",
          "testing_helpers", "btf_helpers", "cap_helpers", "unpriv_helpers",
          "sysctl_helpers", "netlink_helpers", "jit_disasm_helpers", "io_helpers",
          "test_loader", "disasm", "disasm_helpers", "json_writer")
# Generated headers (skeletons) for several BPF programs, as in the Makefile.
LINKED = {"tracing_multi": ("tracing_multi_attach", "tracing_multi_check"),
          "tracing_multi_module": ("tracing_multi_attach_module", "tracing_multi_check"),
          "tracing_multi_intersect": ("tracing_multi_intersect_attach", "tracing_multi_check"),
          "tracing_multi_session": ("tracing_multi_session_attach", "tracing_multi_check")}
NAMES = {"arm64": "arm64", "riscv": "riscv", "x86-64": "x86"}  # of architectures, in BPF programs

# Upstream signs light skeletons, which needs a kernel with keys. Here they are unsigned: the
# tests' key is an empty array, and getpid() replaces adding the key to the kernel.
NO_CERTIFICATE = """\
#include <sys/syscall.h>
#undef __NR_add_key
#define __NR_add_key __NR_getpid
static unsigned char test_progs_verification_cert[1];
static unsigned int test_progs_verification_cert_len;
"""
# The kernels built here have no network namespaces and no control groups, which these tests
# do not need.
CHANGED = {"test_progs.c": {'"/proc/self/ns/net"': '"/proc/self/exe"',
                            "setns(env.saved_netns_fd, CLONE_NEWNET)": "0"}}
NO_CGROUPS = {"if (bpf_cgroup_from_id_id < 0 || bpf_cgroup_release_id < 0)": "if (0)"}
RULES = """\
rule bpftool
  command = make -s -C $tree/tools/bpf/bpftool OUTPUT=$out/bpftool/ CC=$cc HOSTCC=$cc \
LLVM=$llvm SKIP_LLVM=1 SKIP_LIBBFD=1 SKIP_CRYPTO=1 feature_display=0 bootstrap
rule helpers
  command = $tree/scripts/bpf_doc.py --header --file $tree/tools/include/uapi/linux/bpf.h > $out
rule types
  command = $bpftool btf dump file $in format c > $out
rule cc
  command = $cc --target=$target $cflags -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
rule ar
  command = llvm-ar$llvm rcs $out $in
rule bpf
  command = $cc --target=bpfel -mcpu=v3 $bpfflags -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
rule object
  command = $bpftool gen object $out $in
rule skeleton
  command = $bpftool gen skeleton $in name $name > $out || { rm $out; false; }
rule light
  command = $bpftool gen skeleton -L $in name $name > $out.part && \
sed 's/^.} links;/& __s32 keyring_id;/' $out.part > $out
rule link
  command = $cc --target=$target -fuse-ld=lld -static -rdynamic $in $libs -o $out
"""


class Builder:
    def __init__(self, run_, kernel, root, types, is_built):
        """root has the guest's libraries. types is a file with the types of a kernel of this
        version. Programs adapt to other kernels when they are loaded."""
        self.kernel, self.root, self.types, self.is_built = kernel, root, types, is_built
        self.arch, self.llvm = run_.arch, run_.tools.llvm
        self.out = kernel.out.parent / f"bpf-selftests-{kernel.name}"
        self.tests = kernel.source / SELFTESTS
        self.lines, self.made = [], set()

    def build(self):
        """Returns the tests that cannot be built, with reasons. All others are in test_progs."""
        self.out.mkdir(exist_ok=True)
        self.generate(TESTS)
        unfit = self.unfit()
        if unfit:
            self.generate([name for name in TESTS if name not in unfit])
        run(["ninja", "-C", self.out, "test_progs"], self.out / "log")
        if self.is_built:
            try:
                self.modules()
            except KernelError as error:
                unfit["bpf_testmod"] = str(error).splitlines()[-1]
        return unfit

    def unfit(self):
        """Returns the tests whose objects are missing, with the first compiler message."""
        self.log.unlink(missing_ok=True)
        unfit = {}
        for name in TESTS:
            log = self.out / f"{name}.log"
            log.unlink(missing_ok=True)
            try:
                run(["ninja", "-k", "0", "-C", self.out, f"{name}.test.o",
                     *(f"{program}.bpf.o" for program in TESTS[name])], log)
            except KernelError:
                said = re.search(r"^.*(?:error|Error|warning): .*$",
                                 log.read_text(errors="replace"), re.MULTILINE)
                unfit[name] = said[0] if said else f"see {log}"
        return unfit

    @property
    def log(self):
        return self.out / "log"

    def edge(self, rule, out, inputs, after=(), **variables):
        if out in self.made:
            return
        self.made.add(out)
        after = f" | {' '.join(map(str, after))}" if after else ""
        self.lines.append(f"build {out}: {rule} {' '.join(map(str, inputs))}{after}")
        self.lines += [f"  {name} = {value}" for name, value in variables.items()]

    def generate(self, names):
        self.lines, self.made = [], set()
        tree, out = self.kernel.source, self.out
        (out / "prog_tests").mkdir(exist_ok=True)
        write(out / "verification_cert.h", NO_CERTIFICATE)
        found = {entry for name in names for entry in re.findall(
            r"^void (?:serial_)?test_([a-zA-Z0-9_]+)\((?:void)?\)",
            (self.tests / "prog_tests" / f"{name}.c").read_text(), re.MULTILINE)}
        write(out / "prog_tests" / "tests.h",
              "".join(f"DEFINE_TEST({name})\n" for name in sorted(found)))
        self.edge("bpftool", "bpftool/bootstrap/bpftool", [])
        self.edge("helpers", "bpf_helper_defs.h", [])
        self.edge("types", "vmlinux.h", [self.types], ["bpftool/bootstrap/bpftool"])
        for path in sorted((tree / "tools/lib/bpf").glob("*.c")):
            self.edge("cc", f"libbpf/{path.stem}.o", [path], ["bpf_helper_defs.h"])
        self.edge("ar", "libbpf.a", [line.split()[1].rstrip(":") for line in self.lines
                                     if line.startswith("build libbpf/")])
        objects = [self.test(name) for name in names]
        for name, other in CHANGED.items():
            write(out / name, replaced(self.tests / name, other))
        for name in RUNNER:
            made = out / f"{name}.c"
            self.edge("cc", f"{name}.o", [made if made.exists() else self.tests / f"{name}.c"],
                      ["bpf_helper_defs.h"])
            objects.append(f"{name}.o")
        self.edge("cc", "find_bit.o", [tree / "tools/lib/find_bit.c"])
        # Tests that read their BPF programs from files.
        programs = [f"{program}.bpf.o" for name in names for program in TESTS[name]]
        self.edge("link", "test_progs", [*objects, "find_bit.o", "libbpf.a"], programs)
        write(out / "build.ninja", self.variables() + RULES.replace("$out/bpftool", f"{out}/bpftool")
              + "\n".join(self.lines) + "\n")

    def variables(self):
        tree, tools = self.kernel.source, self.kernel.source / "tools"
        target = boot_target(self.arch)
        folders = [self.out, self.tests, self.tests / "libarena/include", tools / "lib",
                   tools / "include", tools / "arch" / self.kernel.source_arch / "include",
                   tools / "include/uapi"]
        includes = " ".join(f"-I{folder}" for folder in folders)
        common = f"-g -std=gnu11 {includes}"
        if self.is_built:
            common += f" -DHAVE_GENHDR -I{self.kernel.out}/include/generated"
        libs = [self.root / "usr/lib" / target / name for name in ("libelf.a", "libz.a")]
        return "".join(f"{name} = {value}\n" for name, value in {
            "tree": tree, "cc": f"clang{self.llvm}", "llvm": self.llvm, "target": target,
            "bpftool": "bpftool/bootstrap/bpftool", 
            "libs": " ".join(map(str, libs)) + " -lrt -lpthread",
            # Do not optimize, like upstream: optimization removes calls of empty functions.
            "cflags": f"{common} -O0 -D_GNU_SOURCE -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64"
                      f" -idirafter {self.root}/usr/include -w -fno-omit-frame-pointer",
            "bpfflags": f"{common} -O2 -D__TARGET_ARCH_{NAMES[self.arch]} -mlittle-endian"
                        " -fno-strict-aliasing -fms-extensions -w "
                        + " ".join(f"-idirafter {folder}" for folder in self.system_headers(target)),
        }.items())

    def system_headers(self, target):
        said = subprocess.run([f"clang{self.llvm}", f"--target={target}", "-v", "-E", "-"],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True, check=True).stderr
        found = re.search(r"<\.\.\.> search starts here:\n(.*?)End of search list",
                          said, re.DOTALL)
        return found[1].split()

    def test(self, name):
        """Builds a test's object, and the headers of BPF programs that it includes."""
        text = (self.tests / "prog_tests" / f"{name}.c").read_text()
        headers = []
        for program, light in re.findall(r'#include "(\w+)\.(l?)skel\.h"', text):
            header = f"{program}.{light}skel.h"
            for part in LINKED.get(program, (program,)):
                self.program(part)
            self.edge("object", f"{program}.linked.o",
                      [f"{part}.bpf.o" for part in LINKED.get(program, (program,))])
            self.edge("light" if light else "skeleton", header, [f"{program}.linked.o"],
                      name=f"{program}_lskel" if light else program)
            headers.append(header)
        for program in TESTS[name]:
            self.program(program)
        source = self.out / "prog_tests" / f"{name}.c"
        # Upstream skips this test except on x86-64.
        write(source, text.replace("#ifndef __x86_64__\n\ttest__skip();",
                                   "#if 0\n\ttest__skip();"))
        self.edge("cc", f"{name}.test.o", [source], [*headers, "bpf_helper_defs.h"])
        return f"{name}.test.o"

    def program(self, name):
        self.edge("bpf", f"{name}.bpf.o", [self.tests / "progs" / f"{name}.c"],
                  ["vmlinux.h", "bpf_helper_defs.h"])

    def modules(self):
        """Builds the modules whose functions are tested."""
        folder = self.out / "test_kmods"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.tests / "test_kmods", folder)
        module = folder / "bpf_testmod.c"
        module.write_text(replaced(module, NO_CGROUPS))
        # Replace the selftests' Makefile by the Makefile of a plain kernel module.
        write(folder / "Makefile", "obj-m := bpf_testmod.o\nCFLAGS_bpf_testmod.o = -I$(src)"
              f" -I{self.tests}\n")
        self.kernel.make(f"M={folder}", "modules")
        shutil.copy(folder / "bpf_testmod.ko", self.out)

    def tree(self):
        """Makes a folder with the files for the guest."""
        folder = self.out / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for path in (self.out / "test_progs", *self.out.glob("bpf_testmod.ko"),
                     *(self.out / f"{name}.bpf.o" for names in TESTS.values() for name in names)):
            if path.exists():
                shutil.copy(path, folder)
        return folder


def boot_target(arch):
    return boot.GUESTS[arch].sysroot.rpartition("/")[2]


def replaced(path, replacements):
    text = path.read_text()
    for old, new in replacements.items():
        if old not in text:
            raise KernelError(f"no {old} in {path}")
        text = text.replace(old, new)
    return text


def write(path, text):
    """Writes a file only if its contents change, to avoid needless builds by ninja."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


# "#3 fexit_test:OK" and, for a subtest, "#3/2 fexit_test/many_args:FAIL"
RESULT = re.compile(r"^#\d+(?:/\d+)? +(\S+?):(OK|FAIL|SKIP)(?: .*)?$", re.MULTILINE)


def results(text):
    return dict(RESULT.findall(text))


# Tests without modules built for the kernel, on one function.
SINGLE = ("fentry_fexit", "fentry_test/fentry", "fexit_test/fexit", "fexit_sleep",
          "fexit_stress", "fsession_test", "get_func_args_fsession_test",
          "get_func_ip_fsession_test", "modify_return", "tracing_failure")


# A test that attaches to all functions, and also runs without the tests' module.
MANY = "tracing_multi_bench_attach"


def accepted(config):
    """Known failures of a kernel with this configuration, and their reasons. No reason is a
    fault of direct calls."""
    known = {}
    if "CONFIG_PREEMPT_RCU=y\n" not in config:
        known["tracing_failure/tracing_deny"] = (
            "without PREEMPT_RCU no deny list has __rcu_read_lock(), of which clang keeps a copy")
    pahole = re.search(r"^CONFIG_PAHOLE_VERSION=(\d+)$", config, re.MULTILINE)
    if pahole and int(pahole[1]) < 126:
        # The kernel then reads the types of arguments from bpf_list_add_impl(). resolve_btfids
        # adds that function only if pahole has marked functions with "bpf_kfunc".
        known[MANY] = (f"pahole {int(pahole[1]) / 100} does not mark what programs can call, so"
                       " bpf_list_add() and others with KF_IMPLICIT_ARGS have no types to attach"
                       " to (EINVAL, alone, too)")
    return known


def known_failures(found, accepted_):
    """Prints the reason of each accepted failure, and returns the names of these tests."""
    known = set()
    for name, why in accepted_.items():
        if found.get(name) == "FAIL":
            print(f"known: {name}: {why}")
            # A test fails with its subtest; accept that if no other subtest fails.
            whole = name.partition("/")[0]
            parts = [part for part, result in found.items()
                     if part.startswith(f"{whole}/") and result == "FAIL"]
            known |= {name} if parts not in ([], [name]) else {name, whole}
    return known


def check(text, unfit, beside, accepted_):
    """Compares each test with its results in other kernels."""
    found = results(text)
    show(found, unfit, beside)
    known = known_failures(found, accepted_)
    failed = [name for name, result in found.items() if result == "FAIL" and name not in known]
    # Known tests must have run and passed: a test that did not run has no FAIL line.
    failed += [name for name in (*SINGLE, MANY) if found.get(name) not in ("OK", "FAIL")]
    yield (f"the kernel's own tests of BPF programs on functions: {tally(found)}; {len(unfit)} not"
           " built", "Summary:" in text and not failed and not unfit,
           "; ".join(failed) or text[-3000:])
    for name, theirs in beside.items():
        passed = [test for test, result in theirs.items() if result == "OK"]
        worse = [test for test in passed if found.get(test) != "OK" and test not in known]
        yield (f"all {len(passed)} that pass in {name} do, too, but for what is known",
               passed and not worse,
               "; ".join(worse))


def check_unpatched(text, unfit, has_many, accepted_):
    """The checks for a kernel where a program can be attached to one function only, or where
    the tests' modules are missing."""
    found = results(text)
    show(found, unfit, {})
    known = known_failures(found, accepted_)
    failed = [name for name in SINGLE if found.get(name) != "OK" and name not in known]
    yield (f"the kernel's own tests of BPF programs on one function pass, but for what is known:"
           f" {len(SINGLE)}; of all {tally(found)}", "Summary:" in text and not failed,
           "; ".join(failed) or text[-3000:])
    yield (f"that of a program on all functions {'passes' if has_many else 'fails'}",
           found.get(MANY) == ("OK" if has_many else "FAIL"), text[-3000:])


def show(found, unfit, beside):
    """Prints the tests that did not pass, in columns."""
    for name, why in unfit.items():
        print(f"not built: {name}: {why}")
    kernels = {"this": found, **beside}
    print(" | ".join(f"{name:16}" for name in kernels) + " | test")
    for test in dict.fromkeys(test for results_ in kernels.values() for test in results_):
        row = [results_.get(test, "missing") for results_ in kernels.values()]
        if set(row) != {"OK"}:
            print(" | ".join(f"{result:16}" for result in row) + f" | {test}")


def tally(found):
    return ", ".join(f"{sum(value == kind for value in found.values())} {kind}"
                     for kind in ("OK", "FAIL", "SKIP"))
