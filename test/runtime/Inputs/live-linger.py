# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""live-linger.py NAME: sends a TCP socket to the owner of the abstract address NAME, by each
socket type. The TCP socket lingers on unsent data, so the last process to close it must wait."""
import socket
import struct
import sys
import time

SECONDS = 20


def lingering():
    """Returns a connection that lingers, and the other end."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        client = socket.create_connection(listener.getsockname())
        other, _ = listener.accept()
    client.setblocking(False)
    try:
        while True:
            client.send(b"x" * 65536)
    except BlockingIOError:
        pass
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, SECONDS))
    return client, other


kept = []
for kind in (socket.SOCK_SEQPACKET, socket.SOCK_STREAM, socket.SOCK_DGRAM):
    sender = socket.socket(socket.AF_UNIX, kind)
    try:
        sender.connect(b"\0" + sys.argv[1].encode())
    except OSError:  # socket of another type
        continue
    client, other = lingering()
    socket.send_fds(sender, [bytes(32)], [client.fileno()])
    print("passed by", kind.name, flush=True)
    kept += [sender, other]
    client.close()  # the receiver has the last reference, and lingers
time.sleep(SECONDS)
