# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts executed instructions of calls whose caller, key and target are in the executable (k) or
in a shared object (m): src/placed.h.

The count of a call begins with its first instruction in the caller, such as the load of a
pointer, and ends with its last instruction in the caller, such as the restore of the TOC
pointer. The count includes the instructions between caller and target, and the target's set-up
of its TOC pointer, but not the rest of the target. The compiler moves some instructions of the
call to the start of the caller. So this module counts whole callers, and subtracts the common
instructions of all callers and the instructions of the target."""
from dataclasses import asdict, dataclass

from . import emulate
from .emulate import ISAS, Count
from .report import Row, Skipped
from .toolchain import BENCH, SOURCE

UNITS = {"k": "-fPIE", "m": "-fPIC"}
PAIRS = [c + t for c in "km" for t in "km"]
COMPILE = ("-std=c11", "-O2", "-Wall", "-Wextra")


@dataclass(frozen=True)
class Variant:
    name: str
    isa: emulate.Isa
    flags: tuple = ()
    caller_flags: tuple = ()
    link_flags: tuple = ()
    options: tuple = ()  # of QEMU

    @property
    def same_unit(self):
        return "-DSAME_UNIT" in self.flags

    @property
    def cases(self):
        return [case for case in (c + k + t for c in "km" for k in "km" for t in "km")
                if len(set(case)) == 1 or not self.same_unit]


VARIANTS = (
    Variant("ppc64le", ISAS["powerpc64le"]),
    Variant("ppc64le, same TOC", ISAS["powerpc64le"], flags=("-DSAME_UNIT",),
            link_flags=("-Wl,--static-calls-same-toc",)),
    # Callers without a TOC pointer, and targets with a TOC pointer.
    Variant("POWER10", ISAS["powerpc64le"], caller_flags=("-mcpu=power10",),
            options=("-cpu", "power10")),
    Variant("AArch64", ISAS["aarch64"]),
)

# "Out-of-line static calls for powerpc64 ELF V2", linuxppc-dev, September 2022: instructions,
# loads, stores and indirect branches, counted in the code of the series. A kernel loads pointers
# of other units in other ways than this program.
SERIES = {
    "kkk": (6, 2, 1, 0), "kkm": (12, 3, 1, 1), "kmk": (21, 3, 1, 2),
    "kmm": (16, 2, 1, 1), "mkk": (10, 3, 1, 1), "mkm": (16, 4, 1, 2),
    "mmk": (21, 3, 1, 2), "mmm": (16, 2, 1, 1),
}


def build(tools, variant):
    target = f"--target={variant.isa.triple}"
    common = [target, *COMPILE, "-I", str(SOURCE / "runtime" / "include"),
              *variant.flags]
    link = [target, f"--ld-path={tools.product('bin/ld.lld')}",
            "-Wl,--static-calls,-z,now", *variant.link_flags]

    def compile(name, *flags):
        return tools.compile(BENCH / "src" / f"placed_{name}.c", [*common, *flags])

    objects = {unit: [
        compile("targets", flag, f"-DUNIT={unit}"),
        compile("keys", flag, f"-DUNIT={unit}"),
        compile("calls", flag, f"-DUNIT={unit}", *variant.caller_flags),
    ] for unit, flag in UNITS.items()}
    main = compile("main", "-fPIE", f"-DMARK_BEGIN={variant.isa.mark_begin:#x}",
                   f"-DMARK_END={variant.isa.mark_end:#x}")
    module = tools.link("placed", [*link, "-shared", *objects["m"]], ".so")
    return tools.link("placed", [*link, "-pie", "-rdynamic", main, *objects["k"],
                                 module, f"-Wl,-rpath,{module.parent}"])


def count(tools, variant):
    """Returns the counts (instructions, loads, ...) of a call by the units of caller, key and
    target, and of a direct call by the units of caller and target."""
    of = emulate.run(tools, variant.isa, build(tools, variant), variant.options)
    empty = Count(instructions=1)  # an empty function consists of a return
    target = of["base_target"] - of["base_empty"] + empty
    frame = {}
    for unit in UNITS:
        once = of[f"once_{unit}"]
        direct = of[f"twice_{unit}"] - once - empty
        frame[unit] = once - direct - empty

    def calls(name, cases):
        return {case: of[f"{name}_{case}"] - frame[case[0]] - target for case in cases}

    return {"direct": calls("direct_call", () if variant.same_unit else PAIRS),
            "pointer": calls("pointer_call", variant.cases),
            "ours": calls("static_call", variant.cases)}


def _row(case, system, count, against=None, base=None):
    parts = asdict(count)
    here = float(parts.pop("instructions"))
    there = base and base.instructions
    return Row(case, system, here, "instructions/call", against,
               here / there if there else None, over=here - there if there else None,
               parts=parts)


def rows(variant, counts):
    for case in variant.cases:
        name, pointer = f"{variant.name} {case}", counts["pointer"][case]
        direct = counts["direct"].get(case[0] + case[2])
        if direct:
            yield _row(name, "baseline", direct)
        yield _row(name, "pointer", pointer)
        if variant is VARIANTS[0]:
            yield _row(name, "linux-series-2022", Count(*SERIES[case], None),
                       "pointer", pointer)
        yield _row(name, "ours", counts["ours"][case], "pointer", pointer)


def report(tools, out):
    for variant in VARIANTS:
        reason = variant.isa.missing()
        if reason:
            out.skip(Skipped(variant.name, "ours", reason))
            continue
        for row in rows(variant, count(tools, variant)):
            out.add(row)
