# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected behaviour of a kernel with one BPF program on many functions. The cost of a
function's tracers must not depend on tracers of other functions."""
import re

import checks

KINDS = ("fentry.multi", "fexit.multi", "fsession.multi")
EBUSY, EINVAL, EOPNOTSUPP, ENOTSUPP = 16, 22, 95, 524

# Architectures without livepatches, where upstream's BPF trampolines do not support replaced
# functions: fexit or session programs and a replacement exclude each other.
NOT_BOTH = ("riscv",)

# The names in guest/multi.h.
KNOWN = 8

# The cost of one tracer without our patches for several tracers, which is the maximum for two
# tracers with the patches. In instructions, as measured by samples/ftrace/ftrace-ops.
ONE_TRACER = {"arm64": 52, "riscv": 83, "ppc64le": 88}
TWO_TRACERS = {"arm64": 150, "riscv": 212, "ppc64le": 220}

# For each action: the number of tracers on the function, and the calls that the first, second
# and third tracer have seen.
SETS = {"one comes": (1, 100, 0, 0), "two comes": (2, 100, 100, 0),
        "three comes": (3, 100, 100, 100), "two goes": (2, 100, 0, 100),
        "two is back": (3, 100, 100, 100), "one is elsewhere": (2, 0, 100, 100),
        "off": (None, 0, 0, 0), "on again": (3, 100, 100, 100),
        "three goes at last": (2,), "two goes at last": (1,),
        "module comes while off": (None, 0, 0, 0), "module, on again": (3, 100, 100, 100)}


def is_in(source):
    """Whether this Linux supports BPF programs on many functions."""
    header = source / "tools/include/uapi/linux/bpf.h"
    return "BPF_TRACE_FSESSION_MULTI" in header.read_text()


def goes_past(source, arch):
    """Does ftrace_caller() skip the direct call of a livepatched function, as upstream does on
    ppc64le?"""
    return arch == "ppc64le" and "livepatch_handler()" not in (
        source / "arch/powerpc/net/bpf_jit_comp.c").read_text()


def flags(source, prefix):
    """The compiler's flags for a program of the guest."""
    headers = source / "tools/include/uapi"
    modify = "BPF_MODIFY_RETURN_MULTI" in (headers / "linux/bpf.h").read_text()
    return f'-DPREFIX="{prefix}"', f"-DMODIFY={modify:d}", "-I", headers


def booted(said, arch, preempted=False, past=False):
    if "multi" in said:
        yield from attached(said["multi"])
        yield from kinds(said["multi"])
        yield from costs(said["multi"], arch)
        yield from attach_times(said["multi"])
    if "sets" in said:
        yield from sets(said["sets"])
    if "ops" in said:
        yield from checks.ops(said["ops"])
        yield from matrix(checks.cells(said["ops"]), arch)
    if "multi-replaced" in said:
        yield from replaced(said["multi-replaced"], arch, past)
    if "multi-storm" in said:
        yield from storm(said["multi-storm"], preempted)
    if said:
        yield from checks.log(said["log"])


def attached(text):
    every = re.search(r"^functions: (\d+)", text, re.MULTILINE)
    every = every[1] if every else "all"
    for kind in KINDS:
        for count in ("1", "100", "1000", every):
            seen = re.search(rf"^{kind}: {count}: .*", text, re.MULTILINE)
            yield (f"a BPF {kind} program attaches to {count} functions, counts right, and"
                   " detaches",
                   bool(seen) and seen[0].endswith(": 0 wrong, detached: 0 wrong"),
                   seen[0] if seen else text)
    for what, wanted in (("two programs on one function", "two programs: 0 wrong, one left: 0 wrong"),
                         ("a program and a tracer of ftrace on one function",
                          "beside ftrace: 0 wrong, 30 traced, without: 0 wrong")):
        start = wanted.partition(":")[0]
        seen = re.search(rf"^{start}: .*", text, re.MULTILINE)
        yield f"{what} count right", bool(seen) and seen[0] == wanted, seen[0] if seen else text
    yield from modified(text)
    yield "no function is traced any more", "\nleft: 0\n" in text, text[-300:]


