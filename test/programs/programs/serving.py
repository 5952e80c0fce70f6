# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers: what one has to say of itself, and what the system says of its processes."""
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import ProgramError

PATIENCE = 120  # seconds, on a machine that is busy
HOST = "127.0.0.1"
CLIENTS = 4  # threads that ask at the same time


@dataclass(frozen=True)
class Run:
    """How a server is started and traced."""
    name: str
    daemon: bool
    tracer: str
    # Names of methods of the server that do something to it while it runs.
    scenes: tuple = ()
    filter: tuple = ("*",)  # what is recorded


class Server:
    """A server in a folder of its own. A subclass has:

    command()    what starts it
    main()       the number of its main process, once it serves
    processes()  the numbers of all its processes
    load()       asks for much, and returns what was answered: the same each time
    counts()     how often functions were called, as the server itself knows:
                 {process, or None for any: {name: number}}
    stop()       asks it to end
    DISARMED     a function that counts() has, and there are others
    """

    def __init__(self, images, folder, run):
        self.images, self.folder, self.run = images, folder, run
        self.port = free_port()

    def user(self):
        """What a command begins with so that it is run by who is to run the server."""
        return []

    def descriptors(self, pid):
        """How many a process of the server has open, of those that have to stay as many."""
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
    """function(argument) of all, in several threads, in the order of the arguments."""
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
    """What read() returns once it has returned it twice: a server that waits may still have
    to notice that a client has closed its connection."""
    value = read()
    while True:
        time.sleep(0.3)
        last, value = value, read()
        if last == value:
            return value


def stat(pid):
    """(state, number of the parent), or None if there is no such process."""
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
    """It has nothing to do: its main thread sleeps."""
    return (found := stat(pid)) is None or found[0] == "S"


def open_files(pid):
    """The path behind each descriptor of a process, or what the system says instead."""
    paths = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            paths.append(os.readlink(f"/proc/{pid}/fd/{name}"))
        except FileNotFoundError:
            pass  # closed since
    return paths


def memory_kb(pid):
    """Of its own, without what it has of files: recordings are files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    raise ProgramError(f"/proc/{pid}/status has no RssAnon")
