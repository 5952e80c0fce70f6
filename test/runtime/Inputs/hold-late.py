# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hold-late.py HOW PATCHBAY PROG: prints what commands report about a process of PROG
that does not answer. HOW is one of

  stopped   stop the process after it begins to record and before the command connects to the
            recording; the command is delayed, because it writes a line to a full pipe
  late      delay the command until the process has given up, after ten seconds
  executes  before the command connects, the process executes itself once more
  leaves    the process executes itself once more during the recording
  asked     stop the process during the recording, and query it with other commands; query it
            again after the end of the recording
  full      stop a process of live-fake.c whose queue of connections is full
  debugged  stop the process with a debugger during the recording; query it, and query all
            processes, with other commands; then end the recording
  mute      query a process of live-fake.c, and all processes
"""
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time

PATIENCE = 600  # seconds, on a busy machine


def wait_until(true):
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            sys.exit(f"waited {PATIENCE} s")
        time.sleep(0.01)


def wait_until_held(pid):
    """Waits until the command (pid) is connected to the recording: the command then sleeps
    until the end of the recording. Before, it waits at most half a second for the process."""
    since = [time.monotonic()]

    def waits_long():
        if "sigsuspend" not in where(pid) and "poll" not in where(pid):
            since[0] = time.monotonic()
        return time.monotonic() - since[0] > 0.5
    wait_until(waits_long)


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def stop(program):
    """Stops the process. Each thread stops when it next runs."""
    program.send_signal(signal.SIGSTOP)
    for thread in os.listdir(f"/proc/{program.pid}/task"):
        wait_until(lambda: state(program.pid, thread) == "T")


def state(pid, thread):
    with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8") as file:
        return file.read().rpartition(") ")[2][0]


def command(patchbay, verb, pid, *more):
    return [patchbay, verb, "-p", str(pid), *more]


def is_writing(pid):
    """Does the process write to descriptor 2? Uses proc_pid_syscall(5) on x86-64."""
    with open(f"/proc/{pid}/syscall", encoding="utf-8") as file:
        return file.read().startswith("1 0x2 ")


def read_all(pipe):
    with open(pipe, encoding="utf-8", errors="replace") as file:
        return file.read().lstrip("\0")


def hold_late(patchbay, program, how):
    read, write = os.pipe()
    os.set_blocking(write, False)
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    before = threads(program.pid)
    try:
        while os.write(write, b"\0" * 4096):
            pass
    except BlockingIOError:
        os.set_blocking(write, True)
    recording = subprocess.Popen(command(patchbay, "record", program.pid, "-t", "count", "-o", "out", "--",
                                         "true"), stderr=write)
    os.close(write)
    wait_until(lambda: is_writing(recording.pid))
    if how == "stopped":
        stop(program)
    elif how == "executes":
        program.stdin.write("again\n")
        program.stdin.flush()
        program.stdout.readline()
    else:
        wait_until(lambda: threads(program.pid) == before)
    print(read_all(read), end="")
    print("exit code", recording.wait(PATIENCE), flush=True)
    program.send_signal(signal.SIGCONT)
    # No command is connected, so the recording ends by itself.
    wait_until(lambda: threads(program.pid) == before)


def say(patchbay, verb, pid, *more):
    done = subprocess.run(command(patchbay, verb, pid, *more), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    print(f"{verb}: exit code {done.returncode}\n{done.stdout}", end="", flush=True)


def ask(patchbay, program):
    recording = subprocess.Popen(command(patchbay, "record", program.pid, "-t", "count", "-o", "out"),
                                 stderr=subprocess.PIPE, text=True)
    print(recording.stderr.readline(), end="")
    # If the command has its answers, the connection exists.
    wait_until_held(recording.pid)
    stop(program)
    for verb, *more in (["status"], ["status", "--json"], ["live"], ["live", "--arm", "seldom"]):
        say(patchbay, verb, program.pid, *more)
    program.send_signal(signal.SIGCONT)
    recording.send_signal(signal.SIGINT)
    recording.wait(PATIENCE)
    for verb in ("status", "live"):
        say(patchbay, verb, program.pid)


def leave(patchbay, program):
    recording = subprocess.Popen(command(patchbay, "record", program.pid, "-t", "count", "-o", "out"),
                                 stderr=subprocess.PIPE, text=True)
    recording.stderr.readline()
    wait_until_held(recording.pid)
    program.stdin.write("again\n")
    program.stdin.flush()
    print(recording.communicate(timeout=PATIENCE)[1], end="")
    print("exit code", recording.returncode, flush=True)


def fill(pid):
    """Fills the gate of live-fake.c with connections. The gate accepts any sender."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
        client.setblocking(False)
        try:
            while True:
                client.sendto(b"x", f"\0patchbay/forged-{pid}")
        except BlockingIOError:
            pass


def ask_full(patchbay, program):
    stop(program)
    fill(program.pid)
    took = []
    for _ in range(3):
        begin = time.monotonic()
        say(patchbay, "live", program.pid)
        took.append(time.monotonic() - begin)
    print("said in less than 4 s" if min(took) < 4 else f"it took {min(took)} s")


LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long] * 4
SEIZE, INTERRUPT, DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000


def held(pid, request):
    """Stops each thread of the process as a debugger does (<sys/ptrace.h>)."""
    for thread in map(int, os.listdir(f"/proc/{pid}/task")):
        if request == DETACH:
            LIBC.ptrace(DETACH, thread, 0, 0)
            continue
        if LIBC.ptrace(SEIZE, thread, 0, 0) or LIBC.ptrace(INTERRUPT, thread, 0, 0):
            sys.exit(f"cannot hold it: {os.strerror(ctypes.get_errno())}")
        os.waitpid(thread, WALL)


def say_of_all(patchbay, pid):
    """Prints the lines about this process. The command lists all processes of the machine."""
    done = subprocess.run([patchbay, "status"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    print(f"all: exit code {done.returncode}")
    for line in done.stdout.splitlines():
        if str(pid) in line.replace(":", " ").split():
            print(" ".join(line.split()), flush=True)


def ask_debugged(patchbay, program):
    recording = subprocess.Popen(command(patchbay, "record", program.pid, "-t", "count", "-o", "out"),
                                 stderr=subprocess.PIPE, text=True)
    recording.stderr.readline()
    wait_until_held(recording.pid)
    held(program.pid, SEIZE)
    say_of_all(patchbay, program.pid)
    for verb in ("status", "live"):
        say(patchbay, verb, program.pid)
    recording.send_signal(signal.SIGINT)
    print(recording.communicate(timeout=PATIENCE)[1], end="")
    print("exit code", recording.returncode, flush=True)
    held(program.pid, DETACH)


def where(pid):
    with open(f"/proc/{pid}/wchan", encoding="utf-8") as file:
        return file.read()


def main():
    how, patchbay, name = sys.argv[1:]
    program = subprocess.Popen([name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        program.stdout.readline()
        if how == "asked":
            ask(patchbay, program)
        elif how == "leaves":
            leave(patchbay, program)
        elif how == "full":
            ask_full(patchbay, program)
        elif how == "debugged":
            ask_debugged(patchbay, program)
        elif how == "mute":
            say_of_all(patchbay, program.pid)
            say(patchbay, "status", program.pid)
        else:
            hold_late(patchbay, program, how)
    finally:
        program.kill()
        program.wait()


main()
