# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stress.py PATCHBAY SECONDS FOLDER STRESS PLUGIN UNWINDER: runs stress.cpp with "plain" and
repeatedly records it with each tracer in turn. Meanwhile, sets and removes a uprobe on one of
its functions, if the kernel permits. The program must end by itself with correct results. Every
recording must succeed and be readable."""
import ctypes
import itertools
import os
import shutil
import struct
import subprocess
import sys
import threading
import time

patchbay, seconds, folder, *program = sys.argv[1:]

TRACERS = [["-t", "function_profile"], ["-t", "function", "-F", "risky*"],
           ["-t", "function_duration"], ["-t", "function_graph", "-F", "*chain*", "-F", "malloc"],
           ["-t", "function_profile", "-F", "*throw*", "-F", "*steady*", "--histogram"]]


def file_offset(path, name):
    """Returns the offset of a function in its file."""
    for line in subprocess.check_output(["nm", path], text=True).splitlines():
        if line.split()[-1] == name:
            address = int(line.split()[0], 16)
    with open(path, "rb") as file:
        head = file.read(64)
        at, = struct.unpack_from("<Q", head, 32)
        size, number = struct.unpack_from("<HH", head, 54)
        file.seek(at)
        table = file.read(size * number)
    for i in range(number):
        kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", table, i * size)
        if kind == 1 and start <= address < start + length:
            return address - start + offset
    raise ValueError(f"{name} is in no segment of {path}")


def open_uprobe(path, offset, pid):
    """Sets a probe by perf_event_open(2) and returns a descriptor. Closing the descriptor
    removes the probe."""
    with open("/sys/bus/event_source/devices/uprobe/type", encoding="ascii") as file:
        kind = int(file.read())
    name = ctypes.create_string_buffer(os.fsencode(path))
    attr = struct.pack("<IIQQQQQIIQQ", kind, 72, 0, 1, 0, 0, 0, 0, 0,
                       ctypes.addressof(name), offset)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(298, attr, pid, -1, -1, 8)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return fd


def probe(path, pid, ended, counts):
    try:
        offset = file_offset(path, "_Z5riskyi")
        while not ended.wait(0.05):
            fd = open_uprobe(path, offset, pid)
            counts[0] += 1
            ended.wait(0.05)
            os.close(fd)
    except OSError as error:
        counts[1] = error


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
traced = subprocess.Popen([*program, seconds, "plain"], stdout=subprocess.PIPE, text=True)
ended, counts = threading.Event(), [0, None]
attached = 0
try:
    if traced.stdout.readline() != "ready\n":
        sys.exit("the program did not start")
    prober = threading.Thread(target=probe, args=(program[0], traced.pid, ended, counts))
    prober.start()
    for options in itertools.cycle(TRACERS):
        data = f"{folder}/{attached}"
        record = subprocess.run([patchbay, "record", "-p", str(traced.pid), "-o", data, *options,
                                 "--", "sleep", "0.2"], stderr=subprocess.PIPE, text=True)
        if traced.poll() is not None:
            break
        if record.returncode:
            sys.exit(f"record {' '.join(options)}: exit status {record.returncode}: {record.stderr}")
        report = subprocess.run([patchbay, "report", "-i", data], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        # Status 1: no call was recorded, for example because all its functions had a probe.
        if report.returncode not in (0, 1) or "error:" in report.stderr:
            sys.exit(f"report of {' '.join(options)}: {report.stderr}")
        shutil.rmtree(data)
        attached += 1
    said = traced.stdout.read()
finally:
    ended.set()
    traced.kill()
    traced.wait()
prober.join()
print(said, end="")
print(f"exit status {traced.returncode}, attached {attached} times")
print(f"uprobes: {counts[0] or counts[1]}")
