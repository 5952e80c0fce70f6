# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PostgreSQL: a process for each client, which leaves errors, and some signals, by
siglongjmp()."""
import os
import shutil
import signal
import struct
import subprocess

from . import Image, ProgramError, unpack
from .serving import Server, children, wait_until

NOBODY = 65534

# What a server needs, in an order in which it can be built.
PARTS = ("port", "common", "timezone", "backend", "include", "interfaces/libpq", "bin/initdb",
         "backend/utils/mb/conversion_procs", "backend/snowball", "pl/plpgsql/src")
INSTALLED = ("backend", "timezone", "bin/initdb", "backend/utils/mb/conversion_procs",
             "backend/snowball", "pl/plpgsql/src", "interfaces/libpq")
MAIN = "installed/bin/postgres"


def images(folder, cc):
    return [Image(MAIN, ())]


def make(work, folder, cc, flags, jobs):
    """By its own makefiles, with no library but that of C."""
    source = unpack("postgresql-15", work)
    folder.mkdir(exist_ok=True)

    def run(*command):
        done = subprocess.run(list(map(str, command)), cwd=folder, text=True,
                              env={**os.environ, "MAKELEVEL": "0"}, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise ProgramError(f"{command[0]} of PostgreSQL: exit code {done.returncode}\n"
                               f"{done.stdout[-2000:]}")

    if not (folder / "config.status").exists():
        # In the source itself, so each variant has a copy.
        shutil.copytree(source, folder, symlinks=True, dirs_exist_ok=True)
        run("./configure", f"--prefix={folder / 'installed'}", f"CC={cc}", "CFLAGS=-O2",
            "--without-readline", "--without-zlib")
    command = ["make", "-s", f"-j{jobs or len(os.sched_getaffinity(0))}",
               f"COPT={' '.join(flags)}"]
    run(*command, "-C", "src/backend", "generated-headers")
    for part in PARTS:
        run(*command, "-C", f"src/{part}")
    for part in INSTALLED:
        run(*command, "-C", f"src/{part}", "install")


class Postgres(Server):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.postmaster = None
        initdb = subprocess.run(
            [*self.user(), self.images / "installed/bin/initdb", "-D", self.folder / "db",
             "-A", "trust", "-U", "test", "--no-sync", "--locale=C", "-E", "UTF8"],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if initdb.returncode:
            raise ProgramError(f"initdb: exit code {initdb.returncode}\n{initdb.stdout}")

    def user(self):
        """It refuses to run as root."""
        return ([] if os.geteuid() else
                ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"])

    def command(self):
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "fsync": "off",
                    "unix_socket_directories": "", "log_statement": "all",
                    "log_line_prefix": "%p ", "shared_buffers": "16MB", "autovacuum": "off",
                    "logging_collector": "off", "max_parallel_workers_per_gather": 0}
        return [self.images / MAIN, "-D", self.folder / "db",
                *(word for key, value in settings.items() for word in ("-c", f"{key}={value}"))]

    def main(self):
        return self.postmaster

    def wait_ready(self):
        def first_line():
            try:
                return (self.folder / "db" / "postmaster.pid").read_text().split()[0]
            except (FileNotFoundError, IndexError):
                return None

        self.postmaster = int(wait_until(first_line, "PostgreSQL"))

        def answers():
            try:
                return Connection(self)
            except (OSError, ProgramError):
                return None

        wait_until(answers, "PostgreSQL to serve").close()

    def processes(self):
        return [self.postmaster, *children(self.postmaster)]

    def stop(self):
        os.kill(self.postmaster, signal.SIGINT)


SERVER = Postgres


class Connection:
    """The protocol of PostgreSQL, version 3, as far as simple queries need it."""

    def __init__(self, server):
        self.server = server
        self.socket = server.connect()
        self.file = self.socket.makefile("rb")
        body = struct.pack("!i", 196608) + b"user\0test\0database\0postgres\0\0"
        self.socket.sendall(struct.pack("!i", len(body) + 4) + body)
        self.pid = None
        self.answer()

    def ask(self, query):
        self.send(query)
        return self.answer()

    def send(self, query):
        body = query.encode() + b"\0"
        self.socket.sendall(b"Q" + struct.pack("!i", len(body) + 4) + body)

    def answer(self):
        """All messages until it is ready for the next query."""
        said = b""
        while True:
            head = self.file.read(5)
            if len(head) < 5:
                raise ProgramError("PostgreSQL has closed a connection")
            kind, length = struct.unpack("!ci", head)
            body = self.file.read(length - 4)
            if kind == b"K":
                self.pid = struct.unpack("!ii", body)[0]
            elif kind == b"Z":
                return said
            elif kind == b"E" and self.pid is None:
                raise ProgramError(f"PostgreSQL refuses: {body}")
            said += head + body

    def close(self):
        self.socket.close()
        self.file.close()
