#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a recording with --max-overhead costs by the processor time that a program takes:

    python3 test/programs/overhead.py --build build/release redis SERVER BENCHMARK
    python3 test/programs/overhead.py --build build/release run PROG ARGS...

The redis-server SERVER answers redis-benchmark all the time, and is recorded every other
while: what counts is the time for an answer, but not in the first second and a half of a
recording. PROG is run to its end, in turn as it is and recorded. Printed is the median of
the ratios of neighbours, and what the last recording says of itself."""
import argparse
import os
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def cpu_seconds(pid):
    """Of the process, in steps of a nanosecond."""
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        total = int(file.read().split()[0])
    for thread in os.listdir(f"/proc/{pid}/task"):
        if int(thread) != pid:
            try:
                with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as file:
                    total += int(file.read().split()[0])
            except FileNotFoundError:
                pass
    return total / 1e9


def record(args, *what):
    return [f"{args.build}/bin/patchbay", "record", "-t", args.tracer, *what]


def limit(args):
    return ["--max-overhead", args.percent] if args.percent else []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"INFO stats\r\n")
        text = b""
        while b"total_commands_processed:" not in text or not text.endswith(b"\r\n"):
            text += client.recv(65536)
    return int(re.search(rb"total_commands_processed:(\d+)", text).group(1))


def cost_of_an_answer(pid, port, seconds):
    cpu, asked = cpu_seconds(pid), answers(port)
    time.sleep(seconds)
    return (cpu_seconds(pid) - cpu) / (answers(port) - asked)


def redis(args, server, benchmark):
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([os.path.abspath(server), "--port", str(port), "--save", ""],
                                   stdout=subprocess.DEVNULL, cwd=folder)
        time.sleep(1)
        load = subprocess.Popen([benchmark, "-p", str(port), "-q", "-t", "get,set", "-n",
                                 "1000000000"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(1)
            ratios = []
            for _ in range(args.times):
                plain = cost_of_an_answer(process.pid, port, args.seconds)
                recording = subprocess.Popen(
                    record(args, *limit(args), "-p", str(process.pid), "-o",
                           f"{folder}/data"), stderr=subprocess.PIPE, text=True)
                time.sleep(1.5)
                traced = cost_of_an_answer(process.pid, port, args.seconds)
                recording.send_signal(2)
                said = recording.communicate(timeout=60)[1]
                if recording.returncode:
                    sys.exit(said)
                ratios.append(traced / plain)
            print(said, end="")
        finally:
            load.kill()
            load.wait()
            process.kill()
            process.wait()
    return ratios


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            done.stderr)


def run(args, *command):
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        # What the command does before and afterwards is not the program's.
        short = record(args, *limit(args), "--force", "-o", f"{folder}/data", "--", "true")
        for _ in range(args.times):
            plain, _ = user_seconds(command)
            own, _ = user_seconds(short)
            traced, said = user_seconds(record(args, *limit(args), "-o", f"{folder}/data",
                                               "--", *command))
            ratios.append((traced - own) / plain)
    print(said, end="")
    return ratios


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--percent", default="2", help="'' for no limit")
    parser.add_argument("--tracer", default="function_duration")
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("what", choices=("redis", "run"))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    ratios = (redis if args.what == "redis" else run)(args, *args.command)
    print(f"{args.times} times: {100 * (statistics.median(ratios) - 1):.2f} % more processor "
          f"time (median; {100 * (min(ratios) - 1):.2f} to "
          f"{100 * (max(ratios) - 1):.2f})")


if __name__ == "__main__":
    main()
