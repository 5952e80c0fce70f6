# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""debug-file.py PATCHBAY: runs the stripped ./prog, finds its function step() with `list -p`,
and records two calls with `record -p` and two with `live`."""
import re
import subprocess
import sys
import time

patchbay = sys.argv[1]


def run(*args, **how):
    return subprocess.run([patchbay, *args], check=True, text=True,
                          stdout=subprocess.PIPE, **how).stdout


def calls(data):
    return " ".join(re.findall(r"entry (\w+)", run("dump", data)))


def call_twice(prog):
    for _ in range(2):
        prog.stdin.write(b"x")
        prog.stdin.flush()
        prog.stdout.readline()


prog = subprocess.Popen(["./prog", "wait"], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE)
prog.stdout.readline()
pid = str(prog.pid)
# Read the program's output for each call before the recording ends.
recorder = subprocess.Popen([patchbay, "record", "-p", pid, "-F", "step", "-t", "function",
                             "-o", "running", "--", "cat"], stdin=subprocess.PIPE,
                            stderr=subprocess.PIPE)
# `record -p` arms functions some time before the recording begins.
for line in recorder.stderr:
    if b": recording" in line:
        break
listed = run("list", "-p", pid, "-F", "step")
print("list:", "step" if " step" in listed else listed)
call_twice(prog)
recorder.stdin.close()
recorder.stderr.read()
recorder.wait()
print("recorded:", calls("running"))
prog.stdin.close()
prog.wait()

prog = subprocess.Popen([patchbay, "record", "--live", "-t", "function", "-F", "halt",
                         "-o", "live", "--", "./prog", "wait"],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
prog.stdout.readline()
child = subprocess.run(["pgrep", "-P", str(prog.pid)], check=True, text=True,
                       stdout=subprocess.PIPE).stdout.strip()
# The listening thread may start later than the program.
while subprocess.run([patchbay, "live", child, "--arm", "step"], stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL).returncode and prog.poll() is None:
    time.sleep(0.01)
call_twice(prog)
prog.stdin.close()
prog.wait()
print("live:", calls("live").replace("halt", "").strip())
