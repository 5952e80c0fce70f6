# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected behaviour of a kernel whose static calls our linker makes."""
import os
import re
import subprocess

import checks
from kernels import HERE

KERNEL_PATCHES = tuple(HERE / "static-calls" / f"{name}.patch"
                       for name in ("kernel", "lto", "rodata-off"))
MODULES = HERE / "static-calls" / "modules"
GCC = HERE / "static-calls" / "gcc.sh"
OPTIONS = ("LD_HAS_STATIC_CALLS", "HAVE_STATIC_CALL_INLINE", "STATIC_CALL_SELFTEST",
           "CODE_PATCHING_SELFTEST", "DYNAMIC_FTRACE_WITH_CALL_OPS",
           "DYNAMIC_FTRACE_WITH_DIRECT_CALLS", "LIVEPATCH", "RELOCATABLE", "STRICT_KERNEL_RWX")
STARTUP_TESTS = ("Testing dynamic ftrace:", "Testing dynamic ftrace ops #1:",
                 "Testing ftrace recursion:")

# The patches of the series for static calls.
PATCH = re.compile(r"^000[1-367]-powerpc-")

# QEMU's memory for firmware variables is empty.
KNOWN = "WARNING: nvram corruption detected: 0-length partition"

# Where caller, static call and target are: kernel (k) or module (m). The kernel gets a
# module's static call as a pointer.
CASES = ("kkk", "kkm", "kmk", "kmm", "mkk", "mkm", "mmk", "mmm",
         "kk-ret0", "mk-ret0", "mm-ret0", "kk-null", "mk-null", "mm-null",
         "kkk-again", "mkk-again", "mmm-again")
DIRECT = {"kkk": "kk", "mkk": "mk", "mmm": "mm"}
RIGHT = ("k null", "k not null", "k not null, m", "k null again", "m null", "m not null",
         "m null again")
# The code of a call after each type of update, in the kernel and in a module.
SITES = {"kkk": r"bl test_target_k\+0x8/", "kkm": r"bl __SCT__test_k\+0xc/",
         "ret0": r"bl __SCT__test_k\+0x1c/", "again": r"bl test_target_k\+0x8/",
         "null": r"60000000$", "event-k": r"bl test_event_k\+0x8/", "null-again": r"60000000$",
         "mmm": r"bl __SCT__sc_m\+0x10/", "mmk": r"bl __SCT__sc_m\+0x18/",
         "m-ret0": r"bl __SCT__sc_m\+0x10/", "m-again": r"bl __SCT__sc_m\+0x10/",
         "m-null": r"48000008$", "mk-null": r"48000008$"}
# Targets of a module's stubs. Updates change the stub instead of the call, except for NULL.
STUBS = {"mkk": "test_target_k+0x0/", "mkm": "target_m+0x0/", "ret0": "__SCT__test_k+0x1c/"}

CALL = re.compile(r"\sbl\s+0x([0-9a-f]+)")
RESTORE = re.compile(r"\sld\s+2, 16\(13\)")


def warnings(log, patches):
    """Checks that patched files have no warnings, which powerpc treats as errors by default."""
    patched = set(re.findall(r"^\+\+\+ b/(\S+)", "".join(patch.read_text() for patch in patches),
                             re.MULTILINE))
    return [line for line in log.splitlines()
            if (found := re.search(r"(\S+?):\d+:\d+: warning: ", line))
            and any(found[1].endswith(f"/{path}") for path in patched)]


def durations(text):
    """Returns the instructions of a call, by case and type, including loop and target."""
    return {(case, kind): float(time) for case, kind, time in
            re.findall(r"^(\S+) (\w+) ([\d.]+) right$", text, re.MULTILINE)}


def calls(text):
    wrong = re.findall(r"^.* WRONG$", text, re.MULTILINE)
    seen = durations(text)
    missing = [case for case in CASES if (case, "static") not in seen]
    missing += [what for what in RIGHT if f"{what} right\n" not in text]
    yield ("calls between kernel and modules are right, and r2 is theirs after each",
           not wrong and not missing, "; ".join(wrong + missing))


def sites(text):
    for what, form in SITES.items():
        found = re.search(rf"^site {what} at \+\d+: (.*)$", text, re.MULTILINE)
        yield (f"site {what}: {found[1] if found else 'not found'}",
               bool(found and re.match(form, found[1])), text)
    for what, target in STUBS.items():
        found = re.search(rf"^stub {what}: (.*)$", text, re.MULTILINE)
        yield (f"stub {what}: {found[1] if found else 'not found'}",
               bool(found and found[1].startswith(target)), text)


