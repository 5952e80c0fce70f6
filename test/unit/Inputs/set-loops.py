# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: objdump -d OBJECT | set-loops.py

Prints the addresses of loops over a set of tracers in a module's trampolines, and whether each
loop is within a line of 64 bytes."""
import re
import sys

begin = None
for line in sys.stdin:
    found = re.match(r"\s*([0-9a-f]+):\s+((?:[0-9a-f]{2} )+)\s*(.*)", line)
    if not found:
        continue
    address, code = int(found[1], 16), bytes.fromhex(found[2])
    if re.match(r"movq\s+%r8, \(%rsp\)", found[3]):
        begin = address
    jump = re.match(r"jne\s+0x([0-9a-f]+)", found[3])
    if jump and begin is not None and int(jump[1], 16) == begin:
        last = address + len(code) - 1
        print(f"{begin:#x} to {last:#x}:",
              "one line" if begin // 64 == last // 64 else "two lines")
