# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PostgreSQL: one process per client. siglongjmp() leaves functions on errors and after
some signals."""
import hashlib
import os
import re
import shutil
import signal
import struct
import subprocess
from collections import Counter
from pathlib import Path

from . import Image, ProgramError, unpack
from .serving import (CLIENTS, HOST, Run, Server, at_once, children, is_there, open_files,
                      wait_until)

OTHER_USER = 65534

# The parts of a server, in the order of building.
PARTS = ("port", "common", "timezone", "backend", "include", "interfaces/libpq", "bin/initdb",
         "bin/pg_ctl", "backend/utils/mb/conversion_procs", "backend/snowball",
         "pl/plpgsql/src")
INSTALLED = ("backend", "timezone", "bin/initdb", "bin/pg_ctl",
             "backend/utils/mb/conversion_procs", "backend/snowball", "pl/plpgsql/src",
             "interfaces/libpq")
MAIN = "installed/bin/postgres"


def images(folder, cc):
    return [Image(MAIN, ())]


def make(work, folder, cc, flags, jobs):
    """Built by its own makefiles, with no library except libc."""
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
        # Copy the source for each variant, because PostgreSQL is built inside it.
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


# Time only these functions: checking all 70 million calls would take many minutes.
TIMED = ("exec_*", "*Transaction*", "Client*", "Portal*", "parse_*", "heap_*",
         "errfinish", "*_handler", "int4*", "*Checkpoint*", "WaitEventSetWait")


def runs():
    return [Run("in front", False, "duration", ("reload", "cancel", "lose_a_backend"),
                TIMED),
            Run("as a daemon", True, "count", ("reload", "lose_a_backend"))]


SETTINGS = """
listen_addresses = '{host}'
port = {port}
unix_socket_directories = ''
shared_buffers = '16MB'
fsync = off
# Nothing begins by itself while it is looked at.
autovacuum = off
max_parallel_workers_per_gather = 0
# A process of its own writes the log.
logging_collector = on
log_filename = 'log'
log_statement = all
log_connections = on
log_line_prefix = '%p '
track_functions = pl
"""

# One statement per line: a server without clients reads this.
FUNCTIONS = """
CREATE TABLE accounts (owner int, number int, amount int, PRIMARY KEY (owner, number));
CREATE FUNCTION fib(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN \
    IF n < 2 THEN RETURN n; END IF; RETURN fib(n - 1) + fib(n - 2); END';
CREATE FUNCTION quotient(a int, b int) RETURNS int LANGUAGE plpgsql AS 'BEGIN \
    RETURN a / b; EXCEPTION WHEN division_by_zero THEN RETURN NULL; END';
CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \
    NEW.amount := NEW.amount + 1; RETURN NEW; END';
CREATE TRIGGER changed BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION changed();
"""

# The statements of a session, which contain the session's number and leave the database unchanged.
WORK = """
SELECT count(*), sum(i * i % 7), min(i), max(i) FROM generate_series(1, 500) i
INSERT INTO accounts SELECT {nr}, i, i * 10 FROM generate_series(1, 50) i
INSERT INTO accounts VALUES ({nr}, 7, 0)
UPDATE accounts SET amount = amount + number WHERE owner = {nr} AND number % 3 = 0
SELECT number % 5, sum(amount), avg(amount) FROM accounts WHERE owner = {nr} GROUP BY 1 ORDER BY 1
BEGIN
SELECT amount FROM accounts WHERE owner = {nr} AND number = 6 FOR UPDATE
SAVEPOINT here
UPDATE accounts SET amount = 0 WHERE owner = {nr}
SELECT 1 / (amount - amount) FROM accounts WHERE owner = {nr}
SELECT 'the transaction is aborted'
ROLLBACK TO here
SELECT sum(amount) FROM accounts WHERE owner = {nr}
COMMIT
SELECT fib(8), quotient(7, 2), quotient(7, 0)
SELECT quotient(number, number % 4) FROM accounts WHERE owner = {nr} ORDER BY number LIMIT 12
CREATE TEMP TABLE words AS SELECT md5(i::text) AS word FROM generate_series(1, 200) i
CREATE INDEX ON words (word)
SELECT word || '', row_number() OVER (ORDER BY word) FROM words WHERE word ~ '^[a-c][0-9]{{2}}' ORDER BY 1
SELECT json_agg(json_build_object('word', word)) FROM (SELECT word FROM words ORDER BY 1 LIMIT 3) w
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i) FROM n
PREPARE double(int) AS SELECT $1 * 2
EXECUTE double(21)
DEALLOCATE double
BEGIN
DECLARE c CURSOR FOR SELECT word || '' FROM words ORDER BY word
FETCH 5 FROM c
CLOSE c
COMMIT
COPY (SELECT i, i * i FROM generate_series(1, 20) i) TO STDOUT
SELECT no_such_column
DROP TABLE words
DELETE FROM accounts WHERE owner = {nr}
VACUUM accounts
SELECT pg_stat_force_next_flush()
""".strip().splitlines()


class Postgres(Server):
    DISARMED = "exec_simple_query"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.db, self.backends = self.folder / "db", []
        self.asked = 0  # number of requests for statistics
        self.before = Counter()  # statistics from before a crash, which resets them
        if os.geteuid() == 0:
            os.chown(self.folder, OTHER_USER, OTHER_USER)
        self.prepare("initdb", "-A", "trust", "-U", "test", "--no-sync", "--locale=C", "-E",
                     "UTF8")
        with open(self.db / "postgresql.conf", "a") as settings:
            settings.write(SETTINGS.format(host=HOST, port=self.port))
        self.prepare("postgres", "--single", "postgres",
                     input=FUNCTIONS.replace("\\\n", ""))

    def prepare(self, name, *options, input=None):
        done = subprocess.run([*self.user(), self.images / "installed/bin" / name, *options],
                              cwd=self.folder, env={**os.environ, "PGDATA": str(self.db)},
                              input=input, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode or "ERROR:" in done.stdout:
            raise ProgramError(f"{name}: exit code {done.returncode}\n{done.stdout}")

    def user(self):
        """A prefix for commands, because PostgreSQL refuses to run as root."""
        return ([] if os.geteuid() else
                ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups"])

    def command(self):
        if self.run.daemon:
            return [self.images / "installed/bin/pg_ctl", "start", "-w", "-D", self.db,
                    "-l", self.folder / "started"]
        return [self.images / MAIN, "-D", self.db]

    def main(self):
        try:
            return int((self.db / "postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, IndexError):
            return None

    def wait_ready(self):
        wait_until(self.main, "PostgreSQL")
        self.backends = [wait_until(self.connection, "PostgreSQL to serve")
                         for _ in range(CLIENTS)]
        self.settle()

    def connection(self):
        """The PID of the server, or None if the server is not ready."""
        try:
            return Connection(self)
        except (OSError, ProgramError):
            return None

    def settle(self):
        """Waits until the backends of disconnected clients have ended."""
        def settled():
            names = {pid: title(pid) for pid in children(self.main())}
            return (all(name.startswith("postgres: ") for name in names.values()) and
                    {pid for pid, name in names.items() if name.startswith("postgres: test ")}
                    == {backend.pid for backend in self.backends})

        wait_until(settled, "backends to end")

    def processes(self):
        return [self.main(), *children(self.main())]

    def descriptors(self, pid):
        """Counts descriptors, excluding those of database files, which vary."""
        return sum(not path.startswith(f"{self.db}/") for path in open_files(pid))

    def load(self):
        """Sends requests first in persistent sessions, then in short ones."""
        def session(nr):
            connection = Connection(self)
            try:
                return work(connection, CLIENTS + nr)
            finally:
                connection.close()

        answers = at_once(lambda nr: work(self.backends[nr], nr), range(CLIENTS))
        answers += at_once(session, range(CLIENTS))
        self.settle()
        return answers

    def counts(self):
        self.asked += 1
        calls, = self.backends[0].row(f"SELECT coalesce(sum(calls), 0) FROM "
                                      f"pg_stat_user_functions -- {self.asked}")
        counts = {None: self.before + Counter(plpgsql_call_handler=int(calls))}
        for pid, line in re.findall(r"^(\d+) (.*)", self.log(f" -- {self.asked}\n"),
                                    re.MULTILINE):
            for start, function in LOGGED.items():
                if line.startswith(start):
                    counts.setdefault(int(pid), Counter())[function] += 1
        return counts

    def log(self, end):
        """Waits until the log contains the text, and returns the log."""
        path = self.db / "log" / "log"
        wait_until(lambda: end in path.read_text(), f"{path} to have {end}")
        return path.read_text()

    def reload(self):
        """Makes every process read the settings again."""
        os.kill(self.main(), signal.SIGHUP)
        self.log("received SIGHUP")

    def cancel(self):
        """Interrupts a query by SIGINT. PostgreSQL leaves the query by siglongjmp()."""
        backend = self.backends[-1]
        backend.send("SELECT pg_sleep(1000)")
        wait_until(lambda: title(backend.pid).endswith("SELECT"), "a query to begin")
        os.kill(backend.pid, signal.SIGINT)
        if b"57014" not in (said := backend.answer()):
            raise ProgramError(f"SIGINT was to end a query, but it said {said}")

    def lose_a_backend(self):
        """Kills a backend. The server then ends all others, and new backends recover the
        database."""
        self.before = self.counts()[None]
        lost = [backend.pid for backend in self.backends]
        os.kill(lost[0], signal.SIGKILL)
        wait_until(lambda: not any(map(is_there, lost)), "backends to end")
        for backend in self.backends:
            backend.close()
        self.wait_ready()

    def stop(self):
        os.kill(self.main(), signal.SIGINT)


SERVER = Postgres

# Lines of the log, each with the function that is called once for such a line.
LOGGED = {"LOG:  statement: ": "exec_simple_query",
          "LOG:  connection authorized: ": "ClientAuthentication",
          "ERROR:  ": "AbortCurrentTransaction"}


def title(pid):
    """Returns the title of a process, or an empty string if the process does not exist."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0 ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def work(connection, nr):
    """A checksum of all answers."""
    answers = [connection.ask(statement.format(nr=nr)) for statement in WORK]
    return hashlib.sha256(b"".join(answers)).hexdigest()


class Connection:
    """The client's part of PostgreSQL's protocol, version 3, for simple queries."""

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

    def row(self, query):
        """The first row of an answer, as strings."""
        said, values, at = self.ask(query), [], 0
        while said[at:at + 1] != b"D":
            at += 1 + struct.unpack_from("!i", said, at + 1)[0]
        at += 7
        for _ in range(struct.unpack_from("!h", said, at - 2)[0]):
            size, = struct.unpack_from("!i", said, at)
            values.append(said[at + 4:at + 4 + size].decode())
            at += 4 + size
        return values

    def send(self, query):
        body = query.encode() + b"\0"
        self.socket.sendall(b"Q" + struct.pack("!i", len(body) + 4) + body)

    def answer(self):
        """Returns all messages until the server is ready for the next query."""
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
