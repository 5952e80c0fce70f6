# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""visit-odd.py HOW PROG -- COMMAND...: starts PROG, waits for a line, and runs COMMAND. PID in
COMMAND is the process, which is

plain      as it was started
stopped    stopped by a signal
traced     traced by this script
gdb        traced by gdb
zombie     killed, and its parent has not waited for it
thread     the same, but PID is another thread of it than the first
child      the same, but PID is its child
recorded   recorded by another COMMAND, which has begun

Exits with COMMAND's status.
"""
import ctypes
import os
import signal
import subprocess
import sys
import time

PTRACE_SEIZE = 0x4206


debuggers = []


def prepare(how, program, command):
    if how == "stopped":
        os.kill(program.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOWAIT)
    elif how == "traced":
        assert ctypes.CDLL(None).ptrace(PTRACE_SEIZE, program.pid, 0, 0) == 0
    elif how == "gdb":
        debugger = subprocess.Popen(
            ["gdb", "-q", "-nx", "-p", str(program.pid), "-ex", "echo here\\n"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        debuggers.append(debugger)
        while debugger.stdout.readline().rstrip() != "here":
            assert debugger.poll() is None
    elif how == "zombie":
        program.kill()
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    elif how == "thread":
        return max(map(int, os.listdir(f"/proc/{program.pid}/task")))
    elif how == "child":
        path = f"/proc/{program.pid}/task/{program.pid}/children"
        while not (children := open(path, encoding="utf-8").read().split()):
            time.sleep(0.01)
        return int(children[0])
    elif how == "recorded":
        first = subprocess.Popen(replaced(command, program.pid),
                                 stderr=subprocess.PIPE, text=True)
        line = first.stderr.readline()
        assert ": recording;" in line, line
    return program.pid


def replaced(command, pid):
    return [word.replace("PID", str(pid)) for word in command]


def main():
    split = sys.argv.index("--")
    how, *words = sys.argv[1:split]
    command = sys.argv[split + 1:]
    program = subprocess.Popen(words, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True,
                               process_group=0)
    try:
        assert program.stdout.readline()
        pid = prepare(how, program, command)
        return subprocess.run(replaced(command, pid), timeout=600).returncode
    finally:
        for debugger in debuggers:
            debugger.kill()
            debugger.wait()
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


sys.exit(main())
