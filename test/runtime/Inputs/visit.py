# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a running process by its PID, and checks what remains in the process.

visit.py PATCHBAY counts PROG TIMES
    PROG is visited.c, with its argument, if any. Counts are exact from the start of a
    recording to its end, TIMES times. Afterwards the process is unchanged.
visit.py PATCHBAY keeps PROG TIMES
    Alternates recordings with small and large buffers. After TIMES of both, the process
    keeps no more memory for the next one than after the first.
visit.py PATCHBAY stays PROG TIMES
    Memory use after TIMES recordings equals that after one recording by each tracer.
visit.py PATCHBAY inside PROG TIMES
    The same for a process that finds neither the runtime nor the directory, because it has
    its own /tmp. No file may remain there. --follow: also for its children.
visit.py PATCHBAY fork PROG TIMES
    The process forks while it is recorded. Its children are not recorded and keep nothing.
visit.py PATCHBAY follow PROG TIMES
    --follow also records its children, and releases them at the end.
visit.py PATCHBAY storm PROG TIMES
    PROG is visited-storm.cpp, which checks itself for errors.
visit.py PATCHBAY alone PROG TIMES
    The same with a single thread that allocates nearly all the time.
visit.py PATCHBAY kill PROG TIMES
    The command is killed (SIGKILL) at random moments. PROG continues, and can be
    recorded afterwards.
"""

import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

TIMEOUT = 60
PT_LOAD, PF_X = 1, 1


def end_of_code(file):
    """Returns the offset of the end of the executable segment in a 64-bit ELF file."""
    file.seek(0)
    header = struct.unpack("<32xQ14xHH6x", file.read(64))
    file.seek(header[0])
    segments = struct.iter_unpack("<IIQQQQQQ", file.read(header[1] * header[2]))
    return next(s[2] + s[5] for s in segments if s[0] == PT_LOAD and s[1] & PF_X)


class Program:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def call(self, number):
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().split()
        assert said and said[0] == "done", f"{said}: {self.process.poll()}"
        return int(said[1])

    def end(self):
        self.process.stdin.close()
        try:
            status = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        assert status == 0, status

    def folder(self, name):
        return sorted(os.listdir(f"/proc/{self.pid}/{name}"), key=int)

    def state(self):
        return {name: self.folder(name) for name in ("fd", "task")}

    def changed_text(self):
        """Returns addresses where the program's code differs from its file. Ignores slots,
        which are never executed: they are 0 in the file, and keep the last armed value. Also
        ignores the rest of the last page, where a killed command may leave its stub."""
        changed = []
        with open(f"/proc/{self.pid}/mem", "rb") as memory, \
                open(f"/proc/{self.pid}/exe", "rb") as file:
            program = os.readlink(f"/proc/{self.pid}/exe")
            for line in self.mappings():
                addresses, rights, offset, _, _, *path = line.split()
                if "x" not in rights or path != [program]:
                    continue
                begin = int(addresses.split("-")[0], 16)
                size = end_of_code(file) - int(offset, 16)
                memory.seek(begin)
                file.seek(int(offset, 16))
                is_, was = memory.read(size), file.read(size)
                changed += [hex(int(offset, 16) + at) for at in range(0, len(was), 8)
                            if is_[at:at + 8] != was[at:at + 8] and was[at:at + 8] != bytes(8)]
        return changed

    def mappings(self):
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as file:
            return file.readlines()


class Recording:
    def __init__(self, patchbay, program, *options, out="out"):
        shutil.rmtree(out, ignore_errors=True)
        self.out = out
        self.patchbay = patchbay
        self.process = subprocess.Popen(
            [patchbay, "record", "-p", str(program.pid), "-o", out, *options],
            stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        self.rest = ""

    def has_begun(self):
        return ": recording; one thread" in self.said

    def end(self):
        assert self.has_begun(), self.said
        self.process.send_signal(signal.SIGINT)
        self.rest = self.process.communicate(timeout=TIMEOUT)[1]
        assert self.process.returncode == 0, self.rest
        assert f" recorded in {self.out}" in self.rest, self.rest

    def calls(self, function):
        report = subprocess.run(
            [self.patchbay, "report", "-i", self.out], check=True,
            capture_output=True, text=True, timeout=TIMEOUT).stdout
        for line in report.splitlines():
            if function in line.split():
                return int(line.split()[0])
        return 0


def check_quiet(program, before):
    after = program.state()
    assert after == before, f"{before} became {after}"
    # If text is unchanged, a call executes exactly as many instructions as before.
    assert not program.changed_text(), program.changed_text()
    for line in program.mappings():
        assert not {"w", "x"} <= set(line.split()[1]), line
        assert ".pbd" not in line, line


TRACERS = (("-t", "function_profile"), ("-t", "function"),
           ("-t", "function_duration"), ("--histogram",),
           ("-t", "function_graph", "--overwrite", "--buffer", "1M"))


def await_quiet(program, before):
    end = time.monotonic() + TIMEOUT
    while program.state() != before and time.monotonic() < end:
        time.sleep(0.01)
    check_quiet(program, before)


def await_text(path, find):
    """Waits until find() finds something in the file, and returns that."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with open(path, encoding="utf-8") as file:
            if found := find(file.read()):
                return found
        time.sleep(0.01)
    raise TimeoutError(path)


