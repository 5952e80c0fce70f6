#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeatedly records a running server by its PID while it works:

    python3 test/programs/visits.py --build build/release PID TIMES

    python3 test/programs/visits.py --build build/release KIND PROG TIMES

starts the server PROG, without the runtime, and sends requests during the recordings. Every
answer must be right. KIND is one of

    redis, nginx  the server; redis's own count must equal the number of requests
    python        a CPython, which runs servers/numbers.py
    httplib       servers/httplib.cpp
    postgresql    postgres, in a folder with initdb; the process of one client is recorded

--connections N: the four clients share N connections and use them in turn. The clients wait
--pause between two requests, so that the machine has time for other work. python and httplib
have a thread per connection, PostgreSQL a process. A recording covers all of these processes,
or --at-once N of them in turn.

Each recording lasts 50 ms. Afterwards the process must have the same threads and descriptors,
no mapping that is writable and executable, and about the same memory. The script prints
how long one thread was stopped in each recording."""
import argparse
import contextlib
import itertools
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

TRACERS = ("function_profile", "function", "function_duration", "function_graph")
MEMORY_KB = 8192  # permitted growth after the first WARM recordings,
THREAD_KB = 40    # and for each thread that is recorded for the first time
WARM = 10
SECONDS = 600     # time limit of each step


def read(pid, name):
    with open(f"/proc/{pid}/{name}", encoding="utf-8") as file:
        return file.read()


def memory_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", read(pid, "status")).group(1))


def count(pid, folder):
    return len(os.listdir(f"/proc/{pid}/{folder}"))


def visit(args, pids, tracer, folder):
    """Records, and returns the time for which a thread of each process was stopped."""
    which = [word for pid in pids for word in ("-p", str(pid))]
    done = subprocess.run(
        [f"{args.build}/bin/patchbay", "record", *which, "-t", tracer,
         "-o", f"{folder}/data", "--", "sleep", "0.05"],
        stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    stood = [float(ms) for ms in re.findall(r"stopped for ([0-9.]+) ms", done.stderr)]
    if done.returncode or len(stood) != len(pids):
        sys.exit(done.stderr)
    return stood


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


class Load:
    """Clients that send requests and check each answer until the script stops them."""

    def __init__(self, port, ask, connections, pause, clients=4):
        self.pause = pause
        self.ended = threading.Event()
        self.asked = [0] * clients
        self.connected = [0] * clients
        self.wrong = []
        self.connections = max(connections // clients, 1)
        self.threads = [threading.Thread(target=self.run, args=(number, port, ask))
                        for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, number, port, ask):
        try:
            with contextlib.ExitStack() as servers:
                every = []
                while len(every) < self.connections:
                    every.append(servers.enter_context(
                        socket.create_connection(("127.0.0.1", port), timeout=SECONDS)))
                    ask(every[-1])
                    self.asked[number] += 1
                    self.connected[number] += 1
                for server in itertools.cycle(every):
                    if self.ended.is_set():
                        break
                    ask(server)
                    self.asked[number] += 1
                    if self.pause:
                        self.ended.wait(self.pause)
        except (OSError, AssertionError) as error:
            self.wrong.append(error)

    def await_connections(self):
        while min(self.connected) < self.connections and not self.wrong:
            time.sleep(0.05)

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        if self.wrong:
            sys.exit(f"a client: {self.wrong[0]!r}")
        return sum(self.asked)


def receive(server, end):
    text = b""
    while not text.endswith(end):
        part = server.recv(65536)
        assert part, text
        text += part
    return text


def ask_redis(server):
    server.sendall(b"INCR visits\r\n")
    assert re.fullmatch(rb":\d+\r\n", receive(server, b"\r\n"))


PAGE = b"visited\n"


def ask_nginx(server):
    server.sendall(b"GET /page HTTP/1.1\r\nHost: here\r\n\r\n")
    assert receive(server, PAGE).startswith(b"HTTP/1.1 200 OK\r\n")


def start_redis(program, _folder, port):
    return [program, "--port", str(port), "--save", "", "--appendonly", "no"]


def start_nginx(program, folder, port):
    with open(f"{folder}/page", "wb") as file:
        file.write(PAGE)
    os.mkdir(f"{folder}/logs")
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(f"""daemon off;
master_process off;
user root;
pid {folder}/pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    keepalive_timeout 1h;
    client_body_temp_path {folder}/body;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
