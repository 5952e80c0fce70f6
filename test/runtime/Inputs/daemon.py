# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""daemon.py PATCHBAY PROG: reads the recordings of a running process that has changed its user,
and of its running child.
"""
import json
import os
import subprocess
import sys
import time

patchbay, prog = sys.argv[1:]
PATIENCE = 600


def run(*command):
    return subprocess.run([patchbay, *command], text=True, timeout=PATIENCE,
                          capture_output=True)


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def calls(folder):
    """Returns the number of processes and the number of calls, or the report's errors."""
    done = run("report", "--json", "-i", folder)
    if done.returncode or done.stderr:
        return done.stderr
    report = json.loads(done.stdout)
    return len(report["processes"]), sum(f["calls"] for f in report["functions"])


def eventually(what, find, wanted):
    """Waits until find() returns the value. `record` writes events ten times a second."""
    end = time.monotonic() + PATIENCE
    while find() != wanted and time.monotonic() < end:
        time.sleep(0.05)
    expect(what, find(), wanted)


def start(folder, how):
    command = subprocess.Popen(
        [patchbay, "record", "--live", "-t", "function", "-F", "step", "-o", folder, "--", prog,
         how], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return command, command.stdout.readline().strip()


def empty(folder):
    return [name for name in os.listdir(folder) if not os.path.getsize(f"{folder}/{name}")]


command, worker = start("live", "serve")
try:
    expect("files that wait", len(empty("live")), 15)
    eventually("calls", lambda: calls("live"), (2, 200))
    done = run("live", "-p", worker, "--snapshot", "snap")
    expect("a snapshot", (done.returncode, done.stderr), (0, ""))
    expect("calls in it", calls("snap"), (1, 100))
    done = run("live", "-p", worker, "--arm", "calls")
    expect("arming", (done.returncode, done.stderr),
           (1, f"patchbay: error: process {worker}: 'calls' could not be armed: Permission "
            "denied: it cannot change its own code after it dropped privileges, or as a child of "
            "such a process\n"))
    command.stdin.close()
    expect("exit code", command.wait(PATIENCE), 0)
    expect("calls at the end", calls("live"), (2, 300))
    expect("files", len(set(os.listdir("live")) - {".command"}), 2)
finally:
    command.kill()
    command.wait()

command, worker = start("idle", "idle")
try:
    done = run("live", "-p", worker)
    expect("status", (done.returncode, done.stdout.splitlines()[-1]),
           (0, "file       none yet"))
    done = run("live", "-p", worker, "--snapshot", "none")
    expect("no snapshot", (done.returncode, done.stderr),
           (1, f"patchbay: error: process {worker}: cannot write a snapshot: the process has "
            "no file: it recorded nothing, or cannot create files\n"))
    command.stdin.close()
    expect("exit code", command.wait(PATIENCE), 0)
finally:
    command.kill()
    command.wait()

command, worker = start("behind", "background")
try:
    expect("exit code", command.wait(PATIENCE), 0)
    expect("what still waits", len(empty("behind")), 15)
    # A process may start to record in that folder at any time, even if none does now.
    pid = empty("behind")[0].split(".")[0]
    os.mkdir("aside")
    for name in set(os.listdir("behind")) - set(empty("behind")):
        os.rename(f"behind/{name}", f"aside/{name}")
    done = run("record", "-t", "count", "-o", "behind", "--", prog)
    expect("what is in use", (done.returncode, done.stderr),
           (125, f"patchbay: error: {os.getcwd()}/behind: process {pid}, or its "
            "child, is still recording there: wait until it ends, or choose another "
            "directory with -o\n"))
finally:
    command.stdin.close()
    command.wait()
