#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the symbols of LLVM that a plugin takes from its host weak.

    weaken-llvm.py PLUGIN

A weak symbol that nobody defines is no reason for the loader to refuse a file (gABI,
"Symbol Binding"), so the plugin's own check of the host's version is reached
(HostVersion.cpp). In a host of the right version all are defined, and nothing differs.
Linkers have no option for this (gold had: --weak-unresolved-symbols).
"""
import re
import struct
import sys

# In namespace llvm: functions, virtual tables, type descriptors and their names.
OF_LLVM = re.compile(rb"_Z(N|NK|TV|TI|TS|TVN|TIN|TSN)4llvm")
SHT_DYNSYM, SHN_UNDEF, STB_GLOBAL, STB_WEAK = 11, 0, 1, 2
SYMBOL = struct.Struct("<IBBHQQ")


def main():
    path, = sys.argv[1:]
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        if data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"weaken-llvm: {path} is no ELF file of 64 bits, little-endian")
        start, = struct.unpack_from("<Q", data, 0x28)
        size, count = struct.unpack_from("<HH", data, 0x3a)
        sections = [struct.unpack_from("<IIQQQQII", data, start + i * size)
                    for i in range(count)]
        for _, kind, _, _, offset, length, link, _ in sections:
            if kind != SHT_DYNSYM:
                continue
            strings = sections[link][4]
            for at in range(offset, offset + length, SYMBOL.size):
                name, info, other, section, value, size = SYMBOL.unpack_from(data, at)
                if (section == SHN_UNDEF and info >> 4 == STB_GLOBAL
                        and OF_LLVM.match(data, strings + name)):
                    SYMBOL.pack_into(data, at, name, STB_WEAK << 4 | info & 15, other,
                                     section, value, size)
        file.seek(0)
        file.write(data)


main()
