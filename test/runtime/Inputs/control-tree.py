# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""control-tree.py PATCHBAY PROG: controls every process of a server. The server stays in the
foreground or becomes a daemon.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

patchbay, prog = sys.argv[1:]
PATIENCE = 600
WORKERS = 4


def live(pid, *options, wait=False):
    """Returns the output of `patchbay live`. wait: retry while the listening thread is
    starting."""
    end = time.monotonic() + PATIENCE
    while True:
        done = subprocess.run([patchbay, "live", "-p", str(pid), *options], text=True,
                              capture_output=True, timeout=PATIENCE)
        if not done.returncode:
            return done.stdout
        if not wait or time.monotonic() > end:
            sys.exit(f"live -p {pid} {options}: {done.stderr}")
        time.sleep(0.1)


def calls(pid):
    """Returns the number of recorded calls of each function so far."""
    shutil.rmtree("snap", ignore_errors=True)
    live(pid, "--snapshot", "snap")
    report = subprocess.run([patchbay, "report", "--json", "snap"], text=True, check=True,
                            stdout=subprocess.PIPE, timeout=PATIENCE)
    return {f["name"]: f["calls"] for f in json.loads(report.stdout)["functions"]}


def go_on(pid, function):
    """Checks that new calls are recorded from now on."""
    end, before = time.monotonic() + PATIENCE, calls(pid).get(function, 0)
    while calls(pid).get(function, 0) == before:
        if time.monotonic() > end:
            sys.exit(f"{function} of {pid} is not recorded")
        time.sleep(0.1)


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def control(pids):
    for pid in pids:
        live(pid, wait=True)
        go_on(pid, "step")
    # Change the setting in every second process.
    for pid in pids[::2]:
        expect("disarmed", live(pid, "--disarm", "step"),
               "disarmed 1 function, 0 functions now\n")
        expect("armed", live(pid, "--arm", "other"), "armed 1 function, 1 function now\n")
    for i, pid in enumerate(pids):
        go_on(pid, "step" if i % 2 else "other")
        before = calls(pid)
        time.sleep(0.1)
        now, still = calls(pid), "other" if i % 2 else "step"
        expect(f"calls of {still}", now.get(still, 0), before.get(still, 0))
    # A threshold can be set even in a process that has recorded nothing.
    for pid in pids:
        live(pid, "--threshold", "1ms")


def run(how, tracer):
    command = subprocess.Popen(
        [patchbay, "record", "--live", "-t", tracer, "-F", "step", "-o", "data", "--",
         prog, how], stdout=subprocess.PIPE, text=True)
    processes = {}
    try:
        while len(processes) < WORKERS + 1:
            line = command.stdout.readline()
            if not line:
                sys.exit(f"{how}: only {processes}")
            name, pid = line.split()
            processes[int(pid)] = name
        control(list(processes))
    finally:
        for pid, name in processes.items():
            if name == "master":
                os.kill(pid, signal.SIGKILL)  # the workers end with the master
        command.wait(PATIENCE)
        command.stdout.read()
    expect("masters", list(processes.values()).count("master"), 1)


run("foreground", "function_duration")
run("daemon", "function_duration")
run("twice", "function_graph")
