# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rates.py PATCHBAY PROG OPTIONS...: records PROG (rates.c) for a second with the limit in
OPTIONS, until the hot function is disabled. Prints the output of `record`, and the number of
missing calls of the other function."""
import subprocess
import sys
import time

patchbay, program, *options = sys.argv[1:]
counted = () if "-t" in options or "--histogram" in options else ("-t", "count")
process = subprocess.Popen(
    [patchbay, "record", "-o", "out", *options, *counted, "--", program],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
assert process.stdout.readline() == "ready\n"
time.sleep(1)
said, errors = process.communicate("\n", timeout=600)
assert process.returncode == 0, errors
print(errors, end="")
if "--threshold" in options:
    sys.exit()  # no call is that slow
report = subprocess.run([patchbay, "report", "-i", "out"], capture_output=True, text=True,
                        timeout=600, check=True).stdout
calls = {}
for line in report.splitlines():
    words = line.split()
    for name in ("often", "seldom"):
        if name in words:
            calls[name] = int(words[0])
often, seldom = map(int, said.split())
print("seldom: missed", seldom - calls["seldom"])
# The runtime checks the rate every 100 ms. On a busy machine a check may be late.
print("often:", "some" if 1000 < calls.get("often", 0) < often else "all or too few")