def modified(text):
    lines = re.findall(r"^fmod_ret.multi: (.*)$", text, re.MULTILINE)
    if lines == ["not in this kernel"]:
        return
    for what, wanted in (
            (f"attaches to {KNOWN} functions, counts right, and detaches",
             f"{KNOWN}: 0 wrong, detached: 0 wrong"),
            (f"skips {KNOWN} functions until it is detached",
             f"{KNOWN} skipped, then {KNOWN} called"),
            ("on a function that is not modifiable is refused", f"wake_up_process: error {EINVAL}")):
        yield f"a BPF fmod_ret.multi program {what}", wanted in lines, "; ".join(lines) or text


def kinds(text):
    """Checks the instructions of a hundred calls with an empty program of each type."""
    found = re.search(r"^kinds: none (\d+)((?:, \d+)+)$", text, re.MULTILINE)
    none, *each = map(int, re.findall(r"\d+", found[0])) if found else (0,)
    names = (*KINDS, "fmod_ret.multi")
    yield ("a call takes instructions more: " + ", ".join(
        f"{name} {(cost - none) / 100:.0f}" for name, cost in zip(names, each)),
           len(each) >= len(KINDS) and min(each) > none, found[0] if found else text)


def costs(text, arch):
    """Checks the cost of a hundred calls; time is the number of instructions."""
    found = re.findall(r"^cost: beside (\d+): none (\d+) \((.*)\), fentry (\d+),"
                       r" fentry.multi of 1 (\d+), fentry.multi of 1000 (\d+)$", text,
                       re.MULTILINE)
    rows = {int(beside): (reach, [(int(one) - int(none)) / 100 for one in (*single, *multi)])
            for beside, none, reach, *more in found for single, multi in [(more[:1], more[1:])]}
    if set(rows) != {0, 100}:
        yield "what a call costs is measured", False, text
        return
    if arch == "arm64":  # elsewhere a branch cannot reach BPF's code
        yield ("BPF's trampolines are out of a branch's reach", not rows[0][0].startswith("0 ")
               and rows[0][0].endswith(", 0 near"), rows[0][0])
    each = [cost for _, costs in rows.values() for cost in costs]
    yield (f"a call costs the same by one link, with 1000 functions, and beside 100 tracers of"
           f" others: {each[0]:.0f} instructions",
           # The number of instructions that load a program's address varies, on riscv from
           # one to six.
           min(each) > 0 and max(each) - min(each) < (7 if arch == "riscv" else 3),
           " ".join(map(str, each)))


def attach_times(text):
    seen = re.search(r"^attach: (\d+) functions: one link (\d+) ns, detach (\d+) ns; \d+ links"
                     r" (\d+) ns, detach (\d+) ns; 0 failed$", text, re.MULTILINE)
    if not seen:
        yield "what attaching costs is measured", False, text
        return
    functions, one, one_off, many, many_off = map(int, seen.groups())
    yield (f"attaching to {functions} functions by one link takes a {many / one:.0f}th of"
           f" {functions} links, {one / 1e6:.0f} of {many / 1e6:.0f} ms; detaching a"
           f" {many_off / one_off:.0f}th", many >= 20 * one, seen[0])
    size = re.search(r"^record: (\d+) bytes, (\d+) for direct calls$", text, re.MULTILINE)
    memory = re.search(r"^memory: (\d+) functions: (\d+) bytes of objects each$", text,
                       re.MULTILINE)
    if not size or not memory:
        yield "what memory a function takes is measured", False, text[-500:]
        return
    yield (f"a record has {size[1]} bytes, {size[2]} of them for direct calls; a link to"
           f" {memory[1]} functions takes {memory[2]} bytes of ftrace's and BPF's objects for"
           " each", int(size[2]) <= 16, size[0])