def counts(patchbay, command, times):
    program = Program(*command.split())
    before = program.state()
    mapped = len(program.mappings())
    for number in range(times):
        options = TRACERS[number % len(TRACERS)]
        program.call(3)
        recording = Recording(patchbay, program, "-F", "counted", *options)
        made = program.call(50 + number)
        recording.end()
        check_quiet(program, before)
        program.call(2)
        seen = recording.calls("counted")
        assert seen == made, f"{number} {options}: {seen} of {made}"
    # The libraries and the per-thread state stay mapped, but do not grow after the first
    # recording.
    assert len(program.mappings()) < mapped + 150, (mapped, len(program.mappings()))
    program.end()
    print(f"counted exactly {times} times")


def mapped_kb(program):
    with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmSize:"))


def keeps(patchbay, command, times):
    program = Program(*command.split())
    sizes = []
    for _ in range(times):
        for buffer in ("64M", "64G"):
            recording = Recording(patchbay, program, "-F", "counted", "-t", "function",
                                  "--buffer", buffer)
            made = program.call(100000)  # enough for some calls in each thread
            recording.end()
            assert recording.calls("counted") == made
        sizes.append(mapped_kb(program))
    # One allocation of 8 MB contains the buffers of several threads. No such mapping may remain.
    assert sizes[-1] - sizes[0] < 1024, sizes
    program.end()
    print(f"kept no more after {times} times")


def own_kb(program):
    """Returns the private memory of the process in KB, including all allocations and
    threads."""
    with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


def stays(patchbay, command, times):
    program = Program(*command.split())
    sizes = []
    for number in range(times):
        recording = Recording(patchbay, program, *TRACERS[number % len(TRACERS)])
        program.call(50)
        recording.end()
        sizes.append(own_kb(program))
    # Fails if each recording, or each recording for a few threads, leaked one page.
    assert sizes[-1] - sizes[len(TRACERS)] < 2 * (times - len(TRACERS)), sizes
    program.end()
    print(f"its memory stayed for {times} recordings")


def inside(patchbay, command, times):
    program = Program(*command.split())
    before = program.state()
    for number in range(times):
        options = TRACERS[number % len(TRACERS)]
        recording = Recording(patchbay, program, "-F", "counted", "--follow", *options,
                              out="hidden/out")
        child = program.call(0)
        made = program.call(50 + number) + 1
        await_pause(child)
        recording.end()
        check_quiet(program, before)
        seen = recording.calls("counted")
        assert seen == made, f"{number} {options}: {seen} of {made}"
        assert not os.listdir(f"/proc/{program.pid}/root/tmp")
        os.kill(child, signal.SIGKILL)
    loaded = [line for line in program.mappings() if "memfd:patchbay" in line]
    assert 0 < len(loaded) < 20, loaded
    program.end()
    print(f"counted exactly {times} times")