def patched(text):
    """Checks other patchers of the same code."""
    for what in ("kkk", "mkk", "mmm", "trampoline k", "trampoline m"):
        yield (f"a kprobe on a static call is refused: {what}",
               f"kprobe on {what}: refused" in text, text)
    yield ("a kprobe on a restore is hit",
           re.search(r"kprobe hits: [1-9]", text) is not None, text)
    yield ("a livepatch replaces a function that makes static calls",
           "livepatched: user 0 wrong, a caller in the kernel 102" in text and
           "as before: user 0 wrong, a caller in the kernel 2" in text, text)
    yield ("tracepoints are hit", re.search(r"tracepoints: [1-9]", text) is not None, text)


def hooks(text):
    lsms = re.search(r"^LSMs: (\S+)$", text, re.MULTILINE)
    yield (f"hooks of the LSM bpf are called, of {lsms[1] if lsms else 'none'}",
           re.search(r"bpf hooks: [1-9]", text) is not None, text)
    yield ("a hook of the LSM lockdown is asked",
           "unsigned module loading is restricted" in text and
           "lockdown: ignored" not in text, text)


def no_oops(log):
    yield "no oops", "tainted: " in log and not re.search(r"Oops|BUG:", log), log[-3000:]


def far(text, log):
    """Checks the code of callers, and that all calls are correct."""
    stays = re.findall(r"^site (\S+) at \+\d+: bl __long_branch___SCT__", text, re.MULTILINE)
    yield f"calls that stay as they are: {' '.join(stays)}", "kkk" in stays, text
    yield from no_oops(log)
    seen = durations(text)
    print(f"kkk through a stub of the linker: {seen.get(('kkk', 'static'), 0):.0f} instructions, "
          f"through a pointer {seen.get(('kkk', 'generic'), 0):.0f}")


def events(text):
    alone, _, both = text.partition("ftrace: ")
    counts = re.findall(r"^perf event (\d): (\d+) calls$", alone, re.MULTILINE)
    good = counts == 2 * [("0", "2000"), ("1", "1000")] and both.startswith("2000 calls")
    yield "perf counts a tracepoint, alone and beside ftrace", good, text


def irqsoff(text):
    """Checks that the irqsoff tracer works. Without fix 0008 the kernel hangs at its first event."""
    found = re.search(r"^written: (\d+)$", text, re.MULTILINE)
    yield (f"{found[1] if found else 'no'} events are written with interrupts on, while it is "
           "traced how long they are off", bool(found) and int(found[1]) > 0, text)


def costs(text):
    """Prints costs in nanoseconds of the guest, which are instructions with -icount."""
    seen = durations(text)
    for case in CASES:
        static, generic = seen.get((case, "static")), seen.get((case, "generic"))
        if static is None or generic is None:
            yield f"{case} is measured", False, text
            continue
        yield (f"{case}: {static:.0f} instructions, through a pointer {generic:.0f}",
               static < generic + 0.5, text)
    for case in ("kmk", "kmm"):
        address, follow = seen.get((case, "address"), 0), seen.get((case, "follow"), 0)
        print(f"{case} by the address of its trampoline: {address:.0f} instructions; "
              f"through a pointer to the pointer {follow:.0f}")
    static, direct = seen.get(("kkk", "static"), 0), seen.get(("kk", "direct"), 0)
    yield (f"a static call in the kernel takes {static - direct:.0f} instructions more than a "
           "direct one", 0 < static < direct + 1.5, text)


def counted(text, counts):
    """Counts per call, for each case and type: instructions, indirect branches except that of
    the calling loop, unbalanced returns, and instructions in a range. The counter has a line
    for each round of each case. Rounds without an interrupt have the lowest counts."""
    names = re.findall(r"^(\S+) (\w+) [\d.]+ (?:right|WRONG)$", text, re.MULTILINE)
    lines = [tuple(map(int, line.split())) for line in counts.splitlines()]
    rounds = len(lines) // len(names) if names else 0
    if not rounds or len(lines) != rounds * len(names):
        return {}
    n = 2000
    return {name: tuple(round(min(column) / n, 2) - (i == 1) for i, column in
                        enumerate(zip(*lines[at * rounds:][:rounds])))
            for at, name in enumerate(names)}


