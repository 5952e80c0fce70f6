# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares counts of `patchbay record` with the hits of gdb's breakpoints.

Runs the program once with each tool. Exits with 1 if a count differs or is zero.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile


def patchbay_counts(patchbay, functions, command):
    with tempfile.TemporaryDirectory() as directory:
        data = f"{directory}/data"
        globs = [word for function in functions for word in ("-F", function)]
        subprocess.run([patchbay, "record", "-t", "count", *globs, "-o", data, "--", *command],
                       check=True, stdout=subprocess.DEVNULL)
        report = subprocess.run([patchbay, "report", "--json", data],
                                check=True, stdout=subprocess.PIPE).stdout
    return {f["name"]: f["calls"] for f in json.loads(report)["functions"]}


def gdb_counts(functions, command):
    """Counts the hits of breakpoints at the first instruction of each function."""
    script = ["set debuginfod enabled off", "set startup-with-shell off", "starti"]
    for number, function in enumerate(functions, 1):
        script += [f"break *&{function}", f"ignore {number} 1000000000"]
    script += ["continue", "info breakpoints"]
    output = subprocess.run(
        ["gdb", "-nx", "-batch", *[word for line in script for word in ("-ex", line)],
         "--args", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True).stdout
    counts = {}
    for number, hits in re.findall(r"^(\d+) +breakpoint .*\n\tbreakpoint already hit (\d+) time",
                                   output, re.MULTILINE):
        counts[functions[int(number) - 1]] = int(hits)
    if not counts:
        sys.exit(f"gdb_counts: gdb hit no breakpoint; it said:\n{output}")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-F", metavar="NAME", action="append", required=True)
    parser.add_argument("--patchbay", default="patchbay", help="the command to test")
    parser.add_argument("command", nargs="+", help="program and arguments")
    args = parser.parse_args()
    ours = patchbay_counts(args.patchbay, args.F, args.command)
    theirs = gdb_counts(args.F, args.command)
    print(f"{'patchbay':>10} {'gdb':>10}  function")
    for name in args.F:
        print(f"{ours.get(name, 0):>10} {theirs.get(name, 0):>10}  {name}")
    return any(not ours.get(name) or ours[name] != theirs.get(name) for name in args.F)


if __name__ == "__main__":
    sys.exit(main())
