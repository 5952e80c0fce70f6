# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""starved.py PATCHBAY PROG: records a process of PROG that gets a CPU for at most a few
milliseconds per second: it has SCHED_IDLE, and shares one CPU with busy loops."""
import os
import subprocess
import sys
import time

LOOPS = 4


def on_processor(cpu, command, policy, **options):
    def prepare():
        os.sched_setaffinity(0, {cpu})
        os.sched_setscheduler(0, policy, os.sched_param(0))
    return subprocess.Popen(command, preexec_fn=prepare, **options)


def main():
    patchbay, program = sys.argv[1:]
    cpu = max(os.sched_getaffinity(0))
    process = on_processor(cpu, [program], os.SCHED_IDLE, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)
    assert process.stdout.readline()
    loops = [on_processor(cpu, ["sh", "-c", "while :; do :; done"], os.SCHED_OTHER)
             for _ in range(LOOPS)]
    try:
        since = time.monotonic()
        done = subprocess.run([patchbay, "record", "-t", "count", "-p", str(process.pid), "-o", "out",
                               "--", "true"], stderr=subprocess.PIPE, text=True, check=False)
        print(done.stderr, end="")
        print("exit code", done.returncode)
        print(f"{time.monotonic() - since:.1f} s", file=sys.stderr)
    finally:
        for child in [process, *loops]:
            child.kill()
            child.wait()


main()