def branches(seen):
    """Checks each case against a call through a pointer in the same kernel."""
    yield "the plugin of QEMU counted each case", bool(seen), "it did not"
    if not seen:
        return
    print("\n  per call: instructions, indirect branches, unbalanced returns\n"
          "  case      | direct      | static      | generic     | address\n"
          "  ==========+=============+=============+=============+============")
    for case in CASES:
        cells = [seen.get((DIRECT.get(case), "direct")),
                 *(seen.get((case, kind)) for kind in ("static", "generic", "address"))]
        print(f"  {case:9} | " + " | ".join(cell_text(cell).ljust(11) for cell in cells))
    print()
    more = [case for case in CASES
            if seen[case, "static"][1] > seen[case, "generic"][1] + 0.01]
    yield "no case has more indirect branches than through a pointer", not more, " ".join(more)
    unbalanced = [" ".join(name) for name, cell in seen.items() if cell[2] > 0.01]
    yield "each return is to where its call was", not unbalanced, " ".join(unbalanced)
    longer = [case for case in CASES
              if seen[case, "static"][0] > seen[case, "generic"][0] + 0.1]
    yield "no case takes more instructions than through a pointer", not longer, " ".join(longer)


def cell_text(cell):
    return f"{cell[0]:5.0f} {cell[1]:2.0f} {cell[2]:2.0f}" if cell else ""


# A kernel with generic static calls has no trampolines. The kernel calls a module's static
# call through a copy of the pointer (static), or through a pointer to the pointer, so that
# updates have an effect (follow).
WAYS = [*((case, "static") for case in CASES), ("kmk", "follow"), ("kmm", "follow")]


def beside_generic(ours, plain):
    """Compares our calls with the calls of a kernel with generic static calls."""
    missing = [" ".join(way) for way in WAYS if way not in ours or way not in plain]
    yield "each case was counted in both kernels", not missing, "; ".join(missing)
    if missing:
        return
    print("\n  per call: instructions, indirect branches, unbalanced returns\n"
          "  case             | ours        | generic kernel\n"
          "  =================+=============+===============")
    for way in WAYS:
        print(f"  {' '.join(way):16} | {cell_text(ours[way]):11} | {cell_text(plain[way])}")
    print()
    for what, column, noise in (("instructions", 0, 0.1), ("indirect branches", 1, 0.01)):
        more = [" ".join(way) for way in WAYS if ours[way][column] > plain[way][column] + noise]
        yield (f"no case takes more {what} than in the kernel with generic static calls",
               not more, "; ".join(more))


def storm(text, updates):
    said = re.search(r"storm of (\d+) updates of four, on cpu (\d+) (\d+) calls, (\d+) wrong",
                     text)
    users = re.search(r"^users: (\d+)$", text, re.MULTILINE)
    good = said and int(said[1]) == updates and said[2] != "0" and int(said[3]) > 0 \
        and said[4] == "0"
    yield (f"{said[0] if said else 'a storm of updates'}; "
           f"a module came and went {users[1] if users else 0} times",
           bool(good and users and int(users[1]) > 0 and "wrong: 0\n" in text), text)


REFUSED = {"sc_jump": "jump to static call __SCT__sc_jumped",
           "sc_bare": "nop after call",
           "sc_sites": ".static_call_sites is for another kernel",
           "sc_other": "version magic '6.",
           "sc_generic": "version magic '7."}


def refused(text, *modules):
    for module in modules:
        why = REFUSED[module]
        said = next((line for line in text.splitlines() if why in line), "")
        yield (f"the kernel refuses {module}: {said.partition('] ')[2] or 'no reason'}",
               f"{module}: refused" in text and why in text, text)


def mmu(text, name):
    radix = "-radix" in name
    found = re.search(r"(radix|hash)-mmu: Page sizes|Using (radix|hash) MMU", text)
    kind = found and (found[1] or found[2])
    yield f"{name} boots with the {kind} MMU", kind == ("radix" if radix else "hash"), text[:3000]


def kexec(said):
    text = said.get("kexeced", "")
    yield ("the kernel boots itself by kexec, and its static calls are right then",
           "kexeced" in text and "leaving" in said.get("kexec", ""), str(said)[:3000])
    yield from calls(text)
    yield from sites(text)


def made_by(module, compiler):
    comment = module.read_bytes()
    yield f"{module.name} is by {compiler}", f"{compiler}: (".encode() in comment, "by another"


