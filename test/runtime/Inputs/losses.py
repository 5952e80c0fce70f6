# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the losses that a data file records: struct pbd_losses of
runtime/trace/format/missing.h, and the counts of blocks and of the session.

    losses.py SAID CSV FOLDER

Compares a recording with the output of its program, lines of "FUNCTION CALLS JUMPS". Each of
CALLS is recorded, or the process or its threads count the call as lost or missed. At most JUMPS
more calls may be recorded, which ended in a jump. CSV has the recorded calls, or is - if FOLDER
has histograms. If the recording ended before the program (PBD_SESSION_ENDED_STRICT), calls may
be missing.
"""
import csv
import struct
import sys
from collections import Counter
from pathlib import Path

KINDS = ("full", "space", "sandbox", "child", "missed in handler",
         "missed in recorder", "6", "7")
ENDED_STRICT = 128
COUNTS = struct.Struct("<II8Q")


def chunks(path):
    data = path.read_bytes()
    at, = struct.unpack_from("<I", data, 16)
    end, = struct.unpack_from("<Q", data, 40)
    while at < end:
        kind, _, size = struct.unpack_from("<IIQ", data, at)
        yield kind, data[at + 16:at + size]
        at += size


def losses(folder):
    """Sums over all files. Returns the counts of processes, the sums over their threads, and
    flags."""
    process, threads, flags = Counter(), Counter(), 0
    for path in sorted(Path(folder).glob("*.pbd")):
        lost = 0
        for kind, body in chunks(path):
            if kind == 4:
                lost += struct.unpack_from("<Q", body, 24)[0]
                process["overwritten"] += struct.unpack_from("<Q", body, 32)[0]
                flags |= struct.unpack_from("<I", body, 4)[0]
            elif kind == 6:
                lost += struct.unpack_from("<Q", body, 24)[0]
            elif kind == 9:
                counts = [COUNTS.unpack_from(body, 8 + i * COUNTS.size)
                          for i in range(16)]
                own = Counter(dict(zip(KINDS, counts[0][2:])))
                process += own
                for of_thread in counts[1:]:
                    threads += Counter(dict(zip(KINDS, of_thread[2:])))
        if lost != own["full"] + own["space"] + own["sandbox"]:
            sys.exit(f"{path}: {lost} lost, but by their reasons {own}")
    return process, threads, flags


def histogram_calls(folder):
    calls = Counter()
    for path in Path(folder).glob("*.pbd"):
        for kind, body in chunks(path):
            if kind != 7:
                continue
            for at in range(24, len(body) - 408 + 1, 408):
                function, _, _, *buckets = struct.unpack_from("<51Q", body, at)
                if function:
                    calls["all"] += sum(buckets)
    return calls


def main(said, recorded, folder):
    if recorded == "-":
        calls = histogram_calls(folder)
    else:
        calls = Counter(row["function"] for row in csv.DictReader(open(recorded)))
    process, threads, flags = losses(folder)
    if threads - process:
        sys.exit(f"threads count more than their process: {threads} {process}")
    missing = jumps = made = 0
    for line in open(said):
        function, expected, jumped = line.split()
        expected, jumped = int(expected), int(jumped)
        of_it = calls[function]
        if of_it > expected + jumped:
            sys.exit(f"{function}: {of_it} recorded, of {expected}, {jumped} jumps")
        missing += max(expected - of_it, 0)
        jumps += jumped
        made += expected
    if flags & ENDED_STRICT:
        print("recording was ended")
        return
    counted = sum(process.values())
    if missing > counted:
        sys.exit(f"{missing} calls of {made} are neither recorded nor counted: "
                 f"{dict(process)}")
    if counted > missing + 2 * jumps:
        sys.exit(f"{counted} are counted, {missing} of {made} are missing")
    print(f"{made} calls{' in a sandbox' * bool(flags & 64)}, {missing} missing, "
          + ", ".join(f"{kind}: {process[kind]}" for kind in process if process[kind]))


if __name__ == "__main__":
    main(*sys.argv[1:])
