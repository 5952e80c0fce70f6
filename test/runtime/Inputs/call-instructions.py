# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: call-instructions.py SOURCE TRACER PROGRAM

Counts the instructions of a recorded call, by type of result; see call-instructions.c."""
import sys
import tempfile
from pathlib import Path

source, tracer, program = sys.argv[1:]
sys.path.append(str(Path(source, "test", "bench")))
from harness import callgrind  # noqa: E402

# For each tracer: settings, and the maximum number of instructions, rounded down, per call of
# a function without a result and of one that returns a double.
MOST = {
    "count": ("tracer=function_profile", 49, 51),
    "entry": ("tracer=function", 70, 73),
    "duration": ("tracer=function_duration", 109, 113),
    "dropped": ("tracer=function_duration,threshold=10s", 60, 62),
    "graph": ("tracer=function_graph", 151, 155),
}
KINDS = "int", "double"
CALLS = 2000  # additional calls in the second turn


def count(options, folder):
    """Measures both turns. The buffer holds all records, so only the first turn creates blocks."""
    turns = callgrind.calls(
        (program,), "", {"make_calls": "make_calls"},
        {"LD_PRELOAD": tracer,
         "PATCHBAY": f"{options},filter=give_*,buffer=1M,output={folder}"})
    return [(more - less) / CALLS for less, more in zip(turns[:2], turns[2:4], strict=True)]


def main():
    risen = []
    for name, (options, *most) in MOST.items():
        with tempfile.TemporaryDirectory() as folder:
            found = count(options, folder)
            if not any(Path(folder).rglob("*")):
                sys.exit(f"{name}: nothing was recorded")
        print(f"{name:8}", ", ".join(f"{kind} {number:.1f}"
                                     for kind, number in zip(KINDS, found)))
        risen += [f"{name}, {kind}: {number:.1f}, not at most {least}"
                  for kind, number, least in zip(KINDS, found, most) if int(number) > least]
    print("\n".join(risen) or "none has risen")


main()
