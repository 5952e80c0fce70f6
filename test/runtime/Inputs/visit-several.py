# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs several commands on one process that does not link the runtime.

visit-several.py PATCHBAY beside PROG OBJECT
    PROG is visited.c; OBJECT has the programs of attached.c. Commands attach to PROG and
    record it at the same time. Other commands continue when one ends, and counts are
    exact. After the last command, the process is unchanged.
visit-several.py PATCHBAY killed PROG OBJECT
    Kills a command; another one starts immediately.
visit-several.py PATCHBAY blocked PROG OBJECT
    An attached handler blocks while a recording ends. BPF programs stay attached. The
    process can be recorded again after the handler has returned.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import visit
from visit import TIMEOUT, Recording, await_quiet, await_text, check_quiet


class Program(visit.Program):
    """Starts the process. Output of attached BPF programs goes to a file."""

    def __init__(self, path):
        self.log = open("printed", "w+", encoding="utf-8")
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def printed(self, number):
        """Makes calls, and checks how many lines the BPF program `entry` prints."""
        with open("printed", encoding="utf-8") as file:
            file.seek(0, 2)
            made = self.call(number)
            return file.read().count("entry\n"), made


class Attached:
    def __init__(self, patchbay, program, what, handler="on_each_entry"):
        self.process = subprocess.Popen(
            [patchbay, "attach", "-p", str(program.pid), "--fentry", "counted",
             f"{what}:{handler}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.said = []
        while not self.said or not self.said[-1].startswith("attached "):
            line = self.process.stdout.readline()
            assert line, self.said
            self.said.append(line)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        rest = self.process.communicate(timeout=TIMEOUT)[0]
        assert self.process.returncode == 0 and not rest, rest


def check_calls(program, attached):
    printed, made = program.printed(5)
    assert printed == made * attached, (printed, made, attached)


def beside(patchbay, path, what):
    program = Program(path)
    before = program.state()
    first = Attached(patchbay, program, what)
    assert ": it listens; one thread" in first.said[0], first.said
    check_calls(program, 1)
    second = Attached(patchbay, program, what)
    assert len(second.said) == 1, second.said
    check_calls(program, 2)

    for request in (["--arm=counted"], ["--disarm=counted"], ["--under=counted"],
                    ["--everywhere"], ["--threshold=1ms"], ["--snapshot=snapshot"],
                    ["--watch=flight", "--slower=1ms"]):
        result = subprocess.run([patchbay, "live", "-p", str(program.pid), *request],
                                capture_output=True, text=True, timeout=TIMEOUT, check=False)
        assert result.returncode == 1 and not result.stdout, (request, result)
        assert result.stderr == (
            f"patchbay: error: process {program.pid}: it is not recorded; only programs are "
            f"attached to it: record it with `patchbay record -p {program.pid}`\n"
        ), (request, result)
    assert not os.path.exists("snapshot")
    print("there is no recording to change")

    # Only the parent may do this.
    with open("printed", encoding="utf-8") as file:
        file.seek(0, 2)
        os.kill(visit.check_forked(program, before), signal.SIGKILL)
        assert not file.read(), "a child calls what is attached to its parent"
    check_calls(program, 2)
    print("a child has nothing attached")

    # The first command has already loaded the runtime.
    first.end()
    check_calls(program, 1)
    print("one of two ended: the other's program stayed")

    for number in range(3):
        recording = Recording(patchbay, program, "-F", "counted", *visit.TRACERS[number])
        printed, made = program.printed(50 + number)
        recording.end()
        assert recording.calls("counted") == made == printed, (made, printed)
        check_calls(program, 1)
    print("recorded exactly beside a program, 3 times")

    recording = Recording(patchbay, program, "-F", "counted", "-t", "function")
    other = subprocess.run([patchbay, "record", "-t", "count", "-p", str(program.pid), "-o", "other"],
                           stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
    assert other.returncode == 125, other
    sys.stdout.write(other.stderr.replace(str(recording.process.pid), "RECORDER"))
    second.end()
    made = program.call(7)
    third = Attached(patchbay, program, what)
    assert len(third.said) == 1, third.said
    printed, more = program.printed(9)
    assert printed == more, (printed, more)
    recording.end()
    assert recording.calls("counted") == made + more
    check_calls(program, 1)
    print("a recording ended: a program stayed")

    third.process.kill()
    third.process.wait()
    await_quiet(program, before)
    check_calls(program, 0)
    program.end()
    print("nothing is left")


def killed(patchbay, path, what):
    """Kills commands. Whatever state a killed command leaves, the next command must work."""
    program = Program(path)
    before = program.state()
    random.seed(1)
    for number in range(12):
        if number % 2:
            killed_one = Attached(patchbay, program, what).process
        else:
            killed_one = Recording(patchbay, program, "-F", "counted", out="first").process
        time.sleep(random.uniform(0, 0.01))
        killed_one.kill()
        killed_one.wait()
        if number % 4 < 2:
            recording = Recording(patchbay, program, "-F", "counted")
            made = program.call(20)
            recording.end()
            assert recording.calls("counted") == made, number
        else:
            attached = Attached(patchbay, program, what)
            check_calls(program, 1)
            attached.end()
        check_quiet(program, before)
        shutil.rmtree("first", ignore_errors=True)
    program.end()
    print("12 commands killed, and another at once")


def await_printed(line, number):
    await_text("printed", lambda text: text.count(line) == number)


def blocked(patchbay, path, what):
    program = Program(path)
    before = program.state()
    attached = [Attached(patchbay, program, what, handler)
                for handler in ("on_each_entry", "while_blocked")]
    recording = Recording(patchbay, program, "-F", "counted", "-t", "function")
    with open("blocked", "w", encoding="utf-8"):
        pass
    program.process.stdin.write("1\n")
    program.process.stdin.flush()
    await_printed("blocked\n", 4)
    recording.end()
    assert "a thread is still in a handler" in recording.rest, recording.rest
    other = subprocess.run([patchbay, "record", "-t", "count", "-p", str(program.pid), "-o", "other"],
                           stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
    assert other.returncode == 125, other
    sys.stdout.write(other.stderr)
    assert [one.process.poll() for one in attached] == [None, None]

    os.remove("blocked")
    assert program.process.stdout.readline() == "done 4\n"
    check_calls(program, 1)
    recording = Recording(patchbay, program, "-F", "counted", "-t", "function")
    made = program.call(7)
    recording.end()
    assert recording.calls("counted") == made
    assert "handler" not in recording.rest, recording.rest
    check_calls(program, 1)
    for one in attached:
        one.end()
    check_quiet(program, before)
    program.end()
    print("a handler blocked: programs stayed, and it is recorded again")


if __name__ == "__main__":
    PATCHBAY, WHAT, PATH, OBJECT = sys.argv[1:]
    {"beside": beside, "killed": killed, "blocked": blocked}[WHAT](PATCHBAY, PATH, OBJECT)
