# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bursts.py PATCHBAY LIBRARY PROG: records PROG (bursts.c) with a budget until a disabled
function is re-enabled. Prints the state of each function."""
import os
import pathlib
import subprocess
import sys
import time

patchbay, library, program = sys.argv[1:]
os.makedirs("out", exist_ok=True)
# The assumed cost of a call exceeds the real cost. The tracer's thread gets one of the
# budget's three percent.
options = "tracer=function_profile,filter=hot,filter=warm,filter=burst*,output=out," \
    "max-overhead=3%,call-cost=100000"
process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "LD_PRELOAD": library, "PATCHBAY": options})
assert process.stdout.readline() == "ready\n"


def run(verb, *more):
    return subprocess.run([patchbay, verb, *more, "-i", "out"], capture_output=True, text=True,
                          timeout=600, check=True).stdout


def recorded():
    return {line.split()[1]: int(line.split()[0])
            for line in run("report", "-f", "calls,name").splitlines()[1:]}


end = time.monotonic() + 600
while "armed again" not in (info := run("info")):
    assert time.monotonic() < end, info
    time.sleep(0.2)
before = recorded()["warm"]
while recorded()["warm"] == before:
    assert time.monotonic() < end, "not called again"
    time.sleep(0.2)
# Wait until each burst function has been disabled several times.
while recorded().get("burst9", 0) < 3 * 1600:
    assert time.monotonic() < end, recorded()
    time.sleep(0.2)
said, _ = process.communicate("\n", timeout=600)
made = {name: int(calls) for name, calls in map(str.split, said.splitlines())}
now = recorded()
for name, calls in made.items():
    if now.get(name, 0) != calls:
        print(name, "disarmed")
missed = [name for name in made if name.startswith("burst") and now.get(name, 0) != made[name]]
print("bursts missed:", len(missed))
print(*(line for line in info.splitlines() if line.startswith("left out")), sep="\n")