def replaced(text, arch, past):
    """Checks ten calls in each state: a call is wrong if it fails or does not run the program.
    past: whether calls of a replaced function bypass the program."""
    both = (f": {past:d} wrong, another: error {EBUSY}, replaced: {past:d} wrong,"
            " as it was: 0 wrong, replacement alone: 0 wrong, none: 0 wrong")
    how = "past the program" if past else "and are counted"
    no_program = (f": 2 wrong, another: error {EBUSY}, replaced: 1 wrong, as it was: 1 wrong,"
                  " replacement alone: 0 wrong, none: 0 wrong")
    no_replacement = (f": {10 + ENOTSUPP} wrong, another: error {ENOTSUPP}, replaced: 10 wrong,"
                      f" as it was: 0 wrong, replacement alone: {10 + ENOTSUPP} wrong,"
                      " none: 0 wrong")
    lines = text.splitlines()
    for kind in KINDS:
        for first in ("program", "replacement"):
            for beside, traced in (("", ""), (", beside ftrace", ", traced")):
                start = f"{kind}: {first} first{traced}"
                found = [(line, before) for before, line in zip(["", *lines], lines)
                         if line.startswith(f"{start}:")]
                seen, before = found[0] if found else (text, "")
                if arch not in NOT_BOTH or kind == "fentry.multi":
                    yield (f"a function with a BPF {kind} program is replaced, the {first}"
                           f" first{beside}: calls go there, {how}; a second"
                           " replacement is refused", seen == start + both, seen)
                elif first == "program":
                    yield (f"a function with a BPF {kind} program is not replaced{beside}: calls go"
                           " where they did, and are counted", seen == start + no_replacement,
                           seen)
                else:
                    yield (f"no BPF {kind} program attaches to a function that is replaced{beside}",
                           seen == start + no_program
                           and before == f"{kind}: cannot attach: error {ENOTSUPP}",
                           f"{before}\n{seen}")
    # If program and replacement are possible together, each trampoline is made again when the
    # replacements are known. The number is not checked.
    if arch not in NOT_BOTH and not past:
        made = re.search(r"^trampolines: (\d+)$", text, re.MULTILINE)
        yield (f"a program comes to {KNOWN} functions, two of them replaced: {2 * KNOWN}"
               " trampolines are made", "several: 0 wrong" in lines and bool(made)
               and int(made[1]) == 2 * KNOWN, made[0] if made else text)
    for what, error in (("twice", EINVAL), ("no function", EINVAL)):
        seen = re.search(rf"^{what}: error (\d+)$", text, re.MULTILINE)
        yield (f"a program on one function {what} is refused" if what == "twice" else
               "a program on an address that is no function is refused",
               bool(seen) and int(seen[1]) == error, seen[0] if seen else text)
    yield "no function is replaced or traced any more", "left: 0" in text, text[-300:]


def refused(text, where="without CALL_OPS"):
    for kind in KINDS:
        seen = re.search(rf"^{kind}: 1: .*", text, re.MULTILINE)
        yield (f"{where} a BPF {kind} program does not attach",
               bool(seen) and seen[0].endswith(f"cannot attach: error {EOPNOTSUPP}"),
               seen[0] if seen else text)


# The parts of SETS that turn ftrace off, which is possible before Linux 7.3.
OFF = ("off", "on again", "module comes while off", "module, on again")


