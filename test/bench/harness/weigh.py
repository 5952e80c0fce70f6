# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function costs in bytes: differences of whole programs."""
from .report import Row

PARTS = {
    "text": "",
    "instructions": "text without prefix and alignment",
    "tables": "",
    "relocations": "dynamic, of a position-independent executable",
    "total": "text, tables and relocations",
}


def weigh(case, sizes, table, functions, report):
    """Bytes per function over the program without it. Text has ratios, too;
    those of tables and relocations would be ratios to next to nothing."""
    for part, note in PARTS.items():
        for name in sizes:
            # What ours costs over no kCFI at all is asked often; of the peers,
            # it is the sum of two rows.
            against_all = table[name].against
            for against in against_all if name == "ours" else against_all[:1]:
                here = getattr(sizes[name], part)
                there = getattr(sizes[against], part)
                report.add(Row(
                    f"{case}, {part}", name, (here - there) / functions,
                    "bytes/function", against,
                    here / there if part == "text" else None, note=note))
                note = ""
