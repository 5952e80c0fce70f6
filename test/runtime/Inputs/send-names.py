# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""send-names.py PID: sends files of names that `patchbay live` never sends, as requests to arm
functions. Prints the replies."""
import errno
import glob
import os
import socket
import sys
import tempfile

import control

STATUS, ARM, NAMES = 1, 2, 1
memory = control.Memory(sys.argv[1])


def ask(what, *descriptors, verb=ARM, files=NAMES):
    client, proof = control.connect(memory)
    with client:
        socket.send_fds(client, [control.request(verb, proof, b"*", files)], descriptors)
        result = control.reply(client)[1]
    print(f"{what}:", errno.errorcode[-result] if result < 0 else result)


def ask_names(what, names):
    with tempfile.TemporaryFile() as file:
        file.write(names)
        file.flush()
        ask(what, file.fileno())


def count_open(name):
    """Counts the process's descriptors of files with that name."""
    tasks = f"/proc/{sys.argv[1]}/task/*/fd/*"
    return sum(name in os.readlink(path) for path in glob.glob(tasks))


ask_names("empty", b"")
ask_names("no end", b"main")
ask("pipe", os.pipe()[0])
with tempfile.NamedTemporaryFile() as named:
    named.write(b"main\0")
    named.flush()
    ask("not to be read", os.open(named.name, os.O_WRONLY))
ask_names("unknown", b"none\0")
ask_names("two, one of them unknown", b"none\0main\0")
huge = os.memfd_create("huge")
os.truncate(huge, 1 << 42)
ask("terabytes", huge)

# The process closes all received files, even unexpected ones.
names = os.memfd_create("sent-along")
os.write(names, b"none\0")
ask("two files", names, names)
ask("three files", names, names, names)
ask("one for nothing", names, verb=STATUS)
print("left open:", count_open("sent-along"))
