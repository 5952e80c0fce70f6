# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""live-fake.py [PID]: listens where a process does that `patchbay live` asks, and
answers as a later version would. With PID it does so in the place of another."""
import os
import socket
import sys

server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(f"\0patchbay/{sys.argv[1] if len(sys.argv) > 1 else os.getpid()}")
server.listen()
print("listening", flush=True)
while True:
    client = server.accept()[0]
    if client.recv(65536):
        client.send(bytes([99, 0, 0, 0]) + bytes(20))
    client.close()
