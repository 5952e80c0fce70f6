# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""storm.py PATCHBAY STORM PLUGIN SECONDS FOLDER RECORD-OPTION...: records storm.c with these
options and controls the process meanwhile. Then compares the recording with the program's
counts:

- each finished call of steady() is recorded, lost, missed or cut off, and the sum is at
  most the number of calls begun;
- the same is true for steady_child() in forked children;
- no request of `patchbay live` hangs (the script prints the longest time), and each
  request is answered while the program runs.
"""
import glob
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

LOSSES, REASONS = 9, 8
patchbay, storm, plugin, seconds, folder, *options = sys.argv[1:]
data = f"{folder}/data"


def control(pid):
    """Sends requests one by one until the program has ended. Returns the number of answers, and
    the longest time."""
    orders = (["--arm", "other"], ["--disarm", "other"], [], ["--list"],
              ["--arm", "plugin_*"])
    answered, longest, i = 0, 0, 0
    while record.poll() is None:
        start = time.monotonic()
        live = subprocess.run([patchbay, "live", "-p", str(pid), *orders[i % len(orders)]],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        took = time.monotonic() - start
        i += 1
        # Status 3: the function is already armed, or does not exist now.
        if live.returncode in (0, 3):
            answered += 1
            longest = max(longest, took)
        elif record.poll() is None and not re.search(
                "ended|no such process|has no memory|memory is gone|does not listen|no longer listens", live.stderr):
            sys.exit(f"live: {live.stderr}")
        time.sleep(0.02)
    return answered, longest


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return int(file.read().split()[0])


def losses(path):
    """Returns the losses that a data file states, in the order of enum pbd_loss."""
    with open(path, "rb") as file:
        content = file.read()
    at = struct.unpack_from("<I", content, 16)[0]  # header_size
    end = struct.unpack_from("<Q", content, 40)[0]  # committed
    total = [0] * REASONS
    while at < end:
        kind, _, size = struct.unpack_from("<IIQ", content, at)
        if kind == LOSSES:
            counts = struct.unpack_from(f"<{REASONS}Q", content, at + 16 + 8 + 8)
            total = [a + b for a, b in zip(total, counts)]
        at += size
    return total


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
record = subprocess.Popen(
    [patchbay, "record", "--live", "-o", data, "-F", "steady*", *options, "--", storm,
     plugin, seconds], stdout=subprocess.PIPE, text=True)
try:
    if record.stdout.readline() != "ready\n":
        sys.exit("the program did not start")
    answered, longest = control(child_of(record.pid))
    said = record.stdout.read()
finally:
    if record.poll() is None:
        record.send_signal(signal.SIGKILL)
if record.returncode:
    sys.exit(f"record ended with {record.returncode}: {said}")
print(said, end="")
begun, done, jumps = map(int, re.search(
    r"begun (\d+) done (\d+) jumps (\d+)", said).groups())
children = int(re.search(r"child calls (\d+)", said)[1])
report = subprocess.run([patchbay, "report", "--json", "-i", data], text=True,
                        stdout=subprocess.PIPE, check=True)
rows = json.loads(report.stdout)["functions"]
steady, child = (sum(row["calls"] for row in rows if row["name"] == name)
                 for name in ("steady", "steady_child"))
other = sum(sum(losses(path)) for path in glob.glob(f"{data}/*.pbd"))
print(f"steady: {steady} recorded, steady_child: {child}, {other} named as lost or missed")
print(f"live: {answered} answers, the longest took {longest:.3f} s")
if not answered or not steady:
    sys.exit("nothing was recorded, or there was no answer")
if steady > begun + jumps or child > children:
    sys.exit("more calls were recorded than there were")
if steady + child + other < done + children:
    sys.exit("calls are missing, and nothing says so")
