# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fitting-lines.py WIDTH PROG PATCHBAY: checks that no line is wider than the terminal, and
that the output has as many function names as PROG has functions."""
import json
import re
import subprocess
import sys

width, prog, patchbay = int(sys.argv[1]), *sys.argv[2:]
listed = json.loads(subprocess.run([patchbay, "list", "--json", prog], capture_output=True, check=True).stdout)
names = set()
for line in sys.stdin.read().splitlines():
    if len(line) > width:
        sys.exit(f"{len(line)} columns: {line}")
    # Names follow the last fixed column, both for ended calls and for calls begun earlier.
    if found := re.search(r"(?:\| +|\d: |  )((?:svc::|main|\w*\.\.\.)\S*)(?: const)?(?: \{|;|$| <-.*$)", line):
        names.add(found[1].rstrip(";"))
if len(names) != len(listed["functions"]):
    sys.exit(f"{len(listed['functions'])} functions, names {sorted(names)}")
