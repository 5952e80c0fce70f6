# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a recording look like a recording of another host (runtime/trace/format/format.h).

    hosts.py FILE.pbd HOST TIME [FACTOR]

Changes host and start time of FILE, in place. TIME is in UTC, for example 2026-03-01T12:00. All
durations are multiplied by FACTOR.
"""
import datetime
import mmap
import struct
import sys

# Query engines, which cmake/fetch-python.sh installs.
ENGINES = ("duckdb", "chdb")

CHUNK = struct.Struct("<IIQ")
SESSION = 4
HEADER_SIZE_AT, START_AT, COMMITTED_AT = 16, 32, 40
# Offsets in struct pbd_session.
FIRST_AT, LAST_AT, HOST_AT, NAME_MAX = 56, 80, 200, 64
MOMENT = 24


def nanoseconds(time):
    """Returns nanoseconds since 1970."""
    since = datetime.datetime.fromisoformat(time) - datetime.datetime(1970, 1, 1)
    return since // datetime.timedelta(microseconds=1) * 1000


def session(data):
    """Returns the offset of struct pbd_session."""
    at, = struct.unpack_from("<I", data, HEADER_SIZE_AT)
    committed, = struct.unpack_from("<Q", data, COMMITTED_AT)
    while at < committed:
        kind, _, size = CHUNK.unpack_from(data, at)
        if kind == SESSION:
            return at
        at += size
    raise ValueError("no events")


def become(path, host, start, factor=1):
    """Changes the file. start: in nanoseconds since 1970. Ticks of the CPU's counter stay
    unchanged."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        at = session(data)
        moments = [at + FIRST_AT, at + LAST_AT, at + LAST_AT + MOMENT]
        _, first, _ = struct.unpack_from("<3Q", data, moments[0])
        for moment in moments:
            ticks, monotonic, _ = struct.unpack_from("<3Q", data, moment)
            if not ticks: # an unused moment
                continue
            since = int((monotonic - first) * factor)
            struct.pack_into("<2Q", data, moment + 8, first + since, start + since)
        struct.pack_into(f"{NAME_MAX}s", data, at + HOST_AT, host.encode())
        struct.pack_into("<Q", data, START_AT, start)


if __name__ == "__main__":
    become(*sys.argv[1:3], nanoseconds(sys.argv[3]), *map(float, sys.argv[4:]))
