# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the fields that Perfetto reads from protobuf on standard input. Knows only the fields
that `patchbay dump --perfetto` uses. Field names and numbers are from Perfetto's
protos/perfetto/trace."""
import sys

SCHEMA = {
    "Trace": {1: ("packet", "TracePacket")},
    "TracePacket": {6: ("clock_snapshot", "ClockSnapshot"),
                    8: ("timestamp", int), 10: ("sequence", int),
                    11: ("track_event", "TrackEvent"),
                    12: ("interned_data", "InternedData"),
                    13: ("sequence_flags", int), 58: ("clock", int),
                    60: ("track_descriptor", "TrackDescriptor")},
    "ClockSnapshot": {1: ("clock", "Clock"), 2: ("primary_trace_clock", int)},
    "Clock": {1: ("clock_id", int), 2: ("timestamp", int)},
    "TrackEvent": {9: ("type", int), 10: ("name_iid", int), 11: ("track_uuid", int),
                   23: ("name", str), 30: ("counter_value", int)},
    "InternedData": {2: ("event_names", "EventName")},
    "EventName": {1: ("iid", int), 2: ("name", str)},
    "TrackDescriptor": {1: ("uuid", int), 2: ("name", str), 3: ("process", "ProcessDescriptor"),
                        4: ("thread", "ThreadDescriptor"), 5: ("parent_uuid", int),
                        8: ("counter", "CounterDescriptor")},
    "CounterDescriptor": {},
    "ProcessDescriptor": {1: ("pid", int), 2: ("cmdline", str), 6: ("process_name", str)},
    "ThreadDescriptor": {1: ("pid", int), 2: ("tid", int), 5: ("thread_name", str)},
}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def fields(data, message):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = SCHEMA[message][tag >> 3]
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
            if kind is int or at > len(data):
                sys.exit(f"{message}.{name}: bytes")
            value = value.decode() if kind is str else list(fields(value, kind))
        elif tag & 7 or kind is not int:
            sys.exit(f"{message}.{name}: wire type {tag & 7}")
        yield name, value


for _, packet in fields(sys.stdin.buffer.read(), "Trace"):
    print(" ".join(f"{name}={value}" for name, value in packet))
