# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a table of `patchbay report`: no line is wider than the terminal, and no two
functions have the same name.

    distinct-names.py COLUMNS FUNCTIONS
"""
import re
import sys

width, number = map(int, sys.argv[1:])
lines = [line.rstrip("\n") for line in sys.stdin]
title = next(index for index, line in enumerate(lines) if " function" in line)
column = lines[title].index("function")
names = [re.split(r"  ", line[column:])[0].strip() for line in lines[title + 1:]
         if not line.startswith("patchbay:")]
wide = [line for line in lines[title:] if len(line) > width]
if wide:
    sys.exit(f"wider than {width}: {wide[0]}")
if len(names) < number or len(set(names)) != len(names):
    sys.exit(f"of {number} functions: {sorted(names)}")
