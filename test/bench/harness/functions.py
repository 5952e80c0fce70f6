# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates a program's worth of small functions.

Compiling 50,000 functions takes the better part of a minute for each system,
so the object file of the first 2,000 is linked as often as it takes. All its
functions are static, and it enters them into a table by means of a section, so
its copies do not know of each other. To caches, TLBs and predictors, copies at
other addresses are other functions.
"""
import random

from . import BenchError

BODIES = 2000
# A function has up to this many statements of three to six bytes, as many as 2
# to a random power: about as long as functions of real libraries are in their
# lower half (libc's median is 114 bytes), so that sites weigh rather too much
# than too little.
STATEMENTS = 48
FORMS = ("x += {n}u", "x ^= {n}u", "x = x * 5 + {n}u", "x -= x >> {s}")


def copies(functions):
    """How many objects of how many functions make up this many functions."""
    bodies = min(functions, BODIES)
    if functions < 1 or functions % bodies:
        raise BenchError(f"cannot make {functions} functions: give less than "
                         f"{BODIES}, or a multiple")
    return functions // bodies, bodies


def write(path, functions, table=True):
    """Writes the C source of one object, the same one for every system. The table
    is not wanted where its relocations would be what the program starts with."""
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
