# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates small functions, as many as a large program has.

Compiling 50,000 functions takes about a minute for each system, so the object file of
the first 2,000 is linked several times. The copies do not collide: all functions are static,
and a section collects them in a table. Caches, TLBs and predictors cannot tell copies at
other addresses from other functions.
"""
import random

from . import BenchError

BODIES = 2000
# A function has up to this many statements of three to six bytes; the number is 2 to a
# random power. The functions are shorter than most of a real library (libc's median is 114
# bytes), so the results overstate the cost of sites rather than understate it.
STATEMENTS = 48
FORMS = ("x += {n}u", "x ^= {n}u", "x = x * 5 + {n}u", "x -= x >> {s}")


def copies(functions):
    """Returns a number of objects, and the number of functions in each."""
    bodies = min(functions, BODIES)
    if functions < 1 or functions % bodies:
        raise BenchError(f"cannot make {functions} functions: give less than "
                         f"{BODIES}, or a multiple")
    return functions // bodies, bodies


def write(path, functions, table=True):
    """Writes the C source of one object, the same for every system. Without a table, the
    program's start does not include the table's relocations."""
    used = "" if table else "__attribute__((used)) "
    choose = random.Random(functions)
    lines = ["typedef unsigned int function(unsigned int);"]
    for i in range(functions):
        body = "; ".join(
            choose.choice(FORMS).format(n=choose.getrandbits(31),
                                        s=choose.randrange(1, 31))
            for _ in range(int(STATEMENTS ** choose.random())))
        lines.append(f"{used}static unsigned int f{i}(unsigned int x)"
                     f" {{ {body}; return x; }}")
    if not table:
        path.write_text("\n".join(lines[1:]) + "\n")
        return path
    names = ", ".join(f"f{i}" for i in range(functions))
    lines.append('__attribute__((section("bench_functions"), used))')
    lines.append(f"static function *table[] = {{ {names} }};")
    path.write_text("\n".join(lines) + "\n")
    return path