def sets(text):
    lines = text.splitlines()
    refused = [line for line in lines if line.startswith("refused: ")]
    if refused:
        yield ("ftrace is not turned off, and the kernel refuses to: the sysctl stays 1",
               refused == ["refused: ftrace_enabled is 1"], "; ".join(refused))
    for what, (tracers, *calls) in SETS.items():
        if refused and what in OFF:
            continue
        wanted = [f"{what} {name}: {count}"
                  for name, count in zip(("one", "two", "three"), calls)]
        if tracers:
            wanted.append(f"{what}: {tracers} tracers, {tracers} named")
        missing = [line for line in wanted if line not in lines]
        yield (f"several tracers of a function, {what}: each is named, and sees all calls",
               not missing, f"not said: {'; '.join(missing)}\n{text}")
    left = [line for line in lines if line.endswith(" call sites")]
    if not refused:
        yield ("a module that comes while ftrace is off calls no tracer that goes before it is on",
               left == [f"{what}: 0 call sites" for what in (
                   "module comes while off", "tracers went while off", "tracers went, on again")],
               "; ".join(left) or text)
    yield ("the last tracer of a function keeps the help that it asked for",
           "helped: 2 deep" in lines, text[-300:])


def record_bytes(log):
    """Returns the memory per function, including unused space of pages."""
    seen = re.search(r"^traceable: (\d+) pages:(\d+) ", log, re.MULTILINE)
    return 4096 * int(seen[2]) / int(seen[1]) if seen else None


def records(name, ours, unpatched):
    yield (f"{name}: records take {ours:.1f} bytes of memory for each function, unpatched"
           f" {unpatched:.1f}", ours - unpatched <= 16.5, "more than 16 more")


def storm(text, preempted=False):
    """Checks the storm. If callers preempt each other, the kernel skips the program in a call
    on a CPU where the program is already running, and reports the number of skipped calls."""
    seen = re.search(r"^storm: (\d+) rounds, (\d+) calls, BPF: (\d+) wrong, (\d+) left out,"
                     r" ftrace: (\d+) of (\d+), (\d+) refused$", text, re.MULTILINE)
    if not seen:
        yield "storm of tracers and BPF programs", False, text
        return
    rounds, calls, wrong, left_out, traced, of, refusals = map(int, seen.groups())
    but = f", but for {left_out} that the kernel says it left out" if preempted else ""
    yield (f"storm of {rounds} rounds of tracers and BPF programs, {calls} calls meanwhile:"
           f" each is counted once{but}", rounds > 0 and calls > 0 and wrong + refusals == 0
           and (preempted or not left_out) and traced == of, text)
    module = re.search(r"^module: (\d+) rounds, traced in (\d+)$", text, re.MULTILINE)
    yield (f"meanwhile a module came and went{f' {module[1]} times' if module else ''}: its"
           " function was traced", bool(module) and int(module[2]) > 0,
           module[0] if module else text)
    yield "after the storm no function is traced", "left: 0" in text, text


# A clock tick costs less than this number per call, in a measurement of a thousand calls.
TICK = 15


def matrix(cells, arch):
    """Executed instructions, measured by samples/ftrace/ftrace-ops."""
    if len(cells) != 25:
        return  # already reported
    rows = {relevant: [cells[relevant, others][0] / cells[relevant, others][1]
                       for others in (0, 1, 2, 10, 100)] for relevant in (1, 2, 10, 100)}
    for relevant, what, limit in ((1, "one tracer takes", ONE_TRACER[arch] + 1),
                                  (2, "two tracers take", TWO_TRACERS[arch])):
        row = rows[relevant]
        yield (f"{what} {min(row):.0f} instructions, whatever others there are",
               min(row) < limit and same(row), " ".join(map(str, row)))
    few, each = (min(rows[10]) - min(rows[2])) / 8, (min(rows[100]) - min(rows[10])) / 90
    yield (f"10 and 100 tracers take {each:.0f} more for each, whatever others there are",
           abs(few - each) < 1 and same(rows[10]) and same(rows[100]),
           f"{few} {each}; {rows[10]} {rows[100]}")


def same(row):
    """Are costs equal, except for clock ticks during a measurement? Short calls have at most
    one tick, the longest ones two."""
    row = sorted(row)
    return (row[len(row) // 2] - row[0] < max(2, row[0] / 100)
            and row[-1] - row[0] < max(TICK, row[0] / 50))
