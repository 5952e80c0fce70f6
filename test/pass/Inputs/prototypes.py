# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the arguments in records with the behaviour of callers.

    prototypes.py generate SEED COUNT [WITHOUT...]   prints a C file
    prototypes.py compare MACHINE MIR RECORDS        compares

The file has COUNT functions of random type, each external or internal (LLVM may change the
calling convention of internal ones), and a caller of each. MIR is the machine code of the
callers after instruction selection, with the registers that a call reads and writes, and the
stack that it stores to. LLVM computes these by other code than a function's own arguments, so
the comparison finds errors. RECORDS is the output of records.py. WITHOUT are types that a
target lacks.
"""
import random
import re
import sys

TYPES = """typedef struct { char a; } s1;
typedef struct { char a[3]; } s3;
typedef struct { long a, b; } s16;
typedef struct { char a[20]; } s20;
typedef struct { long a[5]; } s40;
typedef struct { _Alignas(16) long a; } a16;
typedef struct { _Alignas(16) long a[4]; } a32;
typedef struct { float a; } f1;
typedef struct { float a, b; } f2;
typedef struct { float a, b, c; } f3;
typedef struct { double a, b; } d2;
typedef struct { double a[4]; } d4;
typedef struct { float a[9]; } f9;
typedef struct { float a; int b; } fi;
typedef struct { long a; double b; } ld;
typedef struct { long double a; } l1;
typedef struct { __int128 a; } w1;
typedef _Complex double cd;
typedef _Complex float cf;
typedef _BitInt(100) b100;
typedef long double longdouble;
typedef float v4 __attribute__((vector_size(16)));
void sink(void *);
"""
NAMES = re.findall(r"(\w+)(?: __attribute__.*)?;$", TYPES, re.MULTILINE)
# Repeat types that fill registers, so that often no register is left for later arguments.
NAMES = [n for n in NAMES if n != "sink"] + 2 * [
    "char", "short", "_Bool", "__int128", "_Float16"] + 4 * ["int", "long", "float", "double"]


def generate(seed, count, without):
    rng = random.Random(seed)
    names = [name for name in NAMES if name not in without]
    print(TYPES)
    for name in sorted(set(names)):
        print(f"extern {name} g_{name};")
    for number in range(count):
        result = rng.choice(["void", "void", *names])
        arguments = rng.choices(names, k=rng.randrange(15))
        kind = rng.choice(["external", "internal"])
        linkage = "" if kind == "external" else "static "
        parameters = ", ".join(f"{t} a{i}" for i, t in enumerate(arguments)) or "void"
        values = ", ".join("g_" + t for t in arguments)
        uses = "".join(f" sink(&a{i});" for i in range(len(arguments)))
        back = "" if result == "void" else f" {result} r; sink(&r); return r;"
        take = "" if result == "void" else f"g_{result} = "
        print(f"{linkage}__attribute__((noinline)) {result} {kind}_{number}({parameters}) "
              f"{{ sink(0);{uses}{back} }}\n"
              f"void caller_{number}(void) {{ sink(0); {take}{kind}_{number}({values}); sink(0); }}")


def positions(*groups):
    return {name: at for at, group in enumerate(groups) for name in group.split()}


# For each machine: argument registers of each class by position, result registers, the base
# of stack argument offsets, and the rounding of their total size. On ppc64le, which has 0
# here, the size includes space for register arguments, so stores are counted instead.
X86_GP = positions("rdi edi di dil", "rsi esi si sil", "rdx edx dx dl", "rcx ecx cx cl",
                   "r8 r8d r8w r8b", "r9 r9d r9w r9b")
MACHINES = {
    "x86_64": (X86_GP, positions(*(f"xmm{i}" for i in range(8))),
               "rax eax ax al rdx edx dl", "xmm0 xmm1", 0, 16),
    "aarch64": (positions(*(f"x{i} w{i}" for i in range(8))),
                positions(*(f"q{i} d{i} s{i} h{i}" for i in range(8))), None, None, 0, 1),
    "powerpc64le": (positions(*(f"x{i}" for i in range(3, 11))),
                    positions(*(f"f{i}" for i in range(1, 14))), None, None, 96, 0),
    "riscv64": (positions(*(f"x{i} x{i}_w x{i}_h" for i in range(10, 18))),
                positions(*(f"f{i}_d f{i}_f f{i}_h" for i in range(10, 18))), None, None, 0, 1),
}


class Call:
    """The registers that a call reads and writes, and the stack that the caller stores to."""

    def __init__(self, machine, text):
        gp, fp, gp_results, fp_results, base, self.rounding = MACHINES[machine]
        gp_results = gp_results.split() if gp_results else gp
        fp_results = fp_results.split() if fp_results else fp
        call = re.search(r".*@(?:ex|in)ternal_\d+.*", text[text.index("bb.0"):]).group()
        used = re.findall(r"implicit \$(\w+)", call)
        self.gp = max((gp[r] + 1 for r in used if r in gp), default=0)
        self.fp = max((fp[r] + 1 for r in used if r in fp), default=0)
        before = text[:text.index(call)]
        before = before[before.rindex("ADJCALLSTACKDOWN"):]
        self.size = int(re.search(r"ADJCALLSTACKDOWN\d* (\d+)", before).group(1))
        ends = [int(at or 0) + int(bits) // 8 for bits, at in
                re.findall(r"store \(s(\d+)\) into stack(?: \+ (\d+))?\b", before)]
        # On ppc64le the offset of a store may be in a register.
        constants = dict(re.findall(r"%(\d+):\w+ = LI8 (\d+)$", text, re.M))
        ends += [int(at or constants[index]) + int(bits) // 8 for at, index, bits in
                 re.findall(r", (?:(\d+), \$x1|\$x1, (?:killed )?%(\d+)) "
                            r":: \(store \(s(\d+)\)", before)]
        self.words = max([(end - base + 7) // 8 for end in ends], default=0)
        written = [r for r in re.findall(r"implicit-def \$(\w+)", call)]
        kinds = ["gp" if r in gp_results else "fp" if r in fp_results else "other"
                 for r in written if r not in ("rsp", "ssp", "sp", "r1", "x2")]
        self.result = ("void" if not kinds else kinds[0]
                       if len(set(kinds)) == 1 and len(kinds) <= 2 else "other")

    def contradicts(self, record):
        if (int(record["gp"]), int(record["fp"])) != (self.gp, self.fp):
            return f"registers: {self.gp} and {self.fp}"
        words = int(record["stack"])
        if words < self.words or (
                not -8 < self.size - 8 * words < self.rounding if self.rounding
                else words != self.words):
            return f"stack: {self.words} words are stored, {self.size} bytes reserved"
        # Vectors are returned in floating-point registers, but their records do not say fp.
        if "sret" not in record["flags"] and record["ret"] != self.result and (
                record["ret"], self.result) != ("other", "fp"):
            return f"result: {self.result}"
        return None


def compare(machine, mir, records):
    with open(mir, encoding="utf-8") as file:
        functions = dict(re.findall(r"^name: +(\w+)$(.*?)^\.\.\.$", file.read(), re.M | re.S))
    checked, unknown = 0, {"external": 0, "internal": 0}
    with open(records, encoding="utf-8") as file:
        for line in file:
            found = re.fullmatch(
                r"((?:ex|in)ternal)_(\d+) gp=(?P<gp>\d+) fp=(?P<fp>\d+) stack=(?P<stack>\d+) "
                r"ret=(?P<ret>\w+)(?P<flags>.*)\n", line)
            if not found:
                continue
            checked += 1
            if "unknown-args" in found["flags"]:
                unknown[found[1]] += 1
                continue
            wrong = Call(machine, functions["caller_" + found[2]]).contradicts(found)
            if wrong:
                sys.exit(f"{line}but its caller says {wrong}")
    print(f"{checked} records agree with callers; {unknown['external']} external and "
          f"{unknown['internal']} internal ones say unknown-args")


if sys.argv[1] == "generate":
    generate(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
else:
    compare(*sys.argv[2:])