""")
    return [program, "-p", folder, "-c", f"{folder}/nginx.conf"]


def ask_number(server):
    """Sends a request. Some requests are not numbers, so that the server throws an exception."""
    number = random.choice((str(random.randrange(1000000)), "none"))
    server.sendall(f"GET /number/{number} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    text = receive(server, b"\n")
    while not re.search(rb"\r\n\r\n.*\n$", text):
        text += receive(server, b"\n")
    expected = f"\r\n\r\n{'-1' if number == 'none' else number} 50\n".encode()
    assert text.startswith(b"HTTP/1.1 200 OK\r\n") and text.endswith(expected), text


def start_python(program, _folder, port):
    numbers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "servers", "numbers.py")
    return [program, numbers, str(port)]


def start_httplib(program, _folder, port):
    return [program, str(port), "1100"]


def message(server):
    """Returns the next message of PostgreSQL's protocol: type and contents."""
    def read(size):
        data = b""
        while len(data) < size:
            part = server.recv(size - len(data))
            assert part, "the connection was closed"
            data += part
        return data

    kind, size = read(1), struct.unpack("!i", read(4))[0]
    return kind, read(size - 4)


GREETED = set()


def greet(server):
    """Connects. Fails by an assertion while the server is starting up."""
    body = struct.pack("!i", 196608) + b"user\0test\0database\0postgres\0\0"
    server.sendall(struct.pack("!i", len(body) + 4) + body)
    while message(server)[0] != b"Z":
        pass
    GREETED.add(server)


def ask_postgresql(server):
    """Sends a query. Some queries fail, so that the server leaves them by siglongjmp()."""
    if server not in GREETED:
        greet(server)
    number = random.randrange(100)
    query = f"SELECT sum(i * {number}), 100 / (i - i + {number}) FROM " \
            f"generate_series(1, 100) i GROUP BY 2".encode() + b"\0"
    server.sendall(b"Q" + struct.pack("!i", len(query) + 4) + query)
    said = {}
    while b"Z" not in said:
        kind, body = message(server)
        said[kind] = body
    if number:
        total, part = str(5050 * number).encode(), str(100 // number).encode()
        assert said[b"D"] == struct.pack("!hi", 2, len(total)) + total + \
            struct.pack("!i", len(part)) + part, said
    else:
        assert b"C22012\0" in said[b"E"], said  # division by zero


def as_nobody(command):
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]


def start_postgresql(program, folder, port):
    """Starts PostgreSQL as another user, because it refuses to run as root."""
    os.chmod(folder, 0o755)
    os.mkdir(f"{folder}/db")
    os.chown(f"{folder}/db", 65534, 65534)
    os.chmod(f"{folder}/db", 0o700)
    subprocess.run(as_nobody([os.path.join(os.path.dirname(program), "initdb"), "-A", "trust",
                              "-U", "test", "--no-sync", "--locale=C", "-D",
                              f"{folder}/db"]),
                   stdout=subprocess.DEVNULL, cwd=folder, check=True)
    return as_nobody([program, "-D", f"{folder}/db", "-p", str(port), "-c",
                      "listen_addresses=127.0.0.1", "-c", "log_min_messages=panic", "-c", "unix_socket_directories=",
                      "-c", "shared_buffers=16MB", "-c", "max_connections=1100"])


def clients_of_postgresql(pid, number):
    """The processes that PostgreSQL has forked for persistent clients."""
    time.sleep(1)
    found = []
    for _ in range(200):
        found = [int(child) for child in read(pid, f"task/{pid}/children").split()
                 if read(child, "cmdline").startswith("postgres: test postgres")]
        if len(found) >= number:
            return found[:number]
        time.sleep(0.05)
    sys.exit(f"PostgreSQL has {len(found)} clients")