def startup(text):
    missing = [test for test in STARTUP_TESTS if not re.search(re.escape(test) + r"[^:]*PASSED",
                                                               text)]
    yield "ftrace's start-up tests pass", not missing, " ".join(missing)
    passed = "Running code patching self-tests" in text
    failed = re.search(r"code-patching: test failed at line \d+", text)
    yield ("the self-tests of code patching pass", passed and not failed,
           failed[0] if failed else "they did not run")


def same_selftests(text, reference, files):
    """Compares ftrace's tests one by one with those of another kernel: no test may be skipped
    or have a different result."""
    ours, theirs = checks.results(text), checks.results(reference)
    for which, said, found in (("our", text, ours), ("the stock", reference, theirs)):
        counted = sum(map(int, checks.TALLY.findall(said)))
        yield (f"{len(found)} selftests of ftrace run to their end with {which} linker",
               counted == len(found) >= files, f"{files} files, {counted} are counted\n{said[-2000:]}")
    other = [f"{name} [{ours.get(name, 'missing')}, not {theirs.get(name, 'missing')}]"
             for name in {**theirs, **ours} if ours.get(name) != theirs.get(name)]
    yield (f"each ends as with the stock linker: {checks.tally(ours)}", not other,
           "; ".join(other))
    late = sorted({*re.findall(r"^late: (.*)$", f"{text}\n{reference}", re.MULTILINE)})
    yield "none is ended since it takes too long", not late, "; ".join(late)


def symbols_of(vmlinux, llvm):
    return subprocess.run([f"llvm-nm{llvm}", vmlinux], capture_output=True, text=True,
                          check=True).stdout


def addresses(symbols):
    return {name: int(address, 16) for address, name in
            re.findall(r"^([0-9a-f]+) \w (__st\w+)$", symbols, re.MULTILINE)}


def tramps(vmlinux, llvm):
    """Returns the address range of trampolines, and the number of instructions of a trampoline."""
    symbols = symbols_of(vmlinux, llvm)
    at = addresses(symbols)
    first, last = at["__static_call_text_start"], at["__static_call_text_end"]
    starts = sorted({int(address, 16) for address in
                     re.findall(r"^([0-9a-f]+) [tT] __SCT__", symbols, re.MULTILINE)})
    size = min((b - a for a, b in zip(starts, starts[1:])), default=4)
    return first, last, size // 4


