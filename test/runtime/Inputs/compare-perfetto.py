# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks Perfetto's trace processor for the slices of traces, and compares them with
the calls that `patchbay dump --json` has.

    compare-perfetto.py PAGE [JSON TRACE]...

PAGE is the folder of Perfetto's page, see trace-processor.js.
"""
import json
import os
import subprocess
import sys
from collections import Counter

from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc

SLICES = """
    select pid, tid, thread.name as thread, slice.name as function, ts, dur, depth
    from slice join thread_track on slice.track_id = thread_track.id
    join thread using (utid) join process using (upid)"""
# What it could not make sense of, it counts.
DROPPED = """
    select name, value from stats
    where severity in ('error', 'data_loss') and value != 0"""


class Pipes:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, size):
        data = self.process.stdout.read(size)
        if len(data) < size:
            raise ConnectionError("the trace processor ended, see above")
        return data


class TraceProcessor(TraceProcessorRpc):
    def load(self, trace):
        rpc = self.protos.TraceProcessorRpc
        for part in ({"request": rpc.TPM_RESET_TRACE_PROCESSOR},
                     {"request": rpc.TPM_APPEND_TRACE_DATA, "append_trace_data": trace},
                     {"request": rpc.TPM_FINALIZE_TRACE_DATA}):
            stream = self.protos.TraceProcessorRpcStream(msg=[part])
            self.transport.send(stream.SerializeToString())
            reply = rpc.FromString(self._read_payload())
            if error := reply.append_result.error or reply.finalize_data_result.error:
                sys.exit(f"the trace processor refuses the trace: {error}")

    def query(self, sql):
        result = self.execute_query(sql)
        if result.error:
            sys.exit(result.error)
        for row in QueryResultIterator(result.column_names, result.batch):
            yield tuple(vars(row).values())


def compare(processor, dump, trace):
    with open(trace, "rb") as file:
        processor.load(file.read())
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
node = os.path.join(os.path.dirname(__file__), "trace-processor.js")
processor = TraceProcessor(Pipes(["node", node, page]), ProtoFactory(PlatformDelegate()))
for dump, trace in zip(files[::2], files[1::2]):
    compare(processor, dump, trace)