SERVERS = {"postgresql": (start_postgresql, ask_postgresql), "redis": (start_redis, ask_redis), "nginx": (start_nginx, ask_nginx),
           "python": (start_python, ask_number), "httplib": (start_httplib, ask_number)}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_server(server, kind, port):
    end = time.monotonic() + SECONDS
    while True:
        if server.poll() is not None:
            sys.exit(f"it has ended before it listened: {server.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port)) as client:
                if kind == "postgresql":
                    greet(client)
            return
        except (ConnectionRefusedError, AssertionError):
            if time.monotonic() > end:
                sys.exit(f"it has not listened in {SECONDS} s")
            time.sleep(0.05)


def visit_server(args):
    start, ask = SERVERS[args.what[0]]
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(start(os.path.abspath(args.what[1]), folder, port),
                                  stdout=subprocess.DEVNULL, cwd=folder)
        try:
            await_server(server, args.what[0], port)
            load = Load(port, ask, args.connections, args.pause)
            try:
                load.await_connections()
                pids = [server.pid]
                if args.what[0] == "postgresql":
                    pids = clients_of_postgresql(server.pid, args.connections or 1)
                visit_often(args, pids)
            finally:
                asked = load.end()
            if args.what[0] == "redis":
                with socket.create_connection(("127.0.0.1", port)) as client:
                    client.sendall(b"INCR visits\r\n")
                    said = receive(client, b"\r\n")
                    if said != b":%d\r\n" % (asked + 1):
                        sys.exit(f"{said} after {asked} requests")
            if server.poll() is not None:
                sys.exit(f"it has ended: {server.returncode}")
            print(f"{asked} answers were right")
        finally:
            server.kill()
            server.wait()


def check_left(pid, before, grown_from):
    for name, number in before.items():
        # Under load the server opens and closes connections itself.
        slack = number // 2 + 4 if number < 100 else 4
        if abs(count(pid, name) - number) > slack:
            sys.exit(f"{name}: {number} before, {count(pid, name)} after")
    if grown_from and memory_kb(pid) > grown_from + MEMORY_KB + THREAD_KB * before["task"]:
        sys.exit(f"{grown_from} KB after the first recordings, {memory_kb(pid)} at the end")
    for line in read(pid, "maps").splitlines():
        if {"w", "x"} <= set(line.split()[1]):
            sys.exit(f"writable and executable: {line}")


def visit_often(args, pids):
    before = {pid: {name: count(pid, name) for name in ("fd", "task")} for pid in pids}
    stood, grown_from, memory, turns = [], {}, [], itertools.cycle(pids)
    end = time.monotonic() + args.seconds
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for number in range(args.times):
            those = list(itertools.islice(turns, args.at_once or len(pids)))
            stood += visit(args, those, TRACERS[number % len(TRACERS)], folder)
            if number + 1 == WARM:
                grown_from = {pid: memory_kb(pid) for pid in pids}
            # Check less often with many processes, because checking a thousand takes long.
            if number < WARM or not number % (1 + len(pids) // 20):
                memory.append((number, sum(map(memory_kb, pids))))
            times = number + 1
            if time.monotonic() > end:
                break
    memory.append((times, sum(map(memory_kb, pids))))
    for pid in pids:
        check_left(pid, before[pid], grown_from.get(pid))
    of = ""
    if len(pids) > 1:
        of = f" of {args.at_once or len(pids)} processes of {len(pids)}"
    if times >= WARM:
        half = next(kb for number, kb in memory if number >= times // 2)
        print(f"{memory[WARM - 1][1]} KB of memory after {WARM} recordings, {half} at half time, "
              f"{memory[-1][1]} at the end")
    print(f"{times} recordings{of}, of {before[pids[0]]['task']} threads"
          f"{' each' if of else ''}, {before[pids[0]]['fd']} descriptors; a thread stood still for "
          f"{percentile(stood, 50):.2f} ms (median), {percentile(stood, 90):.2f} (90 %), "
          f"{percentile(stood, 99):.2f} (99 %), {max(stood):.2f} (longest)")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("what", nargs="+", help="PID, or what kind of server and PROG")
    parser.add_argument("times", type=int)
    parser.add_argument("--connections", type=int, default=0,
                        help="of the clients (4); PostgreSQL: so many processes are recorded")
    parser.add_argument("--pause", type=float, default=0,
                        help="seconds between two questions of a client (0)")
    parser.add_argument("--at-once", type=int, default=0,
                        help="PostgreSQL's processes that are recorded at once (all)")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="after which it is enough, however many there were")
    args = parser.parse_args()
    if len(args.what) == 2 and args.what[0] in SERVERS:
        visit_server(args)
    elif len(args.what) == 1 and args.what[0].isdigit():
        visit_often(args, [int(args.what[0])])
    else:
        parser.error("neither a process nor a server and its program")


if __name__ == "__main__":
    main()
