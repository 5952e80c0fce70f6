# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what `dump --json` prints about slow calls:

    check-why.py JSON INFO        all slow calls, and the lines of `info` about them
    check-why.py --some JSON NAME a process that was recorded while it ran
    check-why.py --last JSON      causes are recorded for the last calls only
    check-why.py --processes JSON two processes
"""
import json
import sys


def calls_in(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def names(call):
    return [place.split("+")[0] for place in call["stack"]]


def check_waits(call, info):
    """Checks that off-CPU intervals are within the call, and that the printed sum is correct."""
    end = call["start_ns"] + call["elapsed_ns"]
    for wait in call["waits"]:
        assert wait["ns"] > 0 and wait["start_ns"] < end + 1000000, wait
    total = sum(wait["ns"] for wait in call["waits"])
    assert total <= call["off_cpu_ns"] + 1000, call
    assert call["off_cpu_ns"] <= call["elapsed_ns"] + 1000, call
    if call["off_cpu_is_exact"]:
        assert call["nr_waits"] > len(call["waits"]) or total == call["off_cpu_ns"], call
    if "no waits" in info:
        assert not call["waits"] and not call["off_cpu_is_exact"], call
    # The names of kernel functions may be hidden from unprivileged users.
    if "with its kernel functions" in info and total and call["function"] == "naps":
        waits = [wait for wait in call["waits"] if not wait["preempted"]]
        # Since version 2.42, glibc waits in syscall_cancel.
        assert all("nanosleep" in wait["at"] or "syscall_cancel" in wait["at"]
                   for wait in waits), call
        for wait in waits:
            assert "for" not in wait or "nanosleep" in wait["for"], wait


def check(path, info):
    with open(info, encoding="utf-8") as file:
        info = file.read()
    calls = calls_in(path)
    for name in ("naps", "reads", "spins", "quick"):
        of = [call for call in calls if call["function"] == name]
        assert of, name
        if name == "quick":
            # A busy processor may make any call slow.
            assert not any("stack" in call for call in of if call["elapsed_ns"] < 40000000)
            print("quick: nothing")
            continue
        for call in of:
            check_waits(call, info)
            found = names(call)
            assert found[:2] == ["middle", "outer"] and "main" in found, found
            assert "stack_ends" not in call, call
            if name == "spins":
                assert call["off_cpu_ns"] < call["elapsed_ns"] - 40000000, call
            else:
                assert call["off_cpu_ns"] > 45000000, call
        how = "for less than it took" if name == "spins" else "for 45 ms or more"
        print(f"{name}: off {how}, called from middle, outer, main")


def check_some(path, name):
    calls = [call for call in calls_in(path) if call["function"] == name]
    assert calls
    for call in calls:
        assert names(call)[:2] == ["middle", "outer"], call
    # The first call's off-CPU time depends on CPU time that the thread used before the
    # recording.
    for call in calls[1:]:
        assert call["off_cpu_ns"] > 45000000, call
    assert len(calls) > 1


def check_last(path):
    calls = [call for call in calls_in(path) if call["function"] == "tiny"]
    known = ["stack" in call for call in calls]
    assert len(calls) == 100 and known == [False] * 84 + [True] * 16, known


def check_processes(path):
    calls = [call for call in calls_in(path) if call["function"] == "naps"]
    assert len({call["pid"] for call in calls}) == 2 == len(calls), calls
    for call in calls:
        assert names(call)[:2] == ["middle", "outer"], call
        assert call["off_cpu_ns"] > 45000000, call


if __name__ == "__main__":
    if sys.argv[1] == "--some":
        check_some(*sys.argv[2:])
    elif sys.argv[1] == "--last":
        check_last(sys.argv[2])
    elif sys.argv[1] == "--processes":
        check_processes(sys.argv[2])
    else:
        check(*sys.argv[1:])
