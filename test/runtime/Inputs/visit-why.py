# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""visit-why.py PATCHBAY PROG: records the running PROG (napping.c), and prints the output of
`replay` for two calls of each thread, including the first."""
import subprocess
import sys

from visit import Program, Recording, check_quiet


def main():
    patchbay, path = sys.argv[1:]
    program = Program(path)
    before = program.state()
    for _ in range(2):
        recording = Recording(patchbay, program, "-t", "function_duration", "--why", "5ms",
                              "-F", "nap")
        program.call(1)
        program.call(1)
        recording.end()
        check_quiet(program, before)
        with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
            print("rings:", maps.read().count("perf_event"))
        sys.stdout.write(subprocess.run([patchbay, "replay", "-i", "out"], check=True,
                                        stdout=subprocess.PIPE, text=True).stdout)
    program.end()


main()
