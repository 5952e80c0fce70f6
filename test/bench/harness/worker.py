# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program under test that runs in the background and times itself on demand (src/worker.c)."""
import contextlib
import os
import subprocess
from dataclasses import dataclass

from . import BenchError


@dataclass(frozen=True)
class Sample:
    check: int   # the result of the calls
    times: list  # of each slice, in ns


class Worker:
    def __init__(self, command, cpu, environment=None):
        self.name = " ".join(str(part) for part in command)
        self._process = subprocess.Popen(
            [str(part) for part in command], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, **(environment or {})},
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        try:
            word, *numbers = self._answer().split() or [""]
            if word != "ready":
                raise BenchError(f"{self.name}: not a worker, it said {word!r}")
            self.proof_calls, self.proof_events = map(int, numbers)
        except BaseException:
            self.stop()
            raise

    def sample(self, slices, calls):
        with contextlib.suppress(BrokenPipeError):  # _answer() reports the error
            self._process.stdin.write(f"{slices} {calls}\n")
            self._process.stdin.flush()
        check, *times = map(int, self._answer().split())
        return Sample(check, times)

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            raise BenchError(f"{self.name}: died with status {status}")
        return line

    def stop(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
