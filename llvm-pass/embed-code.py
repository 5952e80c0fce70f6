# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts an x86-64 object file to C++: embed-code.py OBJECT OUTPUT

For each of the sections .text, .gcc_except_table.* and .eh_frame the output has two arrays:
the bytes, and the fixups (struct CodeFixup in Pass.h).
"""
import struct
import sys

ARRAYS = {".text": "Text", ".gcc_except_table": "ExceptTable", ".eh_frame": "Frames"}
SECTION_TARGETS = {".text": "Text", ".data": "Links", ".gcc_except_table": "ExceptTable"}
SYMBOL_TARGETS = {"__patchbay_personality_2": "Personality"}
STUBS_END = "patchbay_stubs_end"
SHT_RELA, SHT_SYMTAB, STT_SECTION = 4, 2, 3
R_X86_64_PC32, R_X86_64_PLT32 = 2, 4


def string(table, offset):
    return table[offset:table.index(b"\0", offset)].decode()


def main():
    with open(sys.argv[1], "rb") as file:
        elf = file.read()
    (offset,), (size, count, names) = struct.unpack_from("<Q", elf, 0x28), struct.unpack_from(
        "<HHH", elf, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
    contents = [elf[h[4]:h[4] + h[5]] for h in headers]
    base = lambda i: ".".join(string(contents[names], headers[i][0]).split(".")[:2])
    table = next(i for i in range(count) if headers[i][1] == SHT_SYMTAB)
    symbols = list(struct.iter_unpack("<IBBHQQ", contents[table]))
    name = lambda s: string(contents[headers[table][6]], s[0])

    def target(symbol):
        if name(symbol) in SYMBOL_TARGETS:
            return SYMBOL_TARGETS[name(symbol)], 0
        return SECTION_TARGETS[base(symbol[3])], symbol[4]

    out = []
    for i in range(count):
        if base(i) not in ARRAYS or headers[i][1] == SHT_RELA:
            continue
        array = ARRAYS[base(i)]
        out.append(f"constexpr uint8_t {array}Bytes[] = {{")
        for at in range(0, len(contents[i]), 16):
            out.append(", ".join(map(str, contents[i][at:at + 16])) + ",")
        out.append(f"}};\nconstexpr CodeFixup {array}Fixups[] = {{")
        for j in range(count):
            if headers[j][1] != SHT_RELA or headers[j][7] != i:
                continue
            for place, info, addend in sorted(struct.iter_unpack("<QQq", contents[j])):
                if info & 0xffffffff not in (R_X86_64_PC32, R_X86_64_PLT32):
                    sys.exit(f"{base(i)}+{place:#x}: relocation of type {info & 0xffffffff}")
                to, value = target(symbols[info >> 32])
                out.append(f"{{{place}, CodeFixup::{to}, {value + addend}}},")
        out.append("};")
    end = next(s[4] for s in symbols if name(s) == STUBS_END)
    out.append(f"constexpr unsigned StubsSize = {end};\n")
    with open(sys.argv[2], "w", encoding="ascii") as file:
        file.write("\n".join(out))


main()
