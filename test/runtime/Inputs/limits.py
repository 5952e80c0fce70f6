# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""limits.py PATCHBAY DIR CALLS BYTES: checks that each of the CALLS calls of often() is
recorded or lost (unless CALLS is 0), and that the files use at most BYTES of disk space."""
import json
import os
import subprocess
import sys

PATCHBAY, DIR, CALLS, BYTES = sys.argv[1:]

done = subprocess.run([PATCHBAY, "report", "--json", DIR], stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True, check=False)
report = json.loads(done.stdout)
function, = report["functions"]
seen = (function["calls"] + report["lost"] + report["lost_of_children"] +
        report["overwritten"])
if int(CALLS):
    assert seen == int(CALLS), (seen, report)
    print("all calls are recorded or lost")
taken = sum(os.lstat(f"{DIR}/{name}").st_blocks * 512 for name in os.listdir(DIR)
            if name != ".command")
assert taken <= int(BYTES), taken
print("the limit is kept")