def code(vmlinux, llvm):
    """Checks that the disassembly agrees with the table of sites."""
    symbols = symbols_of(vmlinux, llvm)
    at = addresses(symbols)
    tramps = range(at["__static_call_text_start"], at["__static_call_text_end"])
    lines = subprocess.run([f"llvm-objdump{llvm}", "-d", "--no-show-raw-insn", vmlinux],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    # If a trampoline is out of reach, the linker's stub to it has the trampoline's name.
    stubs = {int(address, 16) for address in
             re.findall(r"^([0-9a-f]+) \w __long_branch___SCT__", symbols, re.MULTILINE)}
    calls = [(i, CALL.search(line)) for i, line in enumerate(lines)]
    sites = [i for i, call in calls
             if call and (int(call[1], 16) in tramps or int(call[1], 16) in stubs)]
    bare = [lines[i] for i in sites if not RESTORE.search(lines[i + 1])]
    yield (f"{len(sites)} calls of static calls have the load of the TOC pointer behind them",
           sites and not bare, "; ".join(bare[:5]))
    listed = (at["__stop_static_call_sites"] - at["__start_static_call_sites"]) // 8
    yield f"{listed} are listed", listed == len(sites), f"{len(sites)} were found"
    yield from nops(vmlinux, llvm)
    if stubs:
        print(f"{len(stubs)} trampolines are called through stubs of the linker")


def nops(vmlinux, llvm):
    """Checks that a function that ftrace may trace has only one NOP, because its stub is not at
    the entry."""
    code = subprocess.run([f"llvm-objdump{llvm}", "-d", "--no-show-raw-insn",
                           "--disassemble-symbols=test_target_k", vmlinux],
                          capture_output=True, text=True, check=True).stdout
    body = code.partition("<test_target_k>:")[2].partition("blr")[0]
    count = len(re.findall(r"\tnop$", body, re.MULTILINE))
    yield "a function that ftrace may trace has one NOP", count == 1, code


# Objects whose code runs while r13 does not point to the PACA: start-up, the firmware's
# client, relocation, the first PACA, and the exit to another kernel.
EARLY = ("head_64.o", "prom_init.o", "reloc_64.o", "paca.o", "misc_64.o", "entry_64.o",
         "exceptions-64s.o", "interrupt_64.o", "../kexec/*.o", "../purgatory/*.o")


def early(out, llvm):
    """Checks that calls are only in objects and sections where r13 points to the PACA."""
    folder = out / "arch" / "powerpc" / "kernel"
    objects = sorted({path for name in EARLY for path in folder.glob(name)})
    said = subprocess.run([f"llvm-nm{llvm}", "-A", "-u", *objects], capture_output=True,
                          text=True, check=True).stdout
    users = [line.strip() for line in said.splitlines() if "__SCT__" in line]
    missing = {"head_64.o", "prom_init.o", "paca.o"} - {path.name for path in objects}
    yield (f"none of {len(objects)} objects that run without the PACA makes a static call",
           not users and not missing, "; ".join(users) or f"not there: {missing}")


def report_code(vmlinux, llvm):
    symbols = symbols_of(vmlinux, llvm)
    at = addresses(symbols)
    tramps = len(re.findall(r"(?m) [tT] __SCT__", symbols))
    size = at["__static_call_text_end"] - at["__static_call_text_start"]
    sites = (at["__stop_static_call_sites"] - at["__start_static_call_sites"]) // 8
    print(f"{tramps} trampolines of {size:,} bytes, {sites} sites")


def report_ftrace(vmlinux, llvm):
    """Prints the size of ftrace's unused stubs, 24 bytes each."""
    said = subprocess.run([f"llvm-nm{llvm}", "-S", vmlinux], capture_output=True, text=True,
                          check=True).stdout
    at = {name: (int(address, 16), int(size, 16)) for address, size, name in
          re.findall(r"^([0-9a-f]+) ([0-9a-f]+) \w (ftrace_ool_\w+|__\w+_mcount_loc|_[se]text)$",
                     said, re.MULTILINE)}
    records = (at["__stop_mcount_loc"][0] - at["__start_mcount_loc"][0]) // 8
    text = records - at.get("ftrace_ool_stub_inittext", (0, 0))[1] // 24
    room = sum(at[name][1] for name in ("ftrace_ool_stub_text", "ftrace_ool_stub_text_end")
               if name in at)
    print(f"ftrace: {records:,} functions, {text:,} of them not in .init; their stubs are "
          f"{text * 24:,} bytes of the {room:,} that there are")


def report_link(kernel, linker, *options, rounds=5):
    """Prints the CPU time of vmlinux's last link: the minimum of several rounds."""
    out = kernel.out
    link = ["-EL", "-m", "elf64lppc", "-z", "noexecstack", "-pie", "--no-dynamic-linker", "-z",
            "notext", "--build-id=sha1", "--threads=1", "-T", "arch/powerpc/kernel/vmlinux.lds",
            "--whole-archive", "vmlinux.a", ".vmlinux.export.o", "init/version-timestamp.o",
            "--no-whole-archive", "lib/lib.a", ".tmp_vmlinux2.kallsyms.o",
            "arch/powerpc/tools/vmlinux.arch.o", "-o", ".link-time", *options]
    times = []
    for _ in range(rounds):
        before = os.times()
        subprocess.run([linker, *link], cwd=out, check=True, capture_output=True)
        after = os.times()
        times.append(after.children_user + after.children_system
                     - before.children_user - before.children_system)
    print(f"link of vmlinux {' '.join([kernel.name, *options])}: {min(times):.2f} s")
    (out / ".link-time").unlink()


def syscalls(text, counts, length):
    """Prints the instructions of each system call, and how many of them are in trampolines of
    this length."""
    names = re.findall(r"^syscalls (\d+): (.*)$", text, re.MULTILINE)
    lines = [tuple(map(int, line.split())) for line in counts.splitlines()]
    good = bool(names) and len(lines) == len(names)
    yield "instructions of system calls are counted", good, text + counts
    if not good:
        return
    print("\n  executed per call     | instructions | static calls | in trampolines\n"
          "  ======================+==============+==============+===============")
    for (calls, name), (insns, _, _, inside) in zip(names, lines):
        calls = int(calls)
        print(f"  {name:21} | {insns / calls:12,.0f} | {inside / length / calls:12.1f} | "
              f"{inside / insns * 100:13.2f}%")
    print()
