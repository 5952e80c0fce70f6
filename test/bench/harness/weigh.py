# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes bytes per function from the sizes of whole programs."""
from .report import Row

PARTS = {
    "text": "",
    "instructions": "text without prefix and alignment",
    "tables": "",
    "relocations": "dynamic, of a position-independent executable",
    "total": "text, tables and relocations",
}


def weigh(case, sizes, table, functions, report):
    """Reports the additional bytes per function, compared with the program without the system.
    Only text has ratios, because the plain program has almost no tables and relocations."""
    for part, note in PARTS.items():
        for name in sizes:
            # Compare ours also with the program without kCFI, as users often ask. For other
            # systems, this difference is the sum of two rows.
            against_all = table[name].against
            for against in against_all if name == "ours" else against_all[:1]:
                here = getattr(sizes[name], part)
                there = getattr(sizes[against], part)
                report.add(Row(
                    f"{case}, {part}", name, (here - there) / functions,
                    "bytes/function", against,
                    here / there if part == "text" else None, note=note))
                note = ""
