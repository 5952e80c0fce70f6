# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stand-still.py stop|freeze PATCHBAY PROG: records a process of PROG that is stopped or frozen
when the recording ends. After the process continues, it can be recorded again.

stand-still.py can: exits with 0 if processes can be frozen here by control groups of
version 2."""
import os
import signal
import subprocess
import sys
import time


def make_group():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            if line.split(" - ")[1].split()[0] == "cgroup2":
                folder = f"{line.split()[4]}/patchbay-still-{os.getpid()}"
                try:
                    os.mkdir(folder)
                except OSError:
                    continue
                if os.path.exists(f"{folder}/cgroup.freeze"):
                    return folder
                os.rmdir(folder)
    return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(patchbay, program, still, go_on):
    def record(*command):
        return [patchbay, "record", "-t", "count", "-p", str(program.pid), "-o", "out", "--", *command]

    recording = subprocess.Popen(record("sleep", "1"), stderr=subprocess.PIPE, text=True)
    line = recording.stderr.readline()
    assert ": recording;" in line, line
    # When the command after -- has started, the process has already answered.
    while not read(f"/proc/{recording.pid}/task/{recording.pid}/children").strip():
        time.sleep(0.01)
    still(program.pid)
    print(recording.communicate(timeout=600)[1], end="")
    print("exit code", recording.returncode, flush=True)
    done = subprocess.run(record("true"), timeout=600, stderr=subprocess.PIPE, text=True,
                          check=False)
    print(done.stderr, end="")
    go_on(program.pid)
    for _ in range(100):
        done = subprocess.run(record("true"), timeout=600, stderr=subprocess.PIPE, text=True,
                              check=False)
        if not done.returncode:
            break
        time.sleep(0.1)
    print("again:", done.stderr, end="")


def main():
    how = sys.argv[1]
    folder = make_group() if how != "stop" else None
    if how == "can":
        if folder:
            os.rmdir(folder)
        return not folder
    program = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline()
        if how == "stop":
            run(sys.argv[2], program, lambda pid: os.kill(pid, signal.SIGSTOP),
                lambda pid: os.kill(pid, signal.SIGCONT))
        else:
            write(f"{folder}/cgroup.procs", str(program.pid))
            run(sys.argv[2], program, lambda _: write(f"{folder}/cgroup.freeze", "1"),
                lambda _: write(f"{folder}/cgroup.freeze", "0"))
    finally:
        if folder:
            write(f"{folder}/cgroup.freeze", "0")
        program.kill()
        program.wait()
        if folder:
            os.rmdir(folder)
    return 0


sys.exit(main())
