# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""other-user.py PATCHBAY PROG: records a program that drops root privileges, and controls the
program after that. Only root may read the folder of the recording.
"""
import json
import os
import shutil
import subprocess
import sys

patchbay, prog = sys.argv[1:]
PATIENCE = 600
STEPS = 40 * 1000


def output(*command):
    done = subprocess.run([patchbay, *command], text=True, timeout=PATIENCE,
                          capture_output=True)
    # Messages that the process has not ended, and about the cost of recording, are
    # expected.
    wrong = [line for line in done.stderr.splitlines()
             if "calls without a return" not in line and "tracing took" not in line]
    if done.returncode or wrong:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def calls(folder):
    report = json.loads(output("report", "--json", folder))
    return {f["name"]: f["calls"] for f in report["functions"] if f["calls"]}


def snapshot(pid):
    shutil.rmtree("secret/snap", ignore_errors=True)
    output("live", "-p", pid, "--snapshot", "secret/snap")
    return calls("secret/snap")


def run(how, tracer):
    shutil.rmtree("secret", ignore_errors=True)
    os.mkdir("secret", 0o700)
    command = subprocess.Popen(
        [patchbay, "record", "--live", "-t", tracer, "-F", "step", "-o", "secret/data", "--",
         prog, how, "secret/data"], text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def order(what):
        command.stdin.write(what)
        command.stdin.flush()
        expect(what, command.stdout.readline(), "done\n")

    try:
        ready = command.stdout.readline().split()
        if not ready:
            sys.exit(f"{how}: {command.stderr.read()}")
        pid = ready[1]
        # If recordings contain events, the calls of a child are in a separate file.
        own = how == "child" and tracer == "function_duration"
        steps = STEPS + (not own)
        order("t")
        if how != "child" or own:
            expect("a snapshot", snapshot(pid), {"step": steps})
        expect("arming", output("live", "-p", pid, "--arm", "other"),
               "armed 1 function, 2 functions now\n")
        order("o")
        order("t")
        steps += STEPS
        expect("disarming", output("live", "-p", pid, "--disarm", "step"),
               "disarmed 1 function, 1 function now\n")
        order("t")
        if how != "child" or own:
            expect("another snapshot", snapshot(pid), {"step": steps, "other": 10})
        command.stdin.close()
        expect("exit code", command.wait(PATIENCE), 0)
        said = [line for line in command.stderr.read().splitlines()
                if "tracing took" not in line]
        expect("lines", (len(said), "warning" in "".join(said)), (1, False))
        expect("calls", calls("secret/data"), {"step": steps + own, "other": 10})
    finally:
        command.kill()
        command.wait()


for way in "itself", "syscall", "child":
    run(way, "function_duration")
for way in "itself", "child":
    run(way, "function_profile")
