# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a traced program, the command that records it, or both with SIGKILL at random moments,
and reads the recording.

    kill-recorder.py TIMES PATCHBAY PROGRAM FOLDER

Threads of the program count their finished calls in a mapped file, and end when the last number
in the file is not 0. PATCHBAY_TEST_KILLS overrides TIMES."""
import ctypes
import json
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

THREADS, STATUS = 3, 23
PR_SET_CHILD_SUBREAPER = 36
IN_ARENA = 1 << 20  # minimum size of a data file with a block from the arena
times, patchbay, program, folder = sys.argv[1:]
times = int(os.environ.get("PATCHBAY_TEST_KILLS", times))
seed = int(os.environ.get("PATCHBAY_TEST_SEED", 8))
choose = random.Random(seed)
# If `record` is killed, the program becomes a child of this process.
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def calls(data, where, least):
    """Returns the number of recorded calls. Fails if the recording cannot be read, or has fewer
    than `least` calls."""
    report = subprocess.run((patchbay, "report", "--json", data), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not least and "corrupt" not in report.stderr and (
            "no call was recorded" in report.stderr or "no function was traced" in report.stderr):
        return 0
    if report.returncode:
        sys.exit(f"{where}: report: status {report.returncode}: {report.stderr}")
    return sum(row["calls"] for row in json.loads(report.stdout)["functions"]
               if row["name"] == "step")


def reap(process, where):
    pid, status = os.waitpid(process, 0)
    if pid != process:
        sys.exit(f"{where}: the program is no child")
    return os.waitstatus_to_exitcode(status)


class Run:
    def __init__(self):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.data = f"{folder}/data"
        self.command = subprocess.Popen(
            (patchbay, "record", "-F", "step", "-o", self.data, "--", program,
             f"{folder}/counts"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.program = int(self.command.stdout.readline())
        with open(f"{folder}/counts", "r+b") as file:
            self.counts = mmap.mmap(file.fileno(), 4096)
        time.sleep(choose.random() * choose.choice((0.003, 0.03, 0.1)))

    def finished(self):
        return sum(struct.unpack_from(f"{THREADS}Q", self.counts))

    def end_program(self):
        struct.pack_into("Q", self.counts, 8 * THREADS, 1)

    def was_in_arena(self):
        return os.path.getsize(f"{self.data}/{self.program}.pbd") > IN_ARENA


def kill_program(run, where):
    os.kill(run.program, signal.SIGKILL)
    if run.command.wait() != 128 + signal.SIGKILL and run.command.returncode != -signal.SIGKILL:
        sys.exit(f"{where}: record: status {run.command.returncode}")
    finished = run.finished()
    recorded = calls(run.data, where, finished)
    # Each thread may have recorded one call that it has not counted yet.
    if not finished <= recorded <= finished + THREADS:
        sys.exit(f"{where}: {finished} calls finished, {recorded} recorded")
    return finished, recorded


def kill_command(run, where):
    run.command.kill()
    run.command.wait()
    # Let the program continue, with and without free blocks in the arena.
    time.sleep(choose.random() * choose.choice((0.001, 0.03, 0.3)))
    run.end_program()
    status = reap(run.program, where)
    if status != STATUS:
        sys.exit(f"{where}: the program's status is {status}, not {STATUS}")
    finished = run.finished()
    recorded = calls(run.data, where, finished)
    if finished != recorded:
        sys.exit(f"{where}: {finished} calls finished, {recorded} recorded")
    return finished, recorded


def kill_both(run, where):
    both = [run.program, run.command.pid]
    choose.shuffle(both)
    for process in both:
        os.kill(process, signal.SIGKILL)
    run.command.wait()
    # `record` may have reaped the program before it was killed.
    try:
        reap(run.program, where)
    except ChildProcessError:
        pass
    finished, recorded = run.finished(), calls(run.data, where, 0)
    if recorded > finished + THREADS:
        sys.exit(f"{where}: {finished} calls finished, {recorded} recorded")
    return finished, recorded


for name, kill in (("program", kill_program), ("command", kill_command), ("both", kill_both)):
    finished = recorded = in_arena = 0
    for i in range(times):
        run = Run()
        where = f"{name}, kill {i}, seed {seed}"
        result = kill(run, where)
        finished += result[0]
        recorded += result[1]
        in_arena += run.was_in_arena()
        run.command.stdout.close()
        run.counts.close()
    if name == "both":
        how = f"{recorded} of {finished} calls were there"
    else:
        how = f"each of {finished} calls was there"
    print(f"{name}: {times} killed, {in_arena} times in the arena, {how}", flush=True)
    # If no block was in the arena, the kills were too early.
    if not in_arena:
        sys.exit(f"{name}: no recording was in the arena")
