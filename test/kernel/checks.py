# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected behaviour of a kernel. Each function parses the output of one script of guest/
and yields checks: (expectation, result, output)."""
import re

# The kernel prints these messages only if there is a fault. The exception is a warning about
# QEMU's empty NVRAM.
TROUBLE = re.compile(r"WARNING:(?! nvram corruption)|BUG:|CFI failure|Oops|Internal error|Unable to handle"
                     r"|(?<!\[no_slots\] )cannot be traced|DEBUG_LOCKS_WARN|FAILED|ftrace bug"
                     r"|UBSAN:|blocked for more than")
STARTUP_TESTS = ("Testing tracer function:", "Testing dynamic ftrace:",
                 "Testing dynamic ftrace ops #1:", "Testing ftrace recursion:",
                 "Testing tracer function_graph:", "Testing tracer irqsoff:",
                 "Testing kprobe tracing:")


# The kernel's taint flags, which stay set even if the message is lost from the log.
TAINTS = {5: "a bad page", 7: "an oops", 9: "a warning", 14: "a lockup"}


def log(text, reference=""):
    """Some ftrace selftests cause kernel warnings. The checks ignore warnings that a kernel
    without CFI also prints for the same test."""
    known = trouble(reference)
    wrong = [line for what, line in trouble(text).items() if what not in known]
    wrong += sorted(tainted(text) - tainted(reference))
    if "Linux version " not in text:
        wrong.append("the log does not begin with the boot")
    if "\ndebug_locks: 0\n" in text:
        wrong.append("lockdep is off at the end")
    if "tainted: " not in text:
        wrong.append("the log does not end with what the kernel is tainted by")
    yield "no CFI failure, warning or bug while all this ran", not wrong, "; ".join(wrong[:5])


def lockdep(text):
    seen = re.search(r"^lock-classes: (\d+) ", text, re.MULTILINE)
    yield (f"lockdep looked until the end, at {seen[1] if seen else 0} kinds of locks",
           bool(seen) and int(seen[1]) > 100 and "\ndebug_locks: 1\n" in text, text[-500:])


PROVOKED = {"sleep while a lock is held": "BUG: sleeping function called from invalid context",
            "a pointer of RCU, read outside": "WARNING: suspicious RCU usage",
            "locks in both orders": "WARNING: possible circular locking dependency detected",
            "a read of freed memory": "BUG: KASAN: slab-use-after-free in read_freed"}


def provoked(text):
    """Checks that the kernel reports provoked faults. Only then does the absence of messages
    prove anything."""
    for what, said in PROVOKED.items():
        yield f"{what}, made on purpose, is told", said in text, text


def trouble(text):
    """Returns the lines with faults, by the text that is the same in each boot."""
    boots = re.compile(r"^\[ *[\d.]+\] |(?<=CPU: )\d+|(?<=PID: )\d+|0x[0-9a-f]+|[0-9a-f]{16}")
    return {boots.sub("", line): line for line in text.splitlines() if TROUBLE.search(line)}


def tainted(text):
    said = re.search(r"^tainted: (\d+)", text, re.MULTILINE)
    return {f"tainted by {what}" for bit, what in TAINTS.items()
            if said and int(said[1]) >> bit & 1}


def records(text, reference=None):
    """Compares the number of traceable functions with that in another kernel, or with the
    number of linked records, except those of .init.text, which the kernel drops at boot."""
    seen = re.search(r"^traceable: (\d+)", text, re.MULTILINE)
    if reference is None:
        what, share = "records", 0.9
        other = re.search(r"ftrace: allocating (\d+) entries", text)
    else:
        what, share = "with CFI alone", 0.999
        other = re.search(r"^traceable: (\d+)", reference, re.MULTILINE)
    ours, theirs = int(seen[1]) if seen else 0, int(other[1]) if other else 0
    yield (f"all functions can be traced: {ours}, of {theirs} {what}",
           theirs > 0 and ours >= share * theirs, text[-2000:])


def startup(text):
    """The results of start-up tests. The kernel prints a result after the test's name, or at
    the start of a later line."""
    said = re.sub(r"^\[ *[\d.]+\] ", "", text, flags=re.MULTILINE)
    missing = [test for test in STARTUP_TESTS
               if not re.search(re.escape(test) + r"[^:]*?(PASSED|OK)", said)]
    yield ("ftrace's start-up tests pass", not missing,
           "not passed: " + " ".join(missing) if missing else f"{len(STARTUP_TESTS)} looked for")


def startup_results(text):
    said = re.sub(r"^\[ *[\d.]+\] ", "", text, flags=re.MULTILINE)
    return dict(re.findall(r"Testing ([^:\n]+):[^:]*?(PASSED|FAILED|OK)\b", said))


def same_startup(text, reference):
    """Compares ftrace's start-up tests one by one."""
    ours, theirs = startup_results(text), startup_results(reference)
    other = [f"{name} {ours.get(name, 'missing')}, {theirs.get(name, 'missing')}"
             for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
    yield (f"ftrace's {len(ours)} start-up tests end as in the other kernel",
           len(ours) > 0 and not other, "; ".join(other) or "there are none")


def lkdtm(text):
    yield ("a call of the wrong type (LKDTM's CFI_FORWARD_PROTO) traps",
           "CFI failure at lkdtm_indirect_call" in text and "Kernel panic" in text, text)


BPF = {"fentry": "1000 calls, result 0 of 0, 0 denied",
       "fexit": None,
       "lsm": "1000 calls, result 0 of 0, 1000 denied"}


def bpf(text, where=""):
    for kind, wanted in BPF.items():
        said = dict(re.findall(rf"^{kind}: (attached|detached): (.*)", text, re.MULTILINE))
        attached = said.get("attached", "")
        if kind == "fexit":
            result = re.fullmatch(r"1000 calls, result (\d+) of (\d+), 0 denied", attached)
            good = result and result[1] == result[2] != "0"
        else:
            good = attached == wanted
        seen = re.search(rf"^{kind}: .*", text, re.MULTILINE)
        yield (f"{where}a BPF {kind} program attaches, counts right, and detaches",
               bool(good and said.get("detached") == "0 calls"), seen[0] if seen else text)


def no_bpf(text):
    """bpf(2) returns the kernel's internal error ENOTSUPP, 524, unchanged."""
    for kind in BPF:
        yield (f"without CALL_OPS a BPF {kind} program does not attach",
               f"{kind}: cannot attach: error 524" in text, text.strip().replace("\n", "; "))


DIRECT = {"ftrace-direct": ("my_direct_func", 1),
          "ftrace-direct-too": ("my_direct_func", 1),
          "ftrace-direct-modify": ("my_direct_func1 my_direct_func2", 1),
          "ftrace-direct-multi": ("my_direct_func", 2),
          "ftrace-direct-multi-modify": ("my_direct_func1 my_direct_func2", 2)}


def direct(text):
    for module, (callers, functions) in DIRECT.items():
        seen = re.search(rf"^{module}: .*", text, re.MULTILINE)
        yield (f"samples/ftrace/{module} loads, works and unloads",
               bool(seen) and seen[0] == f"{module}: {callers}, {functions} direct, 0 left",
               seen[0] if seen else text)


def modules(text):
    lines = text.splitlines()
    yield ("an out-of-tree module is traced", "slots: 100 calls, 100 traced" in lines
           and "traceable: traced [slots]" in lines, text)
    refused = [line for line in lines if "no_slots" in line and "traceable" in line]
    yield ("a module compiled without the plugin loads, and is not traced",
           "no_slots: 100 calls, 0 traced" in lines and not refused, text)
    named = [line for line in lines if "cannot be traced: no ops slot" in line]
    yield ("what of it is refused is named", {line.split(" [no_slots]")[0] for line in named}
           == {"traced", "set_calls", "get_before", "deceiver"}, "; ".join(named) or text)
    yield "what lies before its functions stays as it is", "before: 42" in lines, text
    # Linux 7.2 also prints times.
    counts = dict(re.findall(r"^records (before|after): (\d+ pages:\d+ groups: \d+)\b", text,
                             re.MULTILINE))
    yield ("unloaded, both leave no records and no pages behind",
           len(counts) == 2 and counts["before"] == counts["after"], text)


def cells(text):
    """{(relevant, irrelevant): (total ns, calls)} of guest/ops.sh."""
    found = re.findall(r"^(\d+) (\d+) (\d+) (\d+)$", text, re.MULTILINE)
    return {(int(r), int(i)): (int(ns), int(calls)) for r, i, calls, ns in found}


def ops(text):
    got = cells(text)
    yield ("samples/ftrace/ftrace-ops runs for all numbers of tracers", len(got) == 25,
           f"{len(got)} of 25" if got else text)
    yield ("each tracer is called as often as its function", "Counter called" not in text, text)
    if len(got) == 25:
        one = [got[1, i][0] for i in (0, 1, 2, 10, 100)]
        yield ("one relevant tracer costs the same beside 100 others",
               max(one) < 1.1 * min(one), " ".join(map(str, one)) + " ns")


# Several tests have the same name, so the number is part of the key.
RESULT = re.compile(r"^(\[\d+\].*)\t\[([A-Z]+)\]", re.MULTILINE)
TALLY = re.compile(r"^# of [^:]*: *(\d+)", re.MULTILINE)
RANK = {"PASS": 2, "XFAIL": 2, "UNSUPPORTED": 1, "UNRESOLVED": 1, "UNTESTED": 1}


def results(text):
    return dict(RESULT.findall(text))


def selftests(text, reference, one="with CFI", other="without CFI"):
    """Compares each test with its result in another kernel."""
    ours, theirs = results(text), results(reference)
    for which, said, found in ((one, text, ours), (other, reference, theirs)):
        if not found or sum(map(int, TALLY.findall(said))) != len(found):
            yield f"the ftrace selftests {which} run to their end", False, said[-2000:]
    worse = [f"{name} [{ours.get(name, 'missing')}, not {result}]"
             for name, result in theirs.items()
             if RANK.get(ours.get(name), 0) < RANK.get(result, 0)]
    yield (f"no ftrace selftest is worse: {tally(ours)}; {other} {tally(theirs)}",
           len(ours) == len(theirs) and not worse,
           "; ".join(worse) or f"{len(ours)} tests, {len(theirs)} {other}")


def tally(results):
    kinds = sorted(set(results.values()), key=lambda kind: (-RANK.get(kind, 0), kind))
    return ", ".join(f"{sum(value == kind for value in results.values())} {kind}"
                     for kind in kinds)
