# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""send-names.py PID: asks the process to arm functions by files of names that no
`patchbay live` sends, and prints what it answers."""
import errno
import os
import socket
import struct
import sys
import tempfile

VERSION, ARM, TEXT_MAX = 2, 2, 4096


def ask(what, descriptor):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.connect(f"\0patchbay/{sys.argv[1]}")
        request = struct.pack(f"II{TEXT_MAX}s", VERSION, ARM, b"*")
        socket.send_fds(client, [request], [descriptor])
        result = struct.unpack_from("Ii", client.recv(65536))[1]
    print(f"{what}:", errno.errorcode[-result] if result < 0 else result)


def ask_names(what, names):
    with tempfile.TemporaryFile() as file:
        file.write(names)
        file.flush()
        ask(what, file.fileno())


ask_names("empty", b"")
ask_names("no end", b"main")
ask("pipe", os.pipe()[0])
with tempfile.NamedTemporaryFile() as named:
    named.write(b"main\0")
    named.flush()
    ask("not to be read", os.open(named.name, os.O_WRONLY))
ask_names("unknown", b"none\0")
ask_names("two, one of them unknown", b"none\0main\0")
