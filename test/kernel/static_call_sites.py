#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prepares the static calls of a linked ppc64le program for any linker, as our linker does. The
program is linked with --emit-relocs, and contains compiled trampolines. Replaces the nop after
each call of a trampoline by ld r2,PACATOC(r13), and writes the addresses of the calls and their
keys to .static_call_sites. Prints the number of calls. On an error the program is unchanged."""
import argparse
import struct
import sys
from pathlib import Path

MACHINE, R_PPC64_REL24, SHT_RELA, SHT_SYMTAB = 21, 10, 4, 2
NOP, BRANCH, LINK, LOAD_R2 = 0x60000000, 0x12, 1, 0xE84D0000
TRAMPOLINE, KEY = "__SCT__", "__SCK__"
SITES = ".static_call_sites"


class Refused(Exception):
    """The reason why the program cannot be prepared."""


class Program:
    def __init__(self, data):
        self.data = bytearray(data)
        if self.data[:6] != b"\x7fELF\x02\x01" or self.read("H", 18) != MACHINE:
            raise Refused("no program of ppc64le")
        start, (size, count, names) = self.read("Q", 40), struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
        self.sections = [dict(zip(("name", "kind", "flags", "address", "offset", "size", "link",
                                   "info", "align", "entry"), header)) for header in headers]
        self.names = self.sections[names]
        tables = [table for table in self.sections if table["kind"] == SHT_SYMTAB]
        if not tables:
            raise Refused("no symbols")
        self.symbols = [(self.text(self.sections[tables[0]["link"]], name), value)
                        for name, _, _, _, value, _ in self.entries(tables[0], "IBBHQQ")]

    def read(self, kind, offset):
        return struct.unpack_from(f"<{kind}", self.data, offset)[0]

    def write(self, kind, offset, *values):
        struct.pack_into(f"<{kind}", self.data, offset, *values)

    def text(self, table, offset):
        start = table["offset"] + offset
        return self.data[start:self.data.index(0, start)].decode()

    def entries(self, table, layout):
        return struct.iter_unpack(f"<{layout}", self.data[table["offset"]:table["offset"] + table["size"]])

    def calls(self):
        """Yields the address and the file offset of each call of a trampoline, and the
        trampoline's name."""
        for table in self.sections:
            if table["kind"] != SHT_RELA or not table["info"]:
                continue
            section = self.sections[table["info"]]
            for place, info, _ in self.entries(table, "QQq"):
                name = self.symbols[info >> 32][0]
                if info & 0xFFFFFFFF == R_PPC64_REL24 and name.startswith(TRAMPOLINE):
                    yield place, section["offset"] + place - section["address"], name

    def prepare(self, toc):
        room = [section for section in self.sections
                if self.text(self.names, section["name"]) == SITES]
        keys, calls = dict(self.symbols), list(self.calls())
        if calls and (not room or room[0]["size"] < 8 * len(calls)):
            raise Refused(f"{SITES} has no room for {len(calls)} calls of 8 bytes each")
        for index, (place, offset, name) in enumerate(calls):
            branch, after = self.read("I", offset), self.read("I", offset + 4)
            if branch >> 26 != BRANCH or not branch & LINK:
                raise Refused(f"{place:#x}: jump to {name}: only calls can restore r2")
            if after != NOP:
                raise Refused(f"{place:#x}: no nop after the call of {name}")
            key = keys.get(KEY + name[len(TRAMPOLINE):])
            if key is None:
                raise Refused(f"{place:#x}: {name} has no key")
            self.write("I", offset + 4, LOAD_R2 | toc)
            site = room[0]["address"] + 8 * index
            self.write("ii", room[0]["offset"] + 8 * index, place - site, key - site - 4)
        return len(calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", metavar="PROGRAM", type=Path)
    parser.add_argument("--toc", type=int, default=16, metavar="N",
                        help="PACATOC, the offset of the TOC pointer in the PACA (default: 16)")
    options = parser.parse_args()
    try:
        program = Program(options.program.read_bytes())
        count = program.prepare(options.toc)
    except Refused as error:
        print(f"static_call_sites.py: {options.program}: {error}", file=sys.stderr)
        return 1
    options.program.write_bytes(program.data)
    print(f"{count} static calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
