# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates one program from a seed: two translation units and a header. Half of its
functions, chosen at random, are marked to be excluded.

first.c has csmith's output and half of the generated calls; second.c has the other half and
main. csmith's functions call each other directly; half of these calls are changed to calls
through pointers.
"""
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from calls import Calls

UNITS = ("first.c", "second.c")
# csmith's declaration of a function: the text before its name, and its number.
FUNCTION = re.compile(r"^((?:inline )?static .*\W)func_(\d+)(\(.*\))(;?)\s*$")
SMALLEST = 3    # least number of csmith's functions; programs with fewer test too little
LONGEST = 350   # most lines of csmith's output; longer programs take too long to compile

MAIN = """\
uint64_t state = {seed};
int fuel;
int csmith_main(int, char **);
__attribute__((constructor)) {untraced} static void before_main(void) {{ fold(2); }}
{compare_untraced} static int compare(const void *a, const void *b) {{
  u64 first = *(const u64 *)a, second = *(const u64 *)b;
  fold(first ^ second);
  return (first > second) - (first < second);
}}
{main_untraced} int main(int argc, char **argv) {{
  csmith_main(argc, argv);
  for (int round = 0; round < 3; round++) {{
{calls}  }}
  // Called back by a library that is built without any of this.
  u64 sorted[9];
  for (int i = 0; i < 9; i++)
    sorted[i] = next();
  qsort(sorted, 9, sizeof sorted[0], compare);
  fold(sorted[4]);
  printf("calls = %016llx\\n", (unsigned long long)state);
  return 0;
}}
"""


@dataclass(frozen=True)
class Program:
    seed: int
    folder: Path
    plain_unit: str   # compiled without the plugin, or ""
    flavour: int      # the code generation options for compiling
    untraced: frozenset


def _csmith_options(choose):
    return ["--concise",
            "--max-funcs", str(choose.randint(3, 7)),
            "--max-block-depth", str(choose.randint(2, 3)),
            "--max-block-size", str(choose.randint(2, 4)),
            "--max-expr-complexity", str(choose.randint(2, 5)),
            "--max-array-len-per-dim", str(choose.randint(2, 6)),
            "--max-struct-fields", str(choose.randint(2, 8)),
            choose.choice(["--packed-struct", "--no-packed-struct"]),
            choose.choice(["--bitfields", "--no-bitfields"]),
            choose.choice(["--inline-function", "--no-inline-function"]),
            choose.choice(["--jumps", "--no-jumps"]),
            choose.choice(["--volatiles", "--no-volatiles"])]


def _csmith(tool, choose, folder):
    """Returns the first program of a useful size. csmith also writes a file of its own into the
    folder."""
    options = _csmith_options(choose)
    while True:
        command = [tool, "--seed", str(choose.randrange(1 << 31)), *options]
        try:
            text = subprocess.run(command, capture_output=True, text=True, check=True,
                                  cwd=folder, timeout=20).stdout
        except subprocess.TimeoutExpired:
            continue
        lines = text.splitlines()
        functions = sum(1 for line in lines if FUNCTION.match(line)) // 2
        if functions >= SMALLEST and len(lines) <= LONGEST:
            return lines


def _rewrite(lines, choose, untraced):
    """Marks half of csmith's functions and calls half of them through pointers."""
    numbers = sorted({m[2] for m in map(FUNCTION.match, lines) if m}, key=int)
    marked = {number for number in numbers if choose.random() < 0.5}
    by_pointer = {number for number in numbers if choose.random() < 0.5}
    untraced.update(f"func_{number}" for number in marked)

    def call(match):
        return f"to_func_{match[1]}" if match[1] in by_pointer else match[0]

    for line in lines:
        head = FUNCTION.match(line)
        if head:
            before, number, parameters, prototype = head.groups()
            yield ("UNTRACED " if number in marked else "") + line
            if prototype and number in by_pointer:
                before = before.removeprefix("inline ")
                yield f"{before}(*volatile to_func_{number}){parameters} = func_{number};"
        else:
            line = re.sub(r"^int main\b", "int csmith_main", line)
            yield re.sub(r"\bfunc_(\d+)(?=\()", call, line)


def generate(tool, seed, attempt, folder):
    """Writes the program into the folder. Increase attempt if this seed has made a useless
    program."""
    choose = random.Random(f"{seed} {attempt}")
    untraced = set()

    def half(name):
        if choose.random() < 0.5:
            return ""
        untraced.add(name)
        return "UNTRACED"

    first = list(_rewrite(_csmith(tool, choose, folder), choose, untraced))
    calls = Calls(choose)
    untraced.update(f.name for f in calls.functions if f.untraced)
    untraced.add("invert")
    main = MAIN.format(seed=choose.getrandbits(64), untraced=half("before_main"),
                       compare_untraced=half("compare"), main_untraced=half("main"),
                       calls=calls.all_calls(1))
    (folder / "calls.h").write_text(calls.header)
    (folder / UNITS[0]).write_text("\n".join(
        ['#include "calls.h"', *first, calls.unit(0)]))
    (folder / UNITS[1]).write_text("\n".join(
        ['#include "calls.h"', calls.unit(1), main]))
    plain_unit = choose.choice([*UNITS, "", ""])
    return Program(seed, folder, plain_unit, choose.randrange(1 << 16), frozenset(untraced))
