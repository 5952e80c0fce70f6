# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`damage.py OBJECT CODE COMMAND` damages instructions in copies of OBJECT and runs
COMMAND with each copy. The file CODE contains the instructions. No damage may kill
the command. The damage is the same in each run."""
import random
import struct
import subprocess
import sys
import tempfile

COPIES = 600


def damage(code: bytearray) -> None:
    """Changes the fields of an instruction, or copies an instruction to another offset."""
    at, other = (8 * random.randrange(len(code) // 8) for _ in range(2))
    op, regs, off, imm = struct.unpack_from("<BBhi", code, at)
    kind = random.randrange(6)
    if kind == 0:
        op = code[other]
    elif kind == 1:
        regs = random.randrange(11) | random.randrange(11) << 4
    elif kind == 2:
        off = random.choice([0, 1, -1, 8, -8, -16, 24, off + 1, off - 1])
    elif kind == 3:
        imm = random.choice([0, 1, -1, 8, -8, 1 << 30, imm + 1, imm - 1])
    elif kind == 4:
        op = random.randrange(256)
    else:
        code[at:at + 8] = code[other:other + 8]
        return
    struct.pack_into("<BBhi", code, at, op, regs, off, imm)


def main() -> None:
    path, code_path, command = sys.argv[1:]
    with open(path, "rb") as file:
        whole = file.read()
    with open(code_path, "rb") as file:
        code = file.read()
    at = whole.index(code)
    random.seed(7)
    opened = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i in range(COPIES):
            damaged = bytearray(code)
            for _ in range(random.randint(1, 3)):
                damage(damaged)
            names.append(f"{folder}/{i}")
            with open(names[-1], "wb") as file:
                file.write(whole[:at] + damaged + whole[at + len(code):])
        for start in range(0, COPIES, 100):
            run = subprocess.run([command, *names[start:start + 100]],
                                 stdout=subprocess.PIPE, timeout=600, check=False)
            if run.returncode:
                sys.exit(f"{command}: status {run.returncode} in copies from {start}")
            opened += run.stdout.count(b"result ")
            ran += run.stdout.count(b"ran\n")
    print(f"{opened} opened, {ran} ran")


main()
