# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `patchbay dump --otlp`, decoded by OpenTelemetry's message classes, with --json.

    compare-otlp.py OTLP JSON
"""
import collections
import json
import sys
import time

from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

request = ExportTraceServiceRequest()
with open(sys.argv[1], "rb") as file:
    request.ParseFromString(file.read())
if len(UnknownFieldSet(request)):
    sys.exit("there are unknown fields")
with open(sys.argv[2], encoding="utf-8") as file:
    calls = [json.loads(line) for line in file]


def values(attributes):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in attributes}


spans, parents, rows, offsets = {}, {}, [], set()
for of_resource in request.resource_spans:
    resource = values(of_resource.resource.attributes)
    for of_scope in of_resource.scope_spans:
        if of_scope.scope.name != "patchbay" or not of_scope.scope.version:
            sys.exit(f"scope {of_scope.scope}")
        for span in of_scope.spans:
            if len(span.trace_id) != 16 or len(span.span_id) != 8 or span.span_id in spans:
                sys.exit(f"ids of {span}")
            spans[span.span_id] = span
            rows.append((resource, span))


def depth(span):
    return 1 + depth(spans[span.parent_span_id]) if span.parent_span_id else 0


start_of = collections.Counter()
for resource, span in rows:
    own = values(span.attributes)
    if span.parent_span_id:
        parent = spans[span.parent_span_id]
        if parent.trace_id != span.trace_id or not (
                parent.start_time_unix_nano <= span.start_time_unix_nano <=
                span.end_time_unix_nano <= parent.end_time_unix_nano):
            sys.exit(f"{span} is not within {parent}")
    start_of[resource["process.pid"], own["thread.id"], own["thread.name"],
             own["code.function.name"], own.get("patchbay.kind", "returned"), depth(span),
             resource["host.name"], own.get("patchbay.result"), span.name,
             span.start_time_unix_nano] += 1
first = min(span.start_time_unix_nano for _, span in rows) - min(c["start_ns"] for c in calls)
# OTLP encodes these fields as strings. The values of this test are small integers.
wanted = collections.Counter(
    (c["pid"], c["tid"], c["thread"], c["function"], c["kind"], c["depth"], c["host"],
     str(c["result"]) if "result" in c else None, c["function"], c["start_ns"] + first) for c in calls)
if wanted != start_of:
    sys.exit(f"differ: {list((wanted - start_of).items())[:3]} {list((start_of - wanted).items())[:3]}")
for call in calls:
    offsets.add(call["kind"])
traces = {span.trace_id for _, span in rows}
failed = sum(span.status.code == span.status.STATUS_CODE_ERROR for _, span in rows)
now = abs(time.time_ns() - max(span.end_time_unix_nano for _, span in rows)) < 3600 * 10**9
print(f"{len(rows)} spans agree, of {len(request.resource_spans)} messages, {len(traces)} traces, "
      f"{failed} failed, {'of now' if now else 'of another time'}: {' '.join(sorted(offsets))}")
