# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""visit-waiting.py PATCHBAY PROG FUNCTION...: records PROG, which is that of
visited-waits.c, while its only thread waits in FUNCTION, and says how that ended. What
waits for standard input reads it then, as if nothing had been."""
import os
import subprocess
import sys

from visit import TIMEOUT, await_text

READ, FUTEX = {"x86_64": (0, 202), "aarch64": (63, 98)}[os.uname().machine]


def await_system_call(pid):
    def found(text):
        number = text.split()[0]
        return number if number in (str(READ), str(FUTEX)) else None
    return int(await_text(f"/proc/{pid}/syscall", found))


def visit(patchbay, path, function):
    program = subprocess.Popen([path, function], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        waits = await_system_call(program.pid)
        said = subprocess.run(
            [patchbay, "record", "-p", str(program.pid), "-F", "counted", "-o",
             f"{function}.data", "--", "true"],
            stderr=subprocess.PIPE, text=True, timeout=TIMEOUT).stderr
        assert await_system_call(program.pid) == waits
        if waits == READ:
            program.stdin.write("1\n")
            program.stdin.close()
            assert program.wait(TIMEOUT) == 0, program.returncode
        result = "recorded" if "1 process recorded in" in said else said.rstrip()
        print(f"{function}: {result}")
    finally:
        program.kill()
        program.wait()


if __name__ == "__main__":
    for name in sys.argv[3:]:
        visit(sys.argv[1], sys.argv[2], name)
