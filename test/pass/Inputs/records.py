# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the records of a linked file, one per line:

    function gp=2 fp=0 stack=0 ret=gp site=+0 hash=0x... align=16 [flags]

--prefix adds `prefix` and the 16 bytes before the entry. Fails if a record contradicts the code
that it describes. Has its own copy of the ABI's numbers, to check the header's.
"""
import argparse
import re
import struct
import sys

RETURNS = ["void", "gp", "fp", "other"]
FLAGS = [(0x01, "variadic"), (0x02, "sret"), (0x04, "noreturn"),
         (0x08, "musttail"), (0x40, "unknown-args"), (0x80, "RESERVED")]
RECORD = struct.Struct("<iiIBBBB")


# Numbers of machines in ELF headers.
PPC64LE, X86_64, AARCH64, RISCV64 = 21, 62, 183, 243
PADS = {X86_64: bytes([0xC3] * 4), AARCH64: bytes.fromhex("c0035fd6"),
        PPC64LE: bytes.fromhex("2000804e"), RISCV64: bytes.fromhex("67800000")}
# Valid code between entry and site: none, a landing pad, or on ppc64le the set-up of r2, up
# to the symbol's local entry point.
PREAMBLES = {X86_64: "(f30f1efa)?", AARCH64: "(5f2403d5|df2403d5)?",
             PPC64LE: "(....4c3c....4238)?", RISCV64: "(17000000)?"}


def check_x86_64(name, elf, entry, site, gp, flags):
    code = elf.at(site, 7)
    opcode, stub, jb, displacement = struct.unpack("<BiBb", code)
    if opcode != 0xA9 or jb != 0x72:
        sys.exit(f"{name}: no site: {code.hex()}")
    if site + 7 + displacement != entry - 8:
        sys.exit(f"{name}: the site's jump misses the pad")
    registers = 2 if flags & 0x41 or gp > 4 else 1 if gp > 2 else 0
    stubs = [value for value, of, _ in elf.functions() if of == "__patchbay_stubs_2"]
    if [site + 5 + stub - (2 * registers + (site != entry)) * 16] != stubs[:1]:
        sys.exit(f"{name}: the site does not lead to its stub")


def check_aarch64(name, elf, entry, site, *_):
    code = elf.at(site, 8)
    if code != bytes.fromhex("e9031eaa 1f2003d5"):
        sys.exit(f"{name}: no site: {code.hex()}")


def check_ppc64le(name, elf, entry, site, *_):
    code = elf.at(site, 4)
    if code != bytes.fromhex("00000060"):
        sys.exit(f"{name}: no site: {code.hex()}")
    for value, _, other in elf.functions():
        # st_other has the exponent of the distance; 0 and 1 mean only one entry point.
        if value == entry and site != entry + ((1 << (other >> 5)) & ~3):
            sys.exit(f"{name}: the site is not at the local entry")


def check_riscv64(name, elf, entry, site, *_):
    code = elf.at(site, 8)
    if code != bytes.fromhex("13000000 13000000"):
        sys.exit(f"{name}: no site: {code.hex()}")


CHECKS = {X86_64: check_x86_64, AARCH64: check_aarch64,
          PPC64LE: check_ppc64le, RISCV64: check_riscv64}


class Elf:
    def __init__(self, data):
        self.data = data
        self.machine, = struct.unpack_from("<H", data, 18)
        table, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size)
                         for i in range(count)]
        self.names = [self.string(names, s[0]) for s in self.sections]

    def string(self, section, offset):
        start = self.sections[section][4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def functions(self):
        for kind, symtab in ((s[1], s) for s in self.sections):
            if kind != 2:
                continue
            for at in range(symtab[4], symtab[4] + symtab[5], 24):
                name, info, other, index, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                if info & 15 == 2 and index:
                    yield value, self.string(symtab[6], name), other

    def at(self, address, size):
        for _, kind, flags, start, offset, length, *_ in self.sections:
            if flags & 2 and kind != 8 and start <= address < start + length:
                return self.data[offset + address - start:][:size]
        sys.exit(f"address {address:#x} is in no section")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--prefix", action="store_true")
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        elf = Elf(file.read())
    if "patchbay_sites" not in elf.names:
        print("no records")
        return
    functions = {}
    for value, name, _ in sorted(elf.functions()):
        functions.setdefault(value, []).append(name)
    _, _, _, address, offset, size, *_ = elf.sections[elf.names.index("patchbay_sites")]
    for at in range(0, size, RECORD.size):
        entry, site, signature, gp, fp, stack, flags = RECORD.unpack_from(
            elf.data, offset + at)
        entry += address + at
        site += address + at + 4
        name = "/".join(functions.get(entry, ["?"]))
        prefix = elf.at(entry - 16, 16)
        pad = PADS[elf.machine]
        if elf.machine == X86_64:
            hashed = prefix[11] == 0xB8
            pads_end = 11 if hashed else 16
        else:
            hashed = prefix[12:] != pad
            pads_end = 12 if hashed else 16
        if signature != (struct.unpack_from("<I", prefix, 12)[0] if hashed else 0):
            sys.exit(f"{name}: record and prefix have different hashes")
        if prefix[:8] != bytes(8) or prefix[8:pads_end] != (pad * 2)[:pads_end - 8]:
            sys.exit(f"{name}: no slot and pad before the entry: {prefix.hex()}")
        if (entry - 16) % 8:
            sys.exit(f"{name}: slot is not aligned")
        CHECKS[elf.machine](name, elf, entry, site, gp, flags)
        preamble = elf.at(entry, site - entry).hex()
        if not re.fullmatch(PREAMBLES[elf.machine], preamble):
            sys.exit(f"{name}: {preamble} between entry and site")
        words = [f"{name} gp={gp} fp={fp} stack={stack} ret={RETURNS[flags >> 4 & 3]}",
                 f"site=+{site - entry} hash={signature:#x}",
                 f"align={entry & -entry}"]
        words += [word for bit, word in FLAGS if flags & bit]
        if options.prefix:
            words.append("prefix " + prefix.hex(" "))
        print(" ".join(words))


main()
