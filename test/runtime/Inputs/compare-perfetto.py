# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the slices of traces with Perfetto's trace processor, and compares them with
the calls in `patchbay dump --json`.

    compare-perfetto.py PAGE [JSON TRACE]...

PAGE is the folder of Perfetto's page, see trace-processor.js.
"""
import json
import sys
from collections import Counter

import trace_processor

SLICES = """
    select pid, tid, thread.name as thread, slice.name as function, ts, dur, depth
    from slice join thread_track on slice.track_id = thread_track.id
    join thread using (utid) join process using (upid)"""
# The trace processor counts data that it could not import.
DROPPED = """
    select name, value from stats
    where severity in ('error', 'data_loss') and value != 0"""


def compare(processor, dump, trace):
    with open(trace, "rb") as file:
        processor.load(file)
    if dropped := list(processor.query(DROPPED)):
        sys.exit(f"{trace}: the trace processor complains: {dropped}")
    slices, never_ended = Counter(), 0
    for pid, tid, thread, function, start, duration, depth in processor.query(SLICES):
        slices[pid, tid, thread, function, start, depth, duration] += 1
        never_ended += duration < 0

    calls, cut_off = Counter(), Counter()
    with open(dump) as file:
        for call in map(json.loads, file):
            key = tuple(call[k] for k in
                        ("pid", "tid", "thread", "function", "start_ns", "depth"))
            if call["kind"] == "unfinished":
                cut_off[key] += 1
            else:
                calls[*key, call["duration_ns"]] += 1
    if missing := calls - slices:
        sys.exit(f"{trace}: calls that are no slices: {list(missing)[:3]}")
    more = Counter(key[:-1] for key in (slices - calls).elements())
    if more != cut_off:
        sys.exit(f"{trace}: {list(cut_off)[:3]} were cut off, {list(more)[:3]} are slices")
    print(f"{trace}: {calls.total()} calls agree, {cut_off.total()} cut off, "
          f"{never_ended} never ended")


page, *files = sys.argv[1:]
processor = trace_processor.start(page)
for dump, trace in zip(files[::2], files[1::2]):
    compare(processor, dump, trace)
