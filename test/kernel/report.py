# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures that are printed beside the checks."""
import subprocess


def ops(before, after):
    """In the form of the commit that introduced CALL_OPS. Nanoseconds of the
    guest are instructions executed."""
    for title, cells in (("without CALL_OPS", before), ("with CALL_OPS and CFI", after)):
        if (0, 0) not in cells:
            continue
        print(f"\nsamples/ftrace/ftrace-ops {title}; 1 ns is 1 instruction\n\n"
              "  Number of tracers     || Total time  | Per-call average time (ns)\n"
              "  Relevant | Irrelevant || (ns)        | Total        | Overhead\n"
              "  =========+============++=============+==============+============")
        base = cells[0, 0][0] / cells[0, 0][1]
        for (relevant, irrelevant), (total, calls) in sorted(cells.items()):
            if relevant and not irrelevant:
                print("  ---------+------------++-------------+--------------+------------")
            over = f"{total / calls - base:.2f}" if relevant else "-"
            print(f"  {relevant:8} | {irrelevant:10} || {total:11,} | {total / calls:12,.2f} |"
                  f" {over:>10}")
    print()


def text_size(path):
    """Of all sections that hold instructions."""
    size = subprocess.run(["llvm-readelf-22", "-SW", path], capture_output=True,
                          text=True, check=True).stdout
    total = 0
    for line in size.splitlines():
        fields = line.split("]", 1)[-1].split()
        if len(fields) > 7 and fields[1] == "PROGBITS" and "X" in fields[6]:
            total += int(fields[4], 16)
    return total


def size(files):
    base = None
    for name, path in files.items():
        total = text_size(path)
        base = base or total
        print(f"text of {name}: {total:,} bytes, {(total / base - 1) * 100:+.2f} %")
    print()
