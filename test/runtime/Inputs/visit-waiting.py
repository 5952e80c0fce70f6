# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""visit-waiting.py PATCHBAY PROG FUNCTION...: records PROG (visited-waits.c) while its only
thread waits in FUNCTION, and prints the result. If FUNCTION reads standard input, it must
return the input as usual."""
import os
import subprocess
import sys
import time

from visit import TIMEOUT, await_text

STREAMS = ("fgets", "getline", "getchar", "scanf", "fread", "fread-much", "fgetwc")
READ = {"x86_64": 0, "aarch64": 63}[os.uname().machine]


def state(pid):
    """Returns the process's state; S means that the thread sleeps."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")")[1].split()[0]


def await_system_call(pid):
    def found(text):
        number = text.split()[0]
        return number if number.isdigit() and state(pid) == "S" else None
    return int(await_text(f"/proc/{pid}/syscall", found))


def visit(patchbay, path, function):
    program = subprocess.Popen([path, function], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        waits = await_system_call(program.pid)
        said = subprocess.run(
            [patchbay, "record", "-t", "count", "-p", str(program.pid), "-F", "counted", "-o",
             f"{function}.data", "--", "true"],
            stderr=subprocess.PIPE, text=True, timeout=TIMEOUT).stderr
        # The thread must still wait in the same system call. An interruption would have ended
        # this call.
        time.sleep(0.05)
        assert program.poll() is None, (function, program.returncode)
        assert await_system_call(program.pid) == waits, function
        if waits == READ and function in STREAMS:
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
