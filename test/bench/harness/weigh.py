# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes per function: differences of whole programs."""
from .report import Row

PARTS = {
    "text": "",
    "instructions": "text without prefix and alignment",
    "tables": "",
    "relocations": "dynamic, of a position-independent executable",
    "total": "text, tables and relocations",
}


def weigh(case, sizes, table, functions, report):
    """Bytes per function more than the program without the system. Only text has ratios,
    because the plain program has almost no tables and relocations."""
    for part, note in PARTS.items():
        for name in sizes:
            # Users often ask for our cost compared with a program without kCFI. For the
            # other systems it is the sum of two rows.
            against_all = table[name].against
            for against in against_all if name == "ours" else against_all[:1]:
                here = getattr(sizes[name], part)
                there = getattr(sizes[against], part)
                report.add(Row(
                    f"{case}, {part}", name, (here - there) / functions,
                    "bytes/function", against,
                    here / there if part == "text" else None, note=note))
                note = ""