def check_child(pid, before):
    """Checks that a child forked during the recording of its parent is not recorded, and keeps
    nothing of the recording."""
    for folder in before:
        expected = len(before[folder]) if folder == "fd" else 1
        assert len(os.listdir(f"/proc/{pid}/{folder}")) == expected, folder
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        assert ".pbd" not in file.read()


def check_forked(program, before):
    """Forks a child that makes a call at its start. Returns the child's PID."""
    child = program.call(0)
    await_pause(child)
    check_child(child, before)
    return child


def await_pause(pid):
    """Waits for a child's pause(): fork() returns in the parent before the child has
    run its handlers."""
    await_text(f"/proc/{pid}/syscall", lambda text: text.startswith("34 "))


def fork(patchbay, path, times):
    program = Program(path)
    before = program.state()
    for number in range(times):
        recording = Recording(patchbay, program, "-F", "counted",
                              *TRACERS[number % len(TRACERS)])
        child = program.call(0)
        await_pause(child)
        made = program.call(5)
        recording.end()
        assert "background" not in recording.rest, recording.rest
        assert recording.calls("counted") == made
        check_child(child, before)
    program.end()
    print(f"forked {times} times")


def follow(patchbay, path, times):
    """Records children that were forked before and during the recording. Each makes a
    call at its start."""
    program = Program(path)
    before = program.state()
    for number in range(times):
        old = program.call(0)
        recording = Recording(patchbay, program, "--follow", "-F", "counted", "-t",
                              "function")
        new = program.call(0)
        made = program.call(5) + 1
        time.sleep(0.3)
        recording.end()
        assert recording.calls("counted") == made, number
        for child in old, new:
            check_child(child, before)
            os.kill(child, signal.SIGKILL)
    program.end()
    print(f"followed {times} times")


def alone(patchbay, path, times):
    """Checks that the command often finds the thread where it cannot be borrowed, and then
    tries again. On a busy machine the thread seldom runs, so the check takes longer."""
    looks = any(storm(patchbay, path, times, "alone") > 0 for _ in range(10))
    assert looks, "always borrowed at the first look"


def storm(patchbay, path, times, *words):
    program = Program(path, *words)
    looks = 0
    for number in range(times):
        recording = Recording(patchbay, program, *TRACERS[number % len(TRACERS)])
        time.sleep(0.02)
        recording.end()
        stops = re.search(r"after (\d+) shorter stops?", recording.said)
        looks += int(stops.group(1)) if stops else 0
    program.end()
    print(f"stood {times} recordings")
    return looks


def kill(patchbay, path, times):
    program = Program(path)
    before = program.state()
    random.seed(1)
    for number in range(times):
        shutil.rmtree("out", ignore_errors=True)
        command = subprocess.Popen(
            [patchbay, "record", "-t", "count", "-p", str(program.pid), "-o", "out"],
            stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.02, 0.12))
        command.kill()
        command.wait()
        program.call(10)
    # An unfinished recording without a command ends by itself within ten seconds.
    await_quiet(program, before)
    recording = Recording(patchbay, program, "-F", "counted")
    made = program.call(7)
    recording.end()
    assert recording.calls("counted") == made
    check_quiet(program, before)
    program.end()
    print(f"survived {times} commands")


if __name__ == "__main__":
    PATCHBAY, WHAT, PATH, TIMES = sys.argv[1:]
    {"counts": counts, "fork": fork, "follow": follow, "storm": storm,
     "alone": alone, "inside": inside, "keeps": keeps, "stays": stays,
     "kill": kill}[WHAT](
        PATCHBAY, PATH, int(TIMES))
