# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count-left.py PATCHBAY PROG TRACER [OPTION]...: records PROG, which prints the number of its
calls of step(), and how many of these it left by siglongjmp() after their bodies. Each call
must be shown, lost, missed, or counted as not returned."""
import re
import subprocess
import sys


def number(pattern, text):
    found = re.search(pattern, text, re.M)
    return int(found[1]) if found else 0


def main():
    patchbay, program, tracer, *options = sys.argv[1:]
    done = subprocess.run([patchbay, "record", "-t", tracer, *options, "-F", "step", "-o", "out",
                           "--", program], stdout=subprocess.PIPE, text=True, check=True)
    calls, jumps = map(int, done.stdout.split())
    said = subprocess.run([patchbay, "report", "-i", "out"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True).stdout
    shown = number(r"^ *(\d+) .* step\b", said)
    lost = number(r" (\d+) events? (?:was|were) lost", said)
    open_calls = number(r" (\d+) calls? ha(?:s|ve) no return", said)
    missed = number(r" (\d+) calls? (?:was|were) missed", said)
    told = shown + lost + open_calls + missed
    print(f"{tracer}: {calls} calls, {jumps} jumps; shown {shown}, lost {lost}, "
          f"without a return {open_calls}, missed {missed}: {told - calls} more")
    if not jumps or not calls <= told <= calls + jumps:
        sys.exit(said)


main()
