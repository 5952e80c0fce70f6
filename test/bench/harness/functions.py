# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates small functions, as many as a large program has.

Compiling 50,000 functions takes about a minute for each system, so the object file of the first
2,000 functions is linked several times. Copies do not collide, because all functions are
static; a section collects them in a table. For caches, TLBs and predictors, copies are
different functions, because their addresses differ.
"""
import random

from . import BenchError

BODIES = 2000
# The maximum number of statements, of three to six bytes each; the distribution is logarithmic.
# Most functions of real libraries are longer (libc's median is 114 bytes), so results rather
# overstate the cost of sites.
STATEMENTS = 48
FORMS = ("x += {n}u", "x ^= {n}u", "x = x * 5 + {n}u", "x -= x >> {s}")


def copies(functions):
    """Returns the number of objects, and the number of functions per object."""
    bodies = min(functions, BODIES)
    if functions < 1 or functions % bodies:
        raise BenchError(f"cannot make {functions} functions: give less than "
                         f"{BODIES}, or a multiple")
    return functions // bodies, bodies


def write(path, functions, table=True):
    """Writes the C source of one object, which is equal for all systems. Omitting the table avoids
    its relocations at the start of the program."""
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
