# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of a linked program, from the section headers of its ELF file."""
import struct
from dataclasses import dataclass

from . import BenchError

SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL, SHT_RELR = 2, 4, 8, 9, 19
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_FUNC = 2
# Fields of a section header.
KIND, FLAGS, OFFSET, SIZE, LINK = 1, 2, 4, 5, 6


@dataclass(frozen=True)
class Size:
    text: int          # executable sections
    relocations: int   # relocations for the dynamic linker
    tables: int        # other sections in memory and in the file
    instructions: int  # bytes of functions, without prefixes and alignment
    functions: int     # number of functions with a symbol

    @property
    def total(self):
        return self.text + self.relocations + self.tables


def _sections(path, data):
    if data[:6] != b"\x7fELF\x02\x01":
        raise BenchError(f"{path}: not a little-endian 64-bit ELF file")
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, number = struct.unpack_from("<HH", data, 58)
    for i in range(number):
        yield struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size)


def _functions(data, symbols, names):
    """Returns address and size of the functions in a symbol table. Excludes the symbols __cfi_f of
    kCFI, which have the same type, and mark the prefix of a function f."""
    found = {}
    for at in range(symbols[OFFSET], symbols[OFFSET] + symbols[SIZE], 24):
        name, info, _, _, value, size = struct.unpack_from("<IBBHQQ", data, at)
        prefix = data.startswith(b"__cfi_", names[OFFSET] + name)
        if info & 15 == STT_FUNC and size and not prefix:
            found[value] = size
    return found


def measure(path):
    data = path.read_bytes()
    sections = list(_sections(path, data))
    text = relocations = tables = 0
    functions = {}
    for section in sections:
        kind, flags, size = section[KIND], section[FLAGS], section[SIZE]
        if kind == SHT_SYMTAB:
            functions = _functions(data, section, sections[section[LINK]])
        elif not flags & SHF_ALLOC or kind == SHT_NOBITS:
            continue
        elif flags & SHF_EXECINSTR:
            text += size
        elif kind in (SHT_RELA, SHT_REL, SHT_RELR):
            relocations += size
        else:
            tables += size
    return Size(text, relocations, tables, sum(functions.values()), len(functions))
