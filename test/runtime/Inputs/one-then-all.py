# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: one-then-all.py SOURCE PROGRAM

Compares the instructions of calls of toggle_all_functions(); see change/one-then-all.c."""
import sys
from pathlib import Path

source, program = sys.argv[1:]
sys.path.append(str(Path(source, "test", "bench")))
from harness import callgrind  # noqa: E402


def count(*command):
    """Counts the second call."""
    name = "toggle_all_functions"
    return callgrind.calls(command, "", {name: name})[1]


without, with_one = count(program), count(program, "plain_1234")
print(f"without: {without}, with: {with_one}")
print("as fast" if with_one < 1.2 * without else "slower")
