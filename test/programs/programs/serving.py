# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers: the interface of a server module, and what the system reports about processes."""
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import ProgramError

PATIENCE = 120  # seconds, on a busy machine
HOST = "127.0.0.1"
CLIENTS = 4  # threads that send requests at the same time


@dataclass(frozen=True)
class Run:
    """How a server is started and traced."""
    name: str
    daemon: bool
    tracer: str
    # Methods of the server that disturb it while it runs.
    scenes: tuple = ()
    filter: tuple = ("*",)  # the functions to record


class Server:
    """A server in its own folder. A subclass has:

    command()    the command that starts the server
    main()       the PID of the main process, when the server is ready
    processes()  the PIDs of all processes
    load()       sends many requests and returns the answers, which never vary
    counts()     the number of calls of functions, by the server's own count:
                 {process, or None for any: {name: number}}
    stop()       tells the server to end
    DISARMED     a function in counts() that the test disarms for a while
    """

    def __init__(self, images, folder, run):
        self.images, self.folder, self.run = images, folder, run
        self.port = free_port()

    def user(self):
        """The prefix of commands that run as the server's user."""
        return []

    def descriptors(self, pid):
        """Returns the number of descriptors that a process of the server must keep constant."""
        return len(open_files(pid))

    def connect(self):
        return socket.create_connection((HOST, self.port), timeout=PATIENCE)

    def serves(self):
        try:
            self.connect().close()
            return True
        except OSError:
            return False


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def at_once(function, arguments):
    """Calls function(argument) for all arguments, in several threads, and keeps their order."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(function, arguments))


def wait_until(true, what):
    end = time.monotonic() + PATIENCE
    while not (value := true()):
        if time.monotonic() > end:
            raise ProgramError(f"waited {PATIENCE} s for {what() if callable(what) else what}")
        time.sleep(0.02)
    return value


def settled(read):
    """Calls read() until it returns the same value twice, and returns that value: a server may
    take time to notice that a client has closed its connection."""
    value = read()
    while True:
        time.sleep(0.3)
        last, value = value, read()
        if last == value:
            return value


def stat(pid):
    """Returns (state, parent's PID), or None if the process does not exist."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return state, int(parent)


def is_there(pid):
    return (found := stat(pid)) is not None and found[0] not in "ZX"


def children(pid):
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [number for number in numbers
            if (found := stat(number)) and found[1] == pid and found[0] not in "ZX"]


def waits(pid):
    """Whether the process is idle (its main thread sleeps) or has ended."""
    return (found := stat(pid)) is None or found[0] == "S"


def open_files(pid):
    """The path of each descriptor of a process, or the system's description."""
    paths = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            paths.append(os.readlink(f"/proc/{pid}/fd/{name}"))
        except FileNotFoundError:
            pass  # closed in between
    return paths


def memory_kb(pid):
    """Private memory, excluding file mappings, because recordings are files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    raise ProgramError(f"/proc/{pid}/status has no RssAnon")
