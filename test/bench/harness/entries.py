# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts instructions that calls of patchable functions execute, by kind of entry:
src/entry_calls.c and, on ppc64le, src/entry_forms.S. The count includes the whole call, with a
body of two instructions, so the cost of a kind is the difference to the plain entry.

Also counts returns that do not pair with their calls, which CPUs with a link stack mispredict."""
from dataclasses import asdict

from . import emulate
from .emulate import ISAS
from .report import Row, Skipped
from .toolchain import BENCH, SOURCE

ISA = ISAS["powerpc64le"]
LIBRARY = {"powerpc64le": "ppc64le/libpatchbay.a", "aarch64": "aarch64/libpatchbay.a"}
GENERAL_REGISTERS = {"powerpc64le": ("-msoft-float", "-mno-altivec", "-mno-vsx"),
                     "aarch64": ("-mgeneral-regs-only",)}
OTHER_FORMS = {"powerpc64le": "entry_forms.S"}

# Kinds of entries by case, with descriptions.
CASES = {
    "ppc64le entry, off": {
        "plain": "", "ours-off": "one nop", "mflr-nop": "mflr, nop; as of -mprofile-kernel"},
    "ppc64le entry, on": {
        "plain": "", "ours": "handler of general registers only, PATCHBAY_OPS_FAST",
        "ours-any-handler": "any handler: vector registers are saved",
        "ours-exit": "handlers at entry and exit, PATCHBAY_OPS_FAST",
        "in-line": "mflr, std, bl, ld, mtlr; calls the least that a hook needs",
        "mflr-bl": "mflr, bl, with a way back by bctr; as of -mprofile-kernel"},
}
NAMES = {"plain": "baseline", "ours-off": "ours"}


def build(tools, isa):
    target = f"--target={isa.triple}"

    def compile(source, *flags):
        return tools.compile(BENCH / "src" / source, [
            target, "-D_GNU_SOURCE", "-I", str(SOURCE / "runtime" / "include"), *flags])

    c = ("-std=c11", "-O2", "-Wall", "-Wextra")
    objects = [
        compile("entry_calls.c", *c, f"-fplugin={tools.product('patchbay-pass.so')}",
                f"-DMARK_BEGIN={isa.mark_begin:#x}", f"-DMARK_END={isa.mark_end:#x}"),
        compile("handlers.c", *c, *GENERAL_REGISTERS[isa.name])]
    if isa.name in OTHER_FORMS:
        objects.append(compile(OTHER_FORMS[isa.name]))
    return tools.link("entries", [target, "-fuse-ld=lld", "-static", *objects,
                                  tools.product(LIBRARY[isa.name])])


def count(tools, isa=ISA):
    """Returns, for each kind, the count and the number of unpaired returns."""
    traces = emulate.trace(tools, isa, build(tools, isa))
    return {form: (emulate.count(isa, [name for _, name in executed]),
                   emulate.unpaired(isa, executed))
            for form, executed in traces.items()}


def rows(counts):
    base = counts["plain"][0].instructions
    for case, forms in CASES.items():
        for form, note in forms.items():
            number, unpaired = counts[form]
            parts = asdict(number) | {"unpaired": unpaired}
            here = float(parts.pop("instructions"))
            against = None if form == "plain" else "baseline"
            yield Row(case, NAMES.get(form, form), here, "instructions/call", against,
                      here / base if against else None, note=note, parts=parts,
                      over=here - base if against else None)


def report(tools, out):
    reason = ISA.missing()
    if not reason and not (tools.lib / LIBRARY[ISA.name]).exists():
        reason = f"no {LIBRARY[ISA.name]}: the build tree was made without its C library"
    if reason:
        for case in CASES:
            out.skip(Skipped(case, "ours", reason))
        return
    for row in rows(count(tools)):
        out.add(row)
