# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""live-raw.py PID REQUEST...: sends requests one by one, including ones that `patchbay` never
sends, and prints the replies. REQUEST is a list of words separated by commas:

    version=N verb=N size=N files=N  fields of the request; SIZE bytes of it are sent
    text=TEXT                        payload, | stands for NUL, padded with x
    send=PATH                        passes a descriptor, repeatable
    proof=own|none|old               the valid proof, zeros, the proof of the last request
    after=SECONDS                    waits before it sends the request
    wait                             sends nothing until the process closes

Without a REQUEST it prints the name of the gate. If NAME replaces PID, the process's memory is
not read, and the secret is guessed.
"""
import errno
import os
import socket
import sys
import time

import control


def ask(words, memory, last):
    options = dict(word.partition("=")[::2] for word in words if word[:5] != "send=")
    files = [os.open(word[5:], os.O_RDONLY) for word in words if word[:5] == "send="]
    client, proof = control.connect(memory)
    if proof is None:
        print("closed", flush=True)
        return last
    if "wait" in options:
        print("?" if client.recv(64) else "closed", flush=True)
        return proof
    time.sleep(float(options.get("after", 0)))
    given = {"own": proof, "none": bytes(control.PROOF), "old": last}
    text = options.get("text", "").replace("|", "\0").encode()
    packet = control.request(int(options["verb"]), given[options.get("proof", "own")],
                             text.ljust(control.TEXT_MAX, b"x"),
                             int(options.get("files", 0)),
                             int(options.get("version", control.VERSION)))
    socket.send_fds(client, [packet[:int(options.get("size", len(packet)))]], files)
    reply = control.reply(client)
    if not reply:
        print("closed", flush=True)
        return proof
    version, result, rest = reply
    tells = "" if any(rest) else ", nothing else"
    print(f"version {version} result {errno.errorcode.get(-result, result)}{tells}",
          flush=True)
    return proof


whom = sys.argv[1]
memory = control.Stranger(whom) if "/" in whom else control.Memory(whom)
if len(sys.argv) == 2:
    print(memory.name.decode())
last = bytes(control.PROOF)
for words in sys.argv[2:]:
    last = ask(words.split(","), memory, last)
