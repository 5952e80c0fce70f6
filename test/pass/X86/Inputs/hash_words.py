# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the five bytes before the entry of each function in an object file: the
opcode and the kCFI hash."""
import re
import subprocess
import sys

image = open(sys.argv[1], "rb").read()
sections = subprocess.run(["llvm-readelf", "-SW", sys.argv[1]],
                          check=True, capture_output=True, text=True).stdout
offset_of = {int(m[1]): int(m[2], 16) for m in re.finditer(
    r"\[ *(\d+)\] \S+ +\S+ +[0-9a-f]+ ([0-9a-f]+)", sections)}
symbols = subprocess.run(["llvm-readelf", "-sW", sys.argv[1]],
                         check=True, capture_output=True, text=True).stdout
for line in symbols.splitlines():
    field = line.split()
    if len(field) == 8 and field[3] == "FUNC" and field[6].isdigit() \
            and not field[7].startswith("__"):
        entry = offset_of[int(field[6])] + int(field[1], 16)
        print(field[7], image[entry - 5:entry].hex(" "))
