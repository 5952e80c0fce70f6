# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rotated.py PATCHBAY DIR [CALLS]: reads each file of a rotated recording alone. DIR contains
no other file. The recorded and lost calls of all files add up to CALLS."""
import json
import os
import re
import shutil
import subprocess
import sys

PATCHBAY, DIR = sys.argv[1:3]
FINAL = re.compile(r"\d+\.\d{8}T\d{6}\.\d{3}Z\.pbd")

calls = lost = 0
names = sorted(set(os.listdir(DIR)) - {".command"})
assert names
for name in names:
    assert FINAL.fullmatch(name), name
    shutil.rmtree("one", ignore_errors=True)
    os.mkdir("one")
    os.link(f"{DIR}/{name}", f"one/{name}")
    done = subprocess.run([PATCHBAY, "report", "--json", "one"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, (name, done.stderr)
    report = json.loads(done.stdout)
    function, = report["functions"]
    assert function["name"] == "often", function
    calls += function.get("made", function["calls"])
    lost += report["lost"]
if len(sys.argv) > 3:
    expected = int(sys.argv[3])
    assert calls + lost == expected, (calls, lost, expected)
print("several files" if len(names) > 1 else "one file",
      "nothing lost" if not lost else "some lost")
