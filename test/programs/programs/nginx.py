# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nginx: a master process forks workers, replaces its workers, and replaces itself."""
import hashlib
import http.client
import os
import re
import signal
import stat
import subprocess
from collections import Counter
from pathlib import Path

from . import Image, ProgramError, Unit, unpack
from .serving import HOST, PATIENCE, Run, Server, at_once, children, is_there, wait_until, waits

WORKERS = 3
CONNECTIONS = 32  # enough for each worker to get some

# Omit modules that need libraries or further servers.
LEFT_OUT = """http_rewrite http_gzip http_proxy http_fastcgi http_uwsgi http_scgi http_grpc
    http_memcached http_charset http_ssi http_userid http_auth_basic http_mirror http_geo
    http_map http_split_clients http_referer http_limit_conn http_limit_req http_empty_gif
    http_browser http_upstream_hash http_upstream_ip_hash http_upstream_least_conn
    http_upstream_random http_upstream_keepalive http_upstream_zone""".split()

CONFIG = """
daemon {daemon};
# It hands on to another master only what it is told to.
env LD_PRELOAD;
env PATCHBAY;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log {folder}/error.log notice;
events {{ worker_connections 256; }}
http {{
    log_format calls "$pid $status $request";
    access_log {folder}/access.log calls;
    types {{ text/html html; text/plain txt; }}
    client_body_temp_path {folder}/body;
    sendfile on;
    port_in_redirect off;
    server {{
        # A socket for each worker: the system shares connections out.
        listen {host}:{port} reuseport;
        root {folder}/root;
        location /list/ {{ autoindex on; }}
        location = /status {{ stub_status; }}
    }}
}}
"""

# (method, path, headers, body)
REQUESTS = (
    ("GET", "/index.html", {}, None),
    ("GET", "/large.txt", {}, None),
    ("GET", "/large.txt", {"Range": "bytes=1000-70000,90000-90009"}, None),
    ("HEAD", "/large.txt", {}, None),
    ("GET", "/list/", {}, None),
    ("GET", "/list", {}, None),
    ("GET", "/missing", {}, None),
    ("POST", "/index.html", {}, b"x" * 20000),
    ("GET", "/empty.txt", {}, None),
    ("GET", "/index.html", {"If-Modified-Since": "Thu, 01 Jan 2026 00:00:00 GMT"}, None),
)


def configured(folder, cc):
    source, objects = unpack("nginx", folder), folder / "nginx-objs"
    if not (objects / "Makefile").exists():
        run = subprocess.run(
            ["./configure", f"--builddir={objects}", f"--with-cc={cc}", "--without-pcre",
             "--with-http_stub_status_module",
             *(f"--without-{name}_module" for name in LEFT_OUT)],
            cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            raise ProgramError(f"nginx's configure: exit code {run.returncode}\n"
                               f"{run.stdout[-2000:]}")
    return source, objects


def images(folder, cc):
    source, objects = configured(folder, cc)
    makefile = (objects / "Makefile").read_text()
    names = sorted(set(re.findall(r"\bsrc/\S+\.c\b", makefile)))
    flags = (f"-I{objects}", *(f"-I{source / 'src' / part}" for part in (
        "core", "event", "event/modules", "os/unix", "http", "http/modules")))
    units = [Unit(source / name, flags) for name in names]
    units.append(Unit(objects / "ngx_modules.c", flags))
    return [Image("nginx", tuple(units), ("-ldl", "-pthread", "-lcrypt"))]


def runs():
    return [Run("with its master in front", False, "duration",
                ("reload", "lose_a_worker")),
            Run("as a daemon", True, "count", ("upgrade",))]


class Nginx(Server):
    DISARMED = "ngx_http_handler"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        root = self.folder / "root"
        (root / "list").mkdir(parents=True)
        (root / "index.html").write_text("<html>hello</html>\n")
        (root / "large.txt").write_text("".join(f"line {i}\n" for i in range(20000)))
        (root / "empty.txt").write_text("")
        for i in range(20):
            (root / "list" / f"{i}.txt").write_text(str(i))
        for path in [*root.rglob("*"), root]:
            os.utime(path, (1767225600, 1767225600))
        (self.folder / "nginx.conf").write_text(CONFIG.format(
            daemon="on" if self.run.daemon else "off", workers=WORKERS, folder=self.folder,
            host=HOST, port=self.port))
        if os.geteuid() == 0:
            self.open_to_nobody()

    def open_to_nobody(self):
        """Makes the folder readable by the user nobody, as which the workers run."""
        self.folder.chmod(0o755)
        for path in self.folder.parents:
            if not path.stat().st_mode & stat.S_IXOTH:
                raise ProgramError(f"nginx's workers, of another user than root, cannot "
                                   f"reach {path}: choose another folder with --work")

    def command(self):
        return [self.images / "nginx", "-p", self.folder, "-c", self.folder / "nginx.conf",
                "-e", self.folder / "error.log"]

    def main(self):
        try:
            return int((self.folder / "nginx.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def workers(self):
        return children(self.main())

    def processes(self):
        return [self.main(), *self.workers()]

    def wait_ready(self):
        wait_until(lambda: self.main() and len(self.workers()) == WORKERS and self.serves(),
                   f"nginx and {WORKERS} workers")

    def load(self):
        """Returns the parts of each answer that never vary."""
        connections = [http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
                       for _ in range(CONNECTIONS)]
        for connection in connections:
            connection.connect()
        before = len(self.log())
        answers = at_once(lambda connection: [ask(connection, *request)
                                              for request in REQUESTS], connections)
        for connection in connections:
            connection.close()
        # A request is logged after its answer was sent.
        wanted = before + CONNECTIONS * len(REQUESTS)
        wait_until(lambda: len(self.log()) >= wanted and all(map(waits, self.workers())),
                   f"{wanted} lines of {self.folder}/access.log")
        return answers

    def log(self):
        try:
            return (self.folder / "access.log").read_text().splitlines()
        except FileNotFoundError:
            return []

    def counts(self):
        counts = {}
        for line in self.log():
            pid, status, request = line.split(" ", 2)
            calls = counts.setdefault(int(pid), Counter())
            calls["ngx_http_handler"] += 1
            calls["ngx_http_log_handler"] += 1
            if status in ("301", "404", "405"):
                calls["ngx_http_special_response_handler"] += 1
        return counts

    def reload(self):
        old = self.workers()
        os.kill(self.main(), signal.SIGHUP)
        wait_until(lambda: not any(map(is_there, old)), "old workers to end")
        self.wait_ready()

    def lose_a_worker(self):
        lost = self.workers()[0]
        os.kill(lost, signal.SIGKILL)
        wait_until(lambda: not is_there(lost), "a worker to be killed")
        self.wait_ready()

    def upgrade(self):
        """A new master process takes over the sockets."""
        old = self.main()
        os.kill(old, signal.SIGUSR2)
        wait_until(lambda: self.main() not in (None, old), "another master")
        self.wait_ready()
        os.kill(old, signal.SIGQUIT)
        wait_until(lambda: not is_there(old), "the old master to end")

    def stop(self):
        os.kill(self.main(), signal.SIGQUIT)


SERVER = Nginx


def ask(connection, method, path, headers, body):
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    said = [(key, value) for key, value in response.getheaders() if key != "Date"]
    # The separator of parts contains an increasing number.
    if boundary := re.search(r"boundary=(\w+)", response.getheader("Content-Type", "")):
        text = text.replace(boundary[1].encode(), b"")
        said = [(key, value.replace(boundary[1], "")) for key, value in said]
    return response.status, said, hashlib.sha256(text).hexdigest()
