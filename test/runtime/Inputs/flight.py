# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flight.py PATCHBAY PROG: checks the snapshots that `patchbay live --watch` takes of PROG
(flight.c). Each snapshot has a reason and can be read. The limits on number and size are kept."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

PATCHBAY, PROGRAM = sys.argv[1:]
TIMEOUT = 60
NAME = re.compile(r"\d{8}T\d{6}\.\d{3}Z-(\w+)")


class Program:
    def __init__(self, *options):
        shutil.rmtree("out", ignore_errors=True)
        self.process = subprocess.Popen(
            [PATCHBAY, "record", "--live", "-t", "function_duration", "--overwrite",
             "--buffer", "64K", "-F", "quick", "-F", "slow", "-o", "out", *options, "--",
             PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout.readline() == "ready\n"
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children",
                  encoding="utf-8") as file:
            self.pid = file.read().strip()

    def do(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == word + "\n"

    def end(self):
        self.process.stdin.close()
        self.process.wait(TIMEOUT)


class Watch:
    def __init__(self, program, *options):
        shutil.rmtree("flight", ignore_errors=True)
        self.process = subprocess.Popen(
            [PATCHBAY, "live", "-p", program.pid, "--watch", "flight", *options],
            stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline().startswith("watching process ")

    def snapshot(self):
        line = self.process.stdout.readline()
        assert line.startswith("snapshot in "), line
        path = line.split()[-1]
        return path, NAME.fullmatch(os.path.basename(path)).group(1)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(TIMEOUT) == 0


def functions(path):
    done = subprocess.run([PATCHBAY, "report", "-i", path], capture_output=True, text=True,
                          timeout=TIMEOUT, check=True)
    return {name for name in ("quick", "slow") if name in done.stdout.split()}


def reasons():
    program = Program("--stop-at", "stopping")
    program.do("q")
    # From now on make only one call, because on a busy machine any call may be slow.
    watch = Watch(program, "--slower", "20ms")
    program.do("s")
    path, why = watch.snapshot()
    assert why == "slow" and functions(path) == {"quick", "slow"}, (why, functions(path))
    watch.process.send_signal(signal.SIGUSR1)
    path, why = watch.snapshot()
    assert why == "signal" and functions(path) == {"quick", "slow"}, why
    # Only one command can watch at a time.
    other = subprocess.run(
        [PATCHBAY, "live", "-p", program.pid, "--watch", "other"], capture_output=True,
        text=True, timeout=TIMEOUT, check=False)
    assert other.returncode == 1 and "another command watches it already" in other.stderr
    program.do("x")
    path, why = watch.snapshot()
    assert why == "stopped", why
    program.process.stdin.write("a\n")
    program.process.stdin.flush()
    path, why = watch.snapshot()
    assert why == "end" and functions(path) == {"quick", "slow"}, why
    assert watch.process.wait(TIMEOUT) == 0
    assert not [name for name in os.listdir("flight") if not NAME.fullmatch(name)]
    program.end()
    print("snapshots for 4 reasons")


def quick_ones():
    """No call is slow, and no watcher remains."""
    program = Program()
    watch = Watch(program, "--slower", "5s")
    program.do("s")
    time.sleep(0.2)
    watch.end()
    assert not os.listdir("flight"), os.listdir("flight")
    watch = Watch(program, "--slower", "20ms")
    program.do("s")
    assert watch.snapshot()[1] == "slow"
    watch.end()
    program.end()
    print("no snapshot without a reason")


def size(folder):
    return sum(os.stat(os.path.join(root, file)).st_blocks * 512
               for root, _, files in os.walk(folder) for file in files)


def limits():
    program = Program()
    # Continue until the buffer is full.
    for _ in range(5):
        program.do("q")
    watch = Watch(program, "--every", "20ms", "--keep", "3")
    paths = [watch.snapshot()[0] for _ in range(8)]
    watch.end()
    left = sorted(os.listdir("flight"))
    assert len(left) == 3 and not os.path.exists(paths[0]), left
    one = size(os.path.join("flight", left[0]))
    watch = Watch(program, "--every", "20ms", "--max-size", str(5 * one // 2))
    for _ in range(8):
        program.do("q")
        _, why = watch.snapshot()
        assert why == "time", why
    watch.end()
    assert len(os.listdir("flight")) == 2 and size("flight") <= 5 * one // 2
    for name in os.listdir("flight"):
        assert functions(os.path.join("flight", name)) == {"quick"}
    program.end()
    print("limits are kept")


reasons()
quick_ones()
limits()
