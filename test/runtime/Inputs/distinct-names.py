# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a table of `patchbay report` or `patchbay tui`: no line is wider than the terminal,
and no two functions have the same displayed name. With JSON (`report --json`), an identifier is
shortened with dots only if the full name does not fit.

    distinct-names.py COLUMNS FUNCTIONS [JSON]
"""
import json
import re
import sys

width, number = map(int, sys.argv[1:3])
lines = [line.rstrip("\n") for line in sys.stdin]
title = next(index for index, line in enumerate(lines) if "  function" in line)
column = lines[title].index("function")
names = [re.split(r"  ", line[column:])[0].strip() for line in lines[title + 1:]
         if not line.startswith("patchbay:") and "h help" not in line]
names = [name for name in names if name]
wide = [line for line in lines[title:] if len(line) > width]
if wide:
    sys.exit(f"wider than {width}: {wide[0]}")
if len(names) < number or len(set(names)) != len(names):
    sys.exit(f"of {number} functions: {sorted(names)}")
if len(sys.argv) > 3:
    with open(sys.argv[3], encoding="utf-8") as file:
        whole = {word for f in json.load(file)["functions"] for word in re.findall(r"\w+", f["name"])}
    for name in names:
        beside = re.findall(r"\.\.\.(\w+)", name) + re.findall(r"(\w+)\.\.\.", name)
        for part in beside:
            of = [word for word in whole if part in word]
            if not of or (part not in of and all(2 * len(word) < width - column for word in of)):
                sys.exit(f"within an identifier: {name}")
