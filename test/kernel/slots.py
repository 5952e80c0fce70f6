#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks each patchable entry in objects of a kernel: the slot, the return instruction after
the slot, and the CFI hash. Prints each fault and a summary. Exits with 1 if there is a fault or
no entry."""
import argparse
import struct
import sys
from pathlib import Path

# The return instructions, and the instructions that may be between the entry of a function and
# its first NOP.
RETURNS = {"arm64": 0xD65F03C0, "riscv": 0x00008067}
MACHINES = {183: "arm64", 243: "riscv"}
LANDING_PADS = {0, 4}

SHT_SYMTAB, SHT_RELA = 2, 4
KIND, OFFSET, SIZE, LINK, INFO, ALIGN = 1, 4, 5, 6, 7, 8  # of a section header
STT_FUNC, STB_GLOBAL, STB_WEAK = 2, 1, 2
TABLE = "__patchable_function_entries"


class Object:
    """A relocatable ELF file."""

    def __init__(self, path):
        self.data = path.read_bytes()
        self.arch = None
        if self.data[:6] == b"\x7fELF\x02\x01":
            self.arch = MACHINES.get(struct.unpack_from("<H", self.data, 18)[0])
        if self.arch:
            (at,), (size, count, names) = (struct.unpack_from("<Q", self.data, 40),
                                           struct.unpack_from("<HHH", self.data, 58))
            self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, at + i * size)
                             for i in range(count)]
            self.names = self.sections[names]

    def text(self, table, offset):
        start = table[OFFSET] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def symbols(self):
        for table in self.sections:
            if table[KIND] == SHT_SYMTAB:
                names = self.sections[table[LINK]]
                for at in range(table[OFFSET], table[OFFSET] + table[SIZE], 24):
                    name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                    yield self.text(names, name), info & 15, info >> 4, section, value

    def entries(self):
        """Yields the section and offset of the first NOP of each patchable function."""
        symbols = list(self.symbols())
        for table in self.sections:
            if table[KIND] != SHT_RELA or \
                    self.text(self.names, self.sections[table[INFO]][0]) != TABLE:
                continue
            for at in range(table[OFFSET], table[OFFSET] + table[SIZE], 24):
                _, info, addend = struct.unpack_from("<QQq", self.data, at)
                _, _, _, section, value = symbols[info >> 32]
                yield section, value + addend

    def check(self):
        """Yields for each entry its function, and its fault or None."""
        functions = {(section, value): (name, bind) for name, kind, bind, section, value
                     in self.symbols() if kind == STT_FUNC and not name.startswith("__cfi_")}
        for section, site in self.entries():
            found = [pad for pad in LANDING_PADS if (section, site - pad) in functions]
            if not found:
                yield f"section {section}+{site:#x}", "no function is there"
                continue
            entry = site - found[0]
            name, bind = functions[section, entry]
            yield name, self.fault(section, entry, bind)

    def fault(self, section, entry, bind):
        if entry < 16:
            return f"no slot: the section has {entry} bytes before the entry"
        slot, pad, cfi = struct.unpack_from(
            "<QII", self.data, self.sections[section][OFFSET] + entry - 16)
        # On riscv the linker aligns the entry (R_RISCV_ALIGN).
        if self.arch == "arm64" and (entry % 8 or self.sections[section][ALIGN] < 8):
            return f"the slot at {entry - 16:#x} is not aligned"
        if pad != RETURNS[self.arch]:
            return f"no slot: {pad:#x} instead of a return instruction"
        if slot:
            return f"the slot is {slot:#x} instead of 0"
        # A local function whose address is not taken has a second return instead of a hash.
        if bind in (STB_GLOBAL, STB_WEAK) and cfi in (0, RETURNS[self.arch]):
            return f"the CFI hash is {cfi:#x}"
        return None


def check(objects):
    """Checks pairs of a name and an object. Prints each fault. Returns a summary, and whether
    all entries are correct and at least one exists."""
    count = entries = faults = 0
    for path, compiled in objects:
        count += 1
        for name, fault in compiled.check():
            entries += 1
            if fault:
                faults += 1
                print(f"{path}: {name}: {fault}")
    return (f"{count} objects, {entries} patchable entries, {faults} faults",
            entries and not faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("objects", metavar="OBJECT", nargs="+", type=Path)
    objects = [(path, Object(path)) for path in parser.parse_args().objects]
    unknown = [str(path) for path, found in objects if not found.arch]
    if unknown:
        print(f"slots.py: {unknown[0]}: no object of {' or '.join(RETURNS)}", file=sys.stderr)
        return 1
    found, good = check(objects)
    print(found)
    return not good


if __name__ == "__main__":
    sys.exit(main())
