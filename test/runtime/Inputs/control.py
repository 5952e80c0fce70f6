# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of runtime/trace/format/control.h, for requests that `patchbay` never sends. The
client finds the gate (a socket) in /proc/net/unix and reads the proof beside the gate's name in
the process's memory. Unlike `patchbay`, it reads no notes."""
import errno
import re
import socket
import struct
import sys

VERSION, NAME_MAX, PROOF, TEXT_MAX = 6, 48, 32, 4096
NAME_AT = 4  # in struct pb_control_point
KNOCK_AT = NAME_AT + NAME_MAX
PROOFS_AT = KNOCK_AT + PROOF
SAID_MAX = 1024


def names():
    with open("/proc/net/unix", "rb") as file:
        found = re.findall(rb"@(patchbay/[0-9a-f]{32})$", file.read(), re.MULTILINE)
    if not found:
        sys.exit("no process listens")
    return set(found)


class Memory:
    """A process whose memory can be read: finds its gate's name and its control point."""

    def __init__(self, pid):
        try:
            self.file = open(f"/proc/{pid}/mem", "rb", buffering=0)
            maps = open(f"/proc/{pid}/maps").read().splitlines()
        except OSError as e:
            sys.exit(f"memory: {errno.errorcode[e.errno]}")
        listening = names()
        for line in maps:
            span, rights, _, _, inode = line.split()[:5]
            start, end = (int(x, 16) for x in span.split("-"))
            if rights[:2] != "rw" or inode != "0" or end - start > 1 << 16:
                continue
            data = self.read(start, end - start)
            for name in listening:
                # Find the name as a string, which ends with a NUL; a socket address does not.
                if (at := data.find(name + b"\0")) >= NAME_AT:
                    self.name, self.point = name, start + at - NAME_AT
                    return
        sys.exit("no socket of that process")

    def read(self, at, size):
        self.file.seek(at)
        return self.file.read(size)

    def secret(self):
        return self.read(self.point + KNOCK_AT, PROOF)

    def proof(self, place):
        return self.read(self.point + PROOFS_AT + place * PROOF, PROOF)


class Stranger:
    """A process whose memory cannot be read: only the gate's name is known, and the client
    guesses the secret."""

    def __init__(self, name):
        self.name = name.encode()
        if self.name not in names():
            sys.exit(f"{name}: not in this network")

    def secret(self):
        return bytes(PROOF)


def connect(memory):
    """Opens a connection and returns it with its proof, or None if the process closed the
    connection."""
    client, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with other, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as gate:
        rights = struct.pack("i", other.fileno())
        gate.sendmsg([memory.secret()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)],
                     0, b"\0" + memory.name)
    if not (greeting := client.recv(64)):
        return client, None
    _, _, place = struct.unpack("IiI", greeting)
    return client, memory.proof(place)


def request(verb, proof, text=b"", files=0, version=VERSION):
    return struct.pack(f"III{PROOF}s{TEXT_MAX}s", version, verb, files, proof, text)


def reply(client):
    """Returns version, result and payload of the reply, or None if the connection was
    closed."""
    data = client.recv(1 << 16)
    while 12 < len(data) <= SAID_MAX:  # a message for the user
        data = client.recv(1 << 16)
    return struct.unpack("Ii", data[:8]) + (data[8:],) if len(data) >= 8 else None
