#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares tools that count a function's calls in a running process that was not prepared for
tracing, by the cost of a call:

    python3 test/programs/peers.py --build build/release [TOOL...]

Each tool attaches to servers/peer.c, counts calls for four seconds and detaches. The table has
the time of a call before, during and after these seconds, in the fastest round of 20 ms, and
the tool's count. If a tool is missing or does not work, the table gives the reason."""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 4
FRIDA = """
import frida, sys, time
session = frida.attach(int(sys.argv[1]))
script = session.create_script('''
let calls = 0;
Interceptor.attach(DebugSymbol.fromName("traced").address, { onEnter() { calls++; } });
rpc.exports = { calls() { return calls; } };
''')
script.load()
time.sleep(float(sys.argv[2]))
until = time.monotonic()
print(until, script.exports_sync.calls() if hasattr(script, "exports_sync") else script.exports.calls())
session.detach()
"""


class NotThere(Exception):
    """The reason why a tool cannot be compared."""


def run(command, **options):
    try:
        done = subprocess.run(list(map(str, command)), text=True, capture_output=True,
                              timeout=120, check=False, **options)
    except FileNotFoundError:
        raise NotThere(f"{command[0]} is not installed") from None
    return done


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"


def checked(command, **options):
    done = run(command, **options)
    if done.returncode:
        raise NotThere(last_line(done.stderr + done.stdout))
    return done.stdout + done.stderr


def patchbay(args, pid, program, folder):
    tool = f"{args.build}/bin/patchbay"
    checked([tool, "record", "-p", pid, "-t", "count", "-F", "traced", "-o", f"{folder}/data", "--", "sleep",
             SECONDS])
    until = time.monotonic()
    said = checked([tool, "report", "-i", f"{folder}/data"])
    return int(re.search(r"^ *(\d+) +traced", said, re.M).group(1)), until


def perf(_args, pid, program, _folder):
    checked(["perf", "probe", "-q", "-x", program, "--add", "peer=traced"])
    try:
        said = checked(["perf", "stat", "-e", "probe_*:peer*", "-p", pid, "--", "sleep", SECONDS])
        return (int(re.search(r"([\d,.]+) +probe_", said).group(1).replace(",", "")),
                time.monotonic())
    finally:
        run(["perf", "probe", "-q", "-d", "probe_*:peer*"])


def bpftrace(_args, pid, program, _folder):
    said = checked(["timeout", "-s", "INT", SECONDS + 2, "bpftrace", "-p", pid, "-e",
                    f"uprobe:{program}:traced {{ @ = count(); }} interval:s:{SECONDS} {{ exit(); }}"])
    found = re.search(r"@: (\d+)", said)
    if not found:
        raise NotThere(last_line(said))
    return int(found.group(1)), time.monotonic()


def gdb(_args, pid, program, _folder):
    with subprocess.Popen(
            ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set pagination off", "-ex",
             "break traced", "-ex", "ignore 1 1000000000", "-ex", "continue", "-ex",
             "info breakpoints"], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT) as process:
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("Breakpoint 1 at"):
                time.sleep(SECONDS)
                # The same as Ctrl-C: the program stops, and gdb prints the count.
                until = time.monotonic()
                os.kill(pid, signal.SIGINT)
    found = re.search(r"already hit (\d+) time", said)
    if not found:
        raise NotThere(last_line(said))
    return int(found.group(1)), until


def frida(_args, pid, program, _folder):
    until, counted = checked([sys.executable, "-c", FRIDA, pid, SECONDS]).split()[-2:]
    return int(counted), float(until)


def uftrace(_args, pid, program, folder):
    """uftrace's agent is only in programs that uftrace has started, so uftrace must refuse."""
    checked(["uftrace", "live", "-p", pid, "--no-pager"], cwd=folder)
    raise NotThere("it did not say why")


TOOLS = {"patchbay": patchbay, "perf probe": perf, "bpftrace uprobe": bpftrace,
         "gdb breakpoint": gdb, "frida": frida, "uftrace": uftrace}


class Rounds:
    """The program's output so far."""

    def __init__(self, path):
        self.path = path

    def best(self, begin, end):
        """The fastest round that ended between two times, because load slows others down."""
        with open(self.path, encoding="utf-8") as file:
            rounds = [line.split() for line in file.read().splitlines()]
        return min((float(ns) for at, ns, _ in rounds if begin <= float(at) <= end),
                   default=float("nan"))


def measure(args, name, program):
    with tempfile.TemporaryDirectory() as folder:
        rounds = Rounds(f"{folder}/rounds")
        with open(rounds.path, "w", encoding="utf-8") as output:
            process = subprocess.Popen([program], stdout=output)
        try:
            time.sleep(1)
            begun = time.monotonic()
            counted, until = TOOLS[name](args, process.pid, program, folder)
            left = time.monotonic()
            time.sleep(1)
            if process.poll() is not None:
                raise NotThere(f"the program has ended: {process.returncode}")
            # The tool attaches before this period, and then detaches and prints the count.
            return (rounds.best(0, begun), rounds.best(until - SECONDS * 0.7, until - 1),
                    rounds.best(left, left + 1), counted)
        finally:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("tool", nargs="*", choices=[*TOOLS, []], default=[])
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "servers", "peer.c")
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/peer"
        subprocess.run([args.cc, "-O2", f"-fplugin={args.build}/lib/patchbay-pass.so", source,
                        "-o", program], check=True)
        print(f"{'':16} {'before':>8} {'attached':>10} {'after':>8} {'counted':>12}   (ns per call)")
        for name in args.tool or TOOLS:
            try:
                before, meanwhile, after, counted = measure(args, name, program)
            except (NotThere, subprocess.TimeoutExpired) as why:
                print(f"{name:16} cannot: {why}", flush=True)
                continue
            print(f"{name:16} {before:8.2f} {meanwhile:10.2f} {after:8.2f} {counted:12}",
                  flush=True)


if __name__ == "__main__":
    main()
