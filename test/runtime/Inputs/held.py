# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""held.py LOG: reads strace's log of `patchbay record -p`. Prints the system calls made while a
thread of the process was stopped, between PTRACE_INTERRUPT and PTRACE_DETACH."""
import re
import sys

READS = ("pread64", "process_vm_readv")
ENTRY = re.compile(r"pread64\(.*, 16, \w+\) += ")  # number of entries of a dynamic section
REAL_TIME = re.compile(r"sched_setscheduler\(0, SCHED_FIFO, ")
OTHERS = re.compile(r"sched_setscheduler\(0, SCHED_(OTHER|BATCH|IDLE), ")
FILTERED = re.compile(r"prctl\(PR_GET_SECCOMP\) += [1-9]")


def calls(path):
    """Returns all system calls, and the calls of the thread that controls the process."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.split(maxsplit=1) for line in file]
    tracer = next(pid for pid, call in lines if "PTRACE_INTERRUPT" in call)
    return [call for _, call in lines], [call for pid, call in lines if pid == tracer]


def main():
    whole, every = calls(sys.argv[1])
    # Find the borrowed thread. The command may have stopped other threads before.
    code = next(i for i, call in enumerate(every) if call.startswith("pwrite64"))
    begin = max(i for i, call in enumerate(every[:code]) if "PTRACE_INTERRUPT" in call)
    end = next(i for i, call in enumerate(every) if i > code and "PTRACE_DETACH" in call)
    held = every[begin:end + 1]
    reads = sum(call.startswith(READS) for call in held)
    print(f"{reads} reads of its memory")
    print(f"{len(held) - reads} other system calls")
    print(f"{sum(map(bool, map(ENTRY.match, whole)))} entries of dynamic sections read one by one")
    if any(map(FILTERED.search, every[:begin])):
        print("a filter of system calls: as it is scheduled it stays")
        return
    of = {call: kind for kind, calls in (("asked", REAL_TIME), ("given up", OTHERS))
          for call in every if calls.search(call)}
    order = [of.get(call, "held" if "PTRACE_INTERRUPT" in call else "let go") for call in every
             if call in of or "PTRACE_INTERRUPT" in call or "PTRACE_DETACH" in call]
    print("priority, each time:", ", ".join(order[:4]))
    if order != order[:4] * (len(order) // 4):
        sys.exit(f"not each time: {order}")


main()
