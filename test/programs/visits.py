#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a server that runs, by its number, again and again while it works:

    python3 test/programs/visits.py --build build/release PID TIMES

Each recording lasts 50 ms. Then the process has to have the threads and descriptors
that it had, nothing that is writable and executable, and about as much memory; what is
printed at the end is how long one of its threads stood still each time."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TRACERS = ("function_profile", "function", "function_duration", "function_graph")
MEMORY_KB = 8192  # that it may grow by after the first recordings
WARM = 10         # so many of these


def read(pid, name):
    with open(f"/proc/{pid}/{name}", encoding="utf-8") as file:
        return file.read()


def memory_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", read(pid, "status")).group(1))


def count(pid, folder):
    return len(os.listdir(f"/proc/{pid}/{folder}"))


def visit(args, tracer, folder):
    done = subprocess.run(
        [f"{args.build}/bin/patchbay", "record", "-p", str(args.pid), "-t", tracer,
         "-o", f"{folder}/data", "--", "sleep", "0.05"],
        stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return float(re.search(r"stood still for ([0-9.]+) ms", done.stderr).group(1))


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("pid", type=int)
    parser.add_argument("times", type=int)
    args = parser.parse_args()
    before = {name: count(args.pid, name) for name in ("fd", "task")}
    stood, grown_from = [], None
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for number in range(args.times):
            stood.append(visit(args, TRACERS[number % len(TRACERS)], folder))
            if number + 1 == WARM:
                grown_from = memory_kb(args.pid)
    for name, number in before.items():
        # A server under load opens and closes connections of its own.
        if abs(count(args.pid, name) - number) > number // 2 + 4:
            sys.exit(f"{name}: {number} before, {count(args.pid, name)} after")
    if grown_from and memory_kb(args.pid) > grown_from + MEMORY_KB:
        sys.exit(f"{grown_from} KB after {WARM} recordings, {memory_kb(args.pid)} at "
                 "the end")
    for line in read(args.pid, "maps").splitlines():
        if {"w", "x"} <= set(line.split()[1]):
            sys.exit(f"writable and executable: {line}")
    print(f"{args.times} recordings; a thread stood still for "
          f"{percentile(stood, 50):.2f} ms (median), {percentile(stood, 99):.2f} "
          f"(99 %), {max(stood):.2f} (longest)")


if __name__ == "__main__":
    main()
