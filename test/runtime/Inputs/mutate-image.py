# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate-image.py PATCHBAY IMAGE: damages IMAGE and verifies the result.

1. Changes each byte that the ABI defines, one at a time. `verify` must find each
   change.
2. Overwrites headers and tables, and truncates the file. `verify` must not crash. Its
   findings depend on how the loader interprets the damage.

Tests the fields of the ABI, at the image's offsets. Random changes have a fixed seed and are
the same in each run.
"""
import os
import random
import struct
import subprocess
import sys

BATCH = 100
X86_64 = 62
SITE_SIZES = {X86_64: 7, 183: 8, 21: 4, 243: 8}


class Image:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.data = file.read()
        self.machine, = struct.unpack_from("<H", self.data, 18)
        self.segment_table, self.section_table = struct.unpack_from("<QQ", self.data, 32)
        self.segment_count, _, self.section_count, names = struct.unpack_from(
            "<HHHH", self.data, 56)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, self.section_table + i * 64)
                         for i in range(self.section_count)]
        self.names = [self.string(names, s[0]) for s in self.sections]

    def string(self, section, offset):
        start = self.sections[section][4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def file_offset(self, address):
        for _, kind, flags, start, offset, size, *_ in self.sections:
            if flags & 2 and kind != 8 and start <= address < start + size:
                return offset + address - start
        raise ValueError(f"{address:#x} is in no section")

    def symbol(self, wanted):
        for _, kind, _, _, offset, size, link, *_ in self.sections:
            for at in range(offset, offset + size, 24) if kind == 2 else ():
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                if self.string(link, name) == wanted:
                    return value
        raise ValueError(f"no {wanted}")

    def changes_to_find(self):
        """(file offset, bits to flip) of every change that verify must detect."""
        index = self.names.index("patchbay_sites")
        _, _, _, sites, table, size, *_ = self.sections[index]
        single = [1 << bit for bit in range(8)]
        # The fields of the section header: address, offset and size.
        header = self.section_table + index * 64
        yield from ((header + i, bits) for i in range(16, 40) for bits in single)
        for record in range(0, size, 16):
            at = table + record
            entry, site, signature = struct.unpack_from("<iiI", self.data, at)
            entry += sites + record
            site += sites + record + 4
            yield from ((at + i, bits) for i in range(12) for bits in single)
            # `verify` detects a count of registers that is too large, but cannot know the
            # number of words on the stack, so that count (byte 14) is omitted.
            yield from ((at + i, 0xFF) for i in (12, 13))
            yield at + 15, 0x80
            for address in range(entry - 16, site + SITE_SIZES[self.machine]):
                # With kcfi-arity, any register is a valid value.
                arity = self.machine == X86_64 and signature and address == entry - 5
                yield from ((self.file_offset(address), bits)
                            for bits in (single[3:] if arity else single))
        descriptor = self.file_offset(self.symbol("__patchbay_module"))
        yield from ((descriptor + i, bits) for i in range(24) for bits in single)

    def moved(self):
        """Maps the records at an address that differs from the loader's."""
        index = self.names.index("patchbay_sites")
        _, _, _, _, table, size, *_ = self.sections[index]
        data = bytearray(self.data)
        struct.pack_into("<Q", data, self.section_table + index * 64 + 24, len(data))
        return bytes(data) + self.data[table:table + size]

    def damaged(self):
        """Damages contents at random. Any finding is correct, but verify must not
        crash."""
        rng = random.Random(22)
        for size in range(0, len(self.data), max(1, len(self.data) // 100)):
            yield self.data[:size]
        regions = [(0, 64), (self.segment_table, self.segment_count * 56),
                   (self.section_table, self.section_count * 64)]
        for name, section in zip(self.names, self.sections):
            if section[1] in (2, 3, 4, 6, 9, 11, 19) or name.startswith("patchbay"):
                regions.append((section[4], section[5]))
        values = [0, 1, 8, 16, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF,
                  0xFFFFFFFFFFFFFFF0, 0xFFFFFFFFFFFFFFFF]
        for start, size in regions:
            for at in range(start, start + size, 4):
                data = bytearray(self.data)
                width = rng.choice((1, 2, 4, 8))
                value = rng.choice(values + [rng.getrandbits(64), rng.getrandbits(16)])
                data[at:at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
                yield bytes(data[:len(self.data)])


def verify(patchbay, image, contents):
    """Yields for each damaged image whether verify found a fault."""
    contents = list(contents)
    for start in range(0, len(contents), BATCH):
        paths = []
        for i, data in enumerate(contents[start:start + BATCH]):
            paths.append(f"{image.path}.{i}.mutant")
            with open(paths[-1], "wb") as file:
                file.write(data)
        result = subprocess.run([patchbay, "verify", *paths], capture_output=True,
                                text=True, errors="replace")
        if result.returncode not in (0, 1, 3):
            sys.exit(f"status {result.returncode} of {paths[0]} ... {paths[-1]}\n{result.stderr}")
        said = result.stdout + result.stderr
        yield from (path + ": " in said for path in paths)
        for path in paths:
            os.remove(path)


def main():
    patchbay, path = sys.argv[1:]
    image = Image(path)
    if list(verify(patchbay, image, [image.data])) != [False]:
        sys.exit(f"{path} has faults as it is")

    if list(verify(patchbay, image, [image.moved()])) != [True]:
        sys.exit(f"{path}: records that are not loaded were not found")

    changes = list(image.changes_to_find())
    mutants = []
    for at, bits in changes:
        data = bytearray(image.data)
        data[at] ^= bits
        mutants.append(bytes(data))
    for (at, bits), found in zip(changes, verify(patchbay, image, mutants)):
        if not found:
            sys.exit(f"{path}: {bits:#x} flipped at {at:#x} was not found")
    damaged = list(verify(patchbay, image, image.damaged()))
    print(f"found {len(changes)} changes, and fault with {sum(damaged)} of "
          f"{len(damaged)} damaged files")


main()
