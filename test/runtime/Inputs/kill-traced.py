# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a traced program with SIGKILL at random moments and reads the recording.

    kill-traced.py TIMES PATCHBAY TRACER-LIBRARY PROGRAM FOLDER

Each thread of the program counts its finished calls in a mapped file. The recording must have
each of these calls, and at most one more. The test passes a small TIMES; pass hundreds for a
thorough run."""
import csv
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import time

THREADS = 3
times, patchbay, library, program, folder = sys.argv[1:]
choose = random.Random(8)
blocks = calls = 0
for i in range(int(times)):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(f"{folder}/data")
    tracer = choose.choice(("function", "function_duration", "function_graph"))
    process = subprocess.Popen(
        (program, f"{folder}/counts"), stdout=subprocess.PIPE,
        env={**os.environ, "LD_PRELOAD": library,
             "PATCHBAY": f"tracer={tracer},filter=step,output={folder}/data"})
    process.stdout.readline()
    time.sleep(choose.random() * choose.choice((0.001, 0.03)))
    process.kill()
    process.wait()
    with open(f"{folder}/counts", "rb") as file:
        finished = struct.unpack(f"{THREADS}Q", file.read(8 * THREADS))
    dump = subprocess.run((patchbay, "dump", "--csv", f"{folder}/data"), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Messages about open calls are expected.
    said = [line for line in dump.stderr.splitlines()
            if "had not returned when recording ended" not in line
            and "calls without a return" not in line]
    if dump.returncode or said:
        sys.exit(f"{i}: status {dump.returncode}: {dump.stderr}")
    seen = dict.fromkeys((f"thread {n}" for n in range(THREADS)), 0)
    for row in csv.DictReader(io.StringIO(dump.stdout)):
        seen[row["thread"]] += 1
    for n in range(THREADS):
        recorded = seen[f"thread {n}"]
        if not finished[n] <= recorded <= finished[n] + 1:
            sys.exit(f"{i}: thread {n}: {finished[n]} calls finished, {recorded} recorded")
    calls += sum(finished)
    blocks += os.path.getsize(f"{folder}/data/{process.pid}.pbd") > 64 << 10
print(f"killed {times} times: every one of {calls} calls was there")
# Fail if each kill happened in the first block, which is the easy case.
if not blocks:
    sys.exit("no recording was longer than some blocks")
