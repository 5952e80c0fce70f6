# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel with static calls that the linker has made must show."""
import re
import subprocess

from kernels import HERE

KERNEL_PATCH = HERE / "static-calls" / "kernel.patch"
MODULES = HERE / "static-calls" / "modules"
OPTIONS = ("LD_HAS_STATIC_CALLS", "HAVE_STATIC_CALL_INLINE", "STATIC_CALL_SELFTEST",
           "CODE_PATCHING_SELFTEST", "DYNAMIC_FTRACE_WITH_CALL_OPS",
           "DYNAMIC_FTRACE_WITH_DIRECT_CALLS", "LIVEPATCH", "RELOCATABLE", "STRICT_KERNEL_RWX")
STARTUP_TESTS = ("Testing dynamic ftrace:", "Testing dynamic ftrace ops #1:",
                 "Testing ftrace recursion:")

# QEMU's memory for the firmware's variables is empty.
KNOWN = "WARNING: nvram corruption detected: 0-length partition"

# Callers, who defines the static call, and targets: kernel or module.
CASES = ("kkk", "kkm", "mkk", "mkm", "mmm", "mmk")
RIGHT = ("k ret0", "k null", "k not null", "k null again", "m ret0", "m null", "m not null",
         "m null again")
# What a site in the kernel has become, after each kind of update.
SITES = {"kkk": r"bl test_target_k\+0x8/", "kkm": r"bl __SCT__test_k\+0xc/",
         "ret0": r"bl __SCT__test_k\+0x1c/", "again": r"bl test_target_k\+0x8/",
         "null": r"60000000$", "null-again": r"60000000$"}

CALL = re.compile(r"\sbl\s+0x([0-9a-f]+)")
RESTORE = re.compile(r"\sld\s+2, 16\(13\)")


def durations(text):
    """Instructions of a call, by case and kind, loop and target included."""
    return {(case, kind): float(time) for case, kind, time in
            re.findall(r"^(\S+) (static|generic|direct) ([\d.]+) right$", text, re.MULTILINE)}


def calls(text):
    wrong = re.findall(r"^.* WRONG$", text, re.MULTILINE)
    seen = durations(text)
    missing = [case for case in CASES if (case, "static") not in seen]
    missing += [what for what in RIGHT if f"{what} right\n" not in text]
    yield ("calls between kernel and modules are right, and r2 is theirs after each",
           not wrong and not missing, "; ".join(wrong + missing))
    for what, form in SITES.items():
        found = re.search(rf"^site {what} at \+\d+: (.*)$", text, re.MULTILINE)
        yield (f"site {what}: {found[1] if found else 'not found'}",
               bool(found and re.match(form, found[1])), text)
    yield ("a kprobe on a site is refused", "kprobe on a site: refused" in text, text)
    yield ("a kprobe on a restore is hit",
           re.search(r"kprobe hits: [1-9]", text) is not None, text)
    yield ("a livepatch replaces a function that makes static calls",
           "livepatched: user 0 wrong, a caller in the kernel 102" in text and
           "as before: user 0 wrong, a caller in the kernel 2" in text, text)
    yield ("tracepoints are hit", re.search(r"tracepoints: [1-9]", text) is not None, text)
    yield ("an LSM hook is asked",
           "unsigned module loading is restricted" in text and
           "lockdown: ignored" not in text, text)


def costs(text):
    """In the guest's nanoseconds, which are instructions with -icount."""
    seen = durations(text)
    for case in (*CASES, "kkk-again", "mkk-again", "mmm-again"):
        static, generic = seen.get((case, "static")), seen.get((case, "generic"))
        if static is None or generic is None:
            continue
        yield (f"{case}: {static:.0f} instructions, through a pointer {generic:.0f}",
               static < generic + 0.5, text)
    static, direct = seen.get(("kkk", "static"), 0), seen.get(("kk", "direct"), 0)
    yield (f"a static call in the kernel takes {static - direct:.0f} instructions more than a "
           "direct one", 0 < static < direct + 1.5, text)


def storm(text):
    said = re.search(r"storm of (\d+) updates of three, on cpu (\d+) (\d+) calls, (\d+) wrong",
                     text)
    users = re.search(r"^users: (\d+)$", text, re.MULTILINE)
    good = said and said[2] != "0" and int(said[3]) > 0 and said[4] == "0"
    yield (f"{said[0] if said else 'a storm of updates'}; "
           f"a module came and went {users[1] if users else 0} times",
           bool(good and users and int(users[1]) > 0 and "wrong: 0\n" in text), text)


def startup(text):
    missing = [test for test in STARTUP_TESTS if not re.search(re.escape(test) + r"[^:]*PASSED",
                                                               text)]
    yield "ftrace's start-up tests pass", not missing, " ".join(missing)
    passed = "Running code patching self-tests" in text
    failed = re.search(r"code-patching: test failed at line \d+", text)
    yield ("the self-tests of code patching pass", passed and not failed,
           failed[0] if failed else "they did not run")


def code(vmlinux, llvm):
    """Whether what the disassembler shows agrees with the table of sites."""
    symbols = subprocess.run([f"llvm-nm{llvm}", vmlinux], capture_output=True, text=True,
                             check=True).stdout
    at = {name: int(address, 16) for address, name in
          re.findall(r"^([0-9a-f]+) \w (__st\w+)$", symbols, re.MULTILINE)}
    tramps = range(at["__static_call_text_start"], at["__static_call_text_end"])
    lines = subprocess.run([f"llvm-objdump{llvm}", "-d", "--no-show-raw-insn", vmlinux],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    calls = [(i, CALL.search(line)) for i, line in enumerate(lines)]
    sites = [i for i, call in calls if call and int(call[1], 16) in tramps]
    bare = [lines[i] for i in sites if not RESTORE.search(lines[i + 1])]
    yield (f"{len(sites)} calls of static calls have the load of the TOC pointer behind them",
           sites and not bare, "; ".join(bare[:5]))
    listed = (at["__stop_static_call_sites"] - at["__start_static_call_sites"]) // 8
    yield f"{listed} are listed", listed == len(sites), f"{len(sites)} were found"
