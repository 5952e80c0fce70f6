# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a process with threads that cannot be stopped for a while, or can be borrowed only at
some instructions.

visit-threads.py PATCHBAY vfork PROG
    PROG is visited-vfork.c. Its first thread cannot be stopped for a while, and continues
    later during the recording.
visit-threads.py PATCHBAY restartable PROG TIMES
    PROG is visited-restartable.c, which checks itself for errors.
visit-threads.py PATCHBAY forks PROG TIMES
    PROG is visited-forks.c. A child that was forked while the runtime was loading has no
    leftovers of that.
"""
import os
import select
import subprocess
import sys

from visit import TIMEOUT, TRACERS, Program, Recording


def vfork(patchbay, path):
    program = Program(path)
    try:
        recording = Recording(patchbay, program, "-F", "counted", "-t", "function_profile")
        assert recording.has_begun(), recording.said
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        went_on = select.select([program.process.stdout], [], [], TIMEOUT)[0]
        assert went_on, "its first thread does not go on as long as it is recorded"
        assert program.process.stdout.readline() == "back\n"
        recording.end()
    finally:
        program.process.kill()
        program.process.wait()
    print("a thread went on that had not stopped in time")


def restartable(patchbay, path, times):
    program = Program(path)
    for number in range(int(times)):
        recording = Recording(patchbay, program, *TRACERS[number % len(TRACERS)])
        recording.end()
    program.end()
    print(f"begun again wherever it was interrupted, in {times} recordings")


def mapped(pid):
    """Returns addresses and permissions of anonymous mappings."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        return {tuple(words[:2]) for words in map(str.split, file) if len(words) == 5}


def size(line):
    first, last = (int(word, 16) for word in line[0].split("-"))
    return last - first


def forks(patchbay, path, times):
    program = Program(path)
    for number in range(int(times)):
        recording = Recording(patchbay, program, "-F", "counted", *TRACERS[number % len(TRACERS)])
        recording.end()
    children = program.call(0)
    assert children > 0
    with open(f"/proc/{program.pid}/task/{program.pid}/children", encoding="utf-8") as file:
        pids = [int(word) for word in file.read().split()]
    assert len(pids) >= 10, pids
    area = 1 << 18
    for pid in pids:
        # The kernel maps the library's heap at 7f... The command maps its own area elsewhere.
        left = [line for line in mapped(pid) if size(line) == area and line[1] == "rw-p" and
                not line[0].startswith("7f")]
        assert not left, left
    program.end()
    print(f"nothing is left in {'some' if pids else 'no'} children")


if __name__ == "__main__":
    {"vfork": vfork, "restartable": restartable, "forks": forks}[sys.argv[2]](
        sys.argv[1], *sys.argv[3:])
