# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures that are printed in addition to the checks."""
import subprocess


def ops(before, after, kind="with CALL_OPS and CFI"):
    """Prints costs in the format of the Linux commit that introduced CALL_OPS. The guest's
    nanoseconds are executed instructions."""
    for title, cells in (("without CALL_OPS", before), (kind, after)):
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
    """Size of all sections with instructions."""
    size = subprocess.run(["readelf", "-SW", path], capture_output=True,
                          text=True, check=True).stdout
    total = 0
    for line in size.splitlines():
        fields = line.split("]", 1)[-1].split()
        if len(fields) > 7 and fields[1] == "PROGBITS" and "X" in fields[6]:
            total += int(fields[4], 16)
    return total


def size(what, files):
    """Prints sizes and their ratios to the first size."""
    base = None
    for name, paths in files.items():
        total = sum(map(text_size, paths))
        base = base or total
        print(f"text of {what} {name}: {total:,} bytes, {(total / base - 1) * 100:+.2f} %")


def lines(whose, patches):
    """Prints how many lines a series of patches changes. Runs git outside of a repository,
    where git would ignore files outside of the current folder."""
    said = subprocess.run(["git", "apply", "--numstat", *patches], capture_output=True,
                          text=True, check=True, cwd="/").stdout
    counts = [line.split("\t") for line in said.splitlines()]
    print(f"lines of the kernel that are {whose}: {sum(int(added) for added, _, _ in counts)} added,"
          f" {sum(int(removed) for _, removed, _ in counts)} removed,"
          f" in {len({path for _, _, path in counts})} files")


def selftests(ours, theirs, one="CALL_OPS and CFI", other="without CFI"):
    """Prints the tests that did not pass."""
    print(f"  {one:16} | {other:11} | ftrace selftest\n"
          "  =================+=============+=================")
    for name in ours:
        if {ours[name], theirs.get(name)} != {"PASS"}:
            print(f"  {ours[name]:16} | {theirs.get(name, 'missing'):11} | {name}")
    print()
