# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-context.py JSON OTLP: checks the trace IDs of the calls of `handle`, and the spans that
--otlp writes for all calls. The script decodes the protobuf bytes without a library."""
import json
import struct
import sys


def fields(data):
    """Yields (number, value) of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 2:
            size = varint()
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, at = struct.unpack("<Q" if size == 8 else "<I", data[at:at + size])[0], at + size
        yield key >> 3, value


def spans(data):
    for _, resource in fields(data):
        for number, scope in fields(resource):
            for kind, span in fields(scope) if number == 2 else ():
                if kind == 2:
                    yield dict(fields(span))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        calls = [json.loads(line) for line in file]
    for call in calls:
        if call["function"] == "handle":
            context = f"{call['trace_id']} {call['parent_span_id']}" if "trace_id" in call else "none"
            args = call["args"]
            print(f"handle {args['nr'] if isinstance(args, dict) else args[0]}: {context}")
    if calls[0]["kind"] == "entry":
        return
    with open(sys.argv[2], "rb") as file:
        all_spans = [*spans(file.read())]
    found = {span[2]: span for span in all_spans}
    assert len(found) == len(all_spans)

    def depth(span):
        return 1 + depth(found[span[4]]) if span.get(4) in found else 0

    # The clock ticks every ten nanoseconds, so a caller and its callee can start at the same time.
    all_spans.sort(key=lambda span: (span[7], depth(span)))
    names, traces, nr = {}, {}, 0
    for span in all_spans:
        name = span[5].decode()
        if name == "handle":
            nr += 1
            name += f" {nr}"
        names[span[2]] = name
        traces.setdefault(span[1], name)
        trace, parent = span[1].hex(), span.get(4)
        if parent is None:
            print(f"{name}: a trace of its own, no parent")
        elif span.get(16) == 0x300:
            print(f"{name}: trace {trace}, parent {parent.hex()}, remote")
        elif traces[span[1]] == "main":
            print(f"{name}: trace of main, parent {names[parent]}")
        else:
            print(f"{name}: trace {trace}, parent {names[parent]}")


if __name__ == "__main__":
    main()
