# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks each row of the table against clang's code for a `return`."""
import os
import re
import struct
import subprocess
import sys
import tempfile

with open(sys.argv[1]) as file:
    rows = re.findall(r"ROW (\w+) (\w+) (\d+) (0x[0-9a-f]+)", file.read())
if len(rows) < 4:
    sys.exit(f"{len(rows)} rows in the table")
for triple, backend, machine, pad in rows:
    with tempfile.TemporaryDirectory() as folder:
        obj = os.path.join(folder, "o")
        text = os.path.join(folder, "text")
        subprocess.run([sys.argv[2], f"--target={triple}-linux-gnu", "-O2", "-c", "-x", "c",
                        "-march=rv64g" if triple == "riscv64" else "-g0", "-o", obj, "-"],
                       input=b"void f(void) {}", check=True)
        subprocess.run(["llvm-objcopy", "-O", "binary", "--only-section=.text", obj, text],
                       check=True)
        with open(obj, "rb") as file:
            found = struct.unpack_from("<H", file.read(), 18)[0]
        if found != int(machine):
            sys.exit(f"{triple}: machine {machine} in the table, {found} in ELF")
        with open(text, "rb") as file:
            code = file.read()
        word = int(pad, 16).to_bytes(4, "little")
        if not (code[:4] == word or code[:1] * 4 == word):
            sys.exit(f"{triple}: pad {pad} in the table, clang returns with {code.hex()}")
    targets = subprocess.run(["llc", "--version"], capture_output=True, text=True,
                             check=True).stdout
    if backend.lower()[:3] not in targets.lower():
        sys.exit(f"{triple}: no LLVM target {backend}")
