# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LTTng as a system under test: its preloaded library implements the hooks of
-finstrument-functions and writes an event per call of a hook. As a program, this module is a
worker that proves that events are written: it counts the events in the files of a run, and
prints "ready CALLS EVENTS"."""
import contextlib
import ctypes.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from . import BenchError
from .toolchain import BENCH

SECONDS = 30  # time limit for the start of the daemon
PROVIDER = "lttng_ust_cyg_profile_fast"
# One ring of 256K per CPU, as large as the rings of other systems.
RING = ("--overwrite", "--subbuf-size=64K", "--num-subbuf=4")


def library():
    """Returns the faster of LTTng's two libraries, or None if LTTng is not installed."""
    if all(map(shutil.which, ("lttng", "lttng-sessiond", "babeltrace2"))):
        return ctypes.util.find_library("lttng-ust-cyg-profile-fast")
    return None


def lttng(*arguments):
    run = subprocess.run(("lttng", "--no-sessiond", *arguments), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        raise BenchError(f"lttng {' '.join(arguments)}: failed\n{run.stdout.strip()}")


def _answers():
    with contextlib.suppress(BenchError):
        lttng("list")
        return True
    return False


@contextlib.contextmanager
def daemon():
    """Starts the daemon, or uses a running daemon without touching its other sessions."""
    if _answers():
        yield
        return
    process = subprocess.Popen(("lttng-sessiond", "--no-kernel"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + SECONDS
        while not _answers():
            if process.poll() is not None or time.monotonic() > end:
                raise BenchError("lttng-sessiond does not run: try it by hand, with "
                                 "--no-kernel -v")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def session(output, *channel):
    """A session in which processes with the library write events: to memory if output is
    --snapshot, otherwise to files. The name is unique, to avoid collisions with users'
    sessions."""
    name = f"patchbay-bench-{os.getpid()}"
    lttng("create", name, output)
    try:
        lttng("enable-channel", "-u", "-s", name, *channel, "calls")
        lttng("enable-event", "-u", "-s", name, "-c", "calls", f"{PROVIDER}:*")
        lttng("start", name)
        yield
        lttng("stop", name)
    finally:
        lttng("destroy", name)


@contextlib.contextmanager
def ring():
    with daemon(), session("--snapshot", *RING):
        yield


def environment():
    # -1: the program waits for its registration with the daemon.
    return {"LD_PRELOAD": library(), "LTTNG_UST_REGISTER_TIMEOUT": "-1"}


def proof(program):
    """Returns the command of the proof, which needs a running daemon."""
    return ("env", f"PYTHONPATH={BENCH}", sys.executable, "-m", "harness.lttng", program)


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        with session(f"--output={folder}"):
            worker = subprocess.run((program,), check=True, text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        events = subprocess.run(("babeltrace2", folder), check=True, text=True,
                                stdout=subprocess.PIPE).stdout
    calls = re.search(r"^ready (\d+) ", worker.stdout, re.MULTILINE)
    # hot_callee() is the only function of the program with hooks.
    print("ready", calls[1], len(re.findall(f" {PROVIDER}:func_(?:entry|exit): ", events)))


if __name__ == "__main__":
    main(sys.argv[1])
