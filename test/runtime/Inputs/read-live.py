# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies and reads a running recording many times.

    read-live.py TIMES PATCHBAY TRACER-LIBRARY PROGRAM FOLDER
"""
import csv
import io
import os
import shutil
import subprocess
import sys
import time

PATIENCE = 600  # seconds until the first event, on a busy machine

times, patchbay, library, program, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(f"{folder}/data")
process = subprocess.Popen(
    (program,), stdout=subprocess.PIPE,
    env={**os.environ, "LD_PRELOAD": library,
         "PATCHBAY": "tracer=function_duration,filter=inner,filter=outer,"
                     f"buffer=64K,overwrite=1,output={folder}/data"})
try:
    process.stdout.readline()
    i = newest = 0
    patient = time.monotonic() + PATIENCE
    while i < int(times):
        time.sleep(0.02)
        shutil.rmtree(f"{folder}/copy", ignore_errors=True)
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        shutil.copytree(f"{folder}/data", f"{folder}/copy")
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        dump = subprocess.run((patchbay, "dump", "--csv", f"{folder}/copy"), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # Two messages are allowed: old events were overwritten, as requested, and the process
        # has not ended.
        wrong = [line for line in dump.stderr.splitlines()
                 if not line.endswith("(--overwrite)")
                 and "calls without a return" not in line]
        if dump.returncode or wrong:
            sys.exit(f"{i}: status {dump.returncode}: {dump.stderr}")
        ends = []
        for row in csv.DictReader(io.StringIO(dump.stdout)):
            start, duration = int(row["start_ns"]), int(row["duration_ns"])
            # A mixture of two records would have a random start or duration. Allow 10 ms,
            # because the reader knows the clock's rate with an error of about a millionth.
            if not (duration < 10**9 and start + duration < after + 10**7
                    and row["function"] in ("inner", "outer")):
                sys.exit(f"{i}: {row} by {after}")
            ends.append(start + duration)
        if ends and max(ends) > newest:
            newest = max(ends)
            patient = time.monotonic() + PATIENCE
            i += 1
        elif time.monotonic() > patient:
            sys.exit(f"{i}: {len(ends)} events, none later than {newest}")
    print(f"read {times} times")
finally:
    process.kill()
    process.wait()
