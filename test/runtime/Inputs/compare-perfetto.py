# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a trace with Perfetto's classes and compares it with a CSV of the same.

    compare-perfetto.py TRACE CSV

Slices are made of their begins and ends as Perfetto makes them, on each track.
"""
import csv
import sys
from collections import Counter

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


def refuse_unknown(message):
    for field in UnknownFieldSet(message):
        sys.exit(f"{type(message).__name__}: no field {field.field_number}")
    for field, value in message.ListFields():
        if field.message_type:
            for part in value if hasattr(value, "append") else [value]:
                refuse_unknown(part)


trace = Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
refuse_unknown(trace)

names, threads, stacks, slices = {}, {}, {}, Counter()
for packet in trace.packet:
    for name in packet.interned_data.event_names:
        names[packet.trusted_packet_sequence_id, name.iid] = name.name
    track = packet.track_descriptor
    if track.HasField("thread"):
        threads[track.uuid] = (track.thread.pid, track.thread.tid)
    if not packet.HasField("track_event"):
        continue
    event = packet.track_event
    stack = stacks.setdefault(event.track_uuid, [])
    if event.type == TrackEvent.TYPE_SLICE_BEGIN:
        name = names[packet.trusted_packet_sequence_id, event.name_iid]
        stack.append((name, packet.timestamp, len(stack)))
    elif event.type == TrackEvent.TYPE_SLICE_END:
        name, start, depth = stack.pop()
        slices[*threads[event.track_uuid], name, start,
               packet.timestamp - start, depth] += 1

calls, cut_off = Counter(), set()
for row in csv.DictReader(open(sys.argv[2])):
    call = (int(row["pid"]), int(row["tid"]), row["function"], int(row["start_ns"]))
    if row["duration_ns"]:
        calls[*call, int(row["duration_ns"]), int(row["depth"])] += 1
    else:
        cut_off.add((*call, int(row["depth"])))
if missing := calls - slices:
    sys.exit(f"calls that are no slices: {list(missing)[:3]}")
for *call, _, depth in slices - calls:
    if (*call, depth) not in cut_off:
        sys.exit(f"a slice that is no call: {call}, depth {depth}")
print(f"{calls.total()} calls agree, {len(cut_off)} cut off")
