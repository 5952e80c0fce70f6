# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Redis: one thread serves clients, other threads free memory and sync files, and children
save. Redis contains Lua."""
import hashlib
import os
import re
import signal
import socket
from collections import Counter
from pathlib import Path

from . import Image, Unit, unpack
from .serving import Run, Server, at_once, children, is_there, wait_until, waits

CONNECTIONS = 4
ROUNDS = 1

SCRIPT = """
local sum = 0
for i, key in ipairs(KEYS) do sum = sum + tonumber(redis.call('GET', key)) end
return {sum, cjson.encode({sum = sum}), redis.sha1hex(tostring(sum))}
"""

# Commands in INFO whose functions have different names, before Redis 8.
FUNCTIONS = {"smembers": "sinterCommand"}
# The remaining counted commands. The table of commands points to all of them, so none is
# inlined.
COUNTED = ("append", "bitcount", "del", "eval", "exec", "get", "getrange", "hgetall",
           "hset", "incr", "lpush", "lrange", "mget", "mset", "multi", "pfadd", "pfcount",
           "rpop", "sadd", "set", "setbit", "smembers", "sort", "xadd", "xrange", "zadd",
           "zrange")


def images(folder, cc):
    source = unpack("redis", folder)
    makefile = (source / "src" / "Makefile").read_text()
    lua = (source / "deps/lua/src/Makefile").read_text().replace("\\\n", "")
    generated = folder / "redis-generated"
    generated.mkdir(exist_ok=True)
    (generated / "release.h").write_text("".join(
        f'#define REDIS_{name} "0"\n'
        for name in ("GIT_SHA1", "GIT_DIRTY", "BUILD_ID", "BUILD_ID_RAW")))

    def units(place, names, *flags):
        return [Unit(source / place / f"{name}.c", flags) for name in names]

    def objects(text, variable):
        words = re.search(rf"^{variable}=(.*)$", text, re.MULTILINE)[1].split()
        return [word.removesuffix(".o") for word in words]

    deps = source / "deps"
    static = "-DREDIS_STATIC="
    server = units("src", objects(makefile, "REDIS_SERVER_OBJ"), "-std=c11", static,
                   f"-I{generated}", *(f"-I{deps / name}" for name in (
                       "hiredis", "linenoise", "lua/src", "hdr_histogram", "fpconv",
                       "fast_float")))
    server += units("deps/lua/src", objects(lua, "CORE_O") + objects(lua, "LIB_O"), static,
                    "-DLUA_ANSI", "-DENABLE_CJSON_GLOBAL", "-DLUA_USE_MKSTEMP")
    server += units("deps/hiredis", ("alloc", "net", "hiredis", "sds", "async", "read",
                                     "sockcompat"), "-std=c99")
    server += units("deps/hdr_histogram", ("hdr_histogram",), "-std=c99",
                    '-DHDR_MALLOC_INCLUDE="hdr_redis_malloc.h"')
    libraries = ["-rdynamic", "-lm", "-ldl", "-pthread"]
    if (deps / "fast_float").exists():  # Redis 8: conversions of numbers from and to text
        server += units("deps/fpconv", ("fpconv_dtoa",))
        server.append(Unit(deps / "fast_float" / "fast_float_strtod.cpp",
                           ("-std=c++11", "-DFASTFLOAT_ALLOWS_LEADING_PLUS")))
        libraries.append("-lstdc++")
    return [Image("redis-server", tuple(server), tuple(libraries))]


def runs():
    return [Run("as a daemon", True, "duration", ("save", "rewrite"))]


class Redis(Server):
    DISARMED = "getCommand"

    def command(self):
        return [self.images / "redis-server", "--bind", "127.0.0.1", "--port", str(self.port),
                "--daemonize", "yes" if self.run.daemon else "no", "--dir", self.folder,
                "--pidfile", self.folder / "redis.pid", "--logfile",
                self.folder / "redis.log", "--save", "", "--databases", "1"]

    def main(self):
        try:
            return int((self.folder / "redis.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def processes(self):
        return [self.main(), *children(self.main())]

    def wait_ready(self):
        wait_until(lambda: self.main() and self.serves(), "redis")

    def ask(self, *words):
        return Connection(self).ask([words])[0]

    def load(self):
        answers = at_once(rounds, [Connection(self, nr) for nr in range(CONNECTIONS)])
        wait_until(lambda: waits(self.main()), "redis to have nothing to do")
        return answers

    def counts(self):
        info = self.ask("INFO", "server", "commandstats").decode()
        older = int(re.search(r"^redis_version:(\d+)", info, re.MULTILINE)[1]) < 8
        functions = FUNCTIONS if older else {}
        calls = dict(re.findall(r"^cmdstat_(\w+):calls=(\d+)", info, re.MULTILINE))
        return {self.main(): Counter({functions.get(name, f"{name}Command"):
                                      int(calls.get(name, 0)) for name in COUNTED})}

    def save(self):
        """Lets a child save while clients write; slowly, so that the child lives long enough."""
        self.ask("CONFIG", "SET", "rdb-key-save-delay", "100000")
        self.ask("BGSAVE")
        wait_until(lambda: children(self.main()), "a child that saves")

    def rewrite(self):
        """Starts another child, after stopping the first one."""
        for pid in children(self.main()):
            os.kill(pid, signal.SIGUSR1)
        wait_until(lambda: not children(self.main()), "the child that saves to end")
        self.ask("CONFIG", "SET", "rdb-key-save-delay", "0")
        self.ask("CONFIG", "SET", "maxmemory", "100mb")
        self.ask("CONFIG", "SET", "appendonly", "yes")
        wait_until(lambda: b"aof_rewrite_in_progress:0" in self.ask("INFO", "persistence"),
                   "the append-only file to be written")

    def stop(self):
        os.kill(self.main(), signal.SIGTERM)


SERVER = Redis


class Connection:
    def __init__(self, server, number=0):
        self.number = number
        self.socket = server.connect()
        self.file = self.socket.makefile("rb")

    def ask(self, requests):
        """Sends all requests, then returns the answers."""
        self.socket.sendall(b"".join(map(encoded, requests)))
        return [self.answer() for _ in requests]

    def answer(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:]
        if kind == b"$" and int(rest) >= 0:
            return line + self.file.read(int(rest) + 2)
        if kind == b"*":
            return line + b"".join(self.answer() for _ in range(int(rest)))
        return line


def rounds(connection):
    # Omit the first answer, the number of keys that existed before.
    return [hashlib.sha256(b"".join(connection.ask(list(commands(connection.number, i)))[1:]))
            .hexdigest() for i in range(ROUNDS)]


def encoded(words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word)
                                             for word in words)


def commands(number, i):
    """The requests of one connection, with keys of its own, so that other connections do not
    change the answers."""
    def key(name):
        return f"{name}:{number}"

    yield "DEL", *(key(name) for name in ("text", "list", "hash", "set", "order", "hll",
                                          "stream", "bits"))
    yield "SET", key("a"), i
    yield "SET", key("b"), i * 1000
    yield "INCR", key("a")
    yield "MSET", key("c"), "x" * 5000, key("d"), i
    yield "MGET", key("a"), key("b"), key("c"), key("missing")
    for j in range(5):
        yield "APPEND", key("text"), f"{j} times;"
        yield "LPUSH", key("list"), j * 37 % 11, f"{10 - j}"
        yield "HSET", key("hash"), f"field{j}", "v" * j
        yield "SADD", key("set"), j, j * j
        yield "ZADD", key("order"), j * 1.5, f"member{j}"
        yield "PFADD", key("hll"), f"element{j}"
        yield "XADD", key("stream"), f"{i + 1}-{j + 1}", "field", j
        yield "SETBIT", key("bits"), j * 100, 1
        yield "GET", key("text")
    yield "GETRANGE", key("text"), 3, 20
    yield "LRANGE", key("list"), 0, -1
    yield "SORT", key("list"), "DESC"
    yield "RPOP", key("list")
    yield "HGETALL", key("hash")
    yield "SMEMBERS", key("set")
    yield "ZRANGE", key("order"), 0, -1, "WITHSCORES"
    yield "PFCOUNT", key("hll")
    yield "XRANGE", key("stream"), "-", "+"
    yield "BITCOUNT", key("bits")
    yield "EVAL", SCRIPT, 2, key("a"), key("b")
    # An error leaves Lua by longjmp().
    yield "EVAL", "return redis.call('GET', KEYS[1])", 1, key("list")
    yield "EVAL", "error('no')", 0
    yield "GET", key("list")
    yield "MULTI",
    yield "INCR", key("b")
    yield "GET", key("b")
    yield "EXEC",
