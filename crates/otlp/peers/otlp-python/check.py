"""The messages of OpenTelemetry for Python read our bytes, and agree with our JSON."""

import base64
import json
import os
import subprocess

from google.protobuf.json_format import MessageToDict
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PROGRAM = os.path.join(os.environ["SILCROW_PROGRAMS"], "examples", "exports")
IDS = ("traceId", "spanId", "parentSpanId")


def export(*args):
    """Returns what the example `exports` prints."""
    return subprocess.run([PROGRAM, *args], check=True, capture_output=True).stdout


def check_known(message):
    """Checks that a message and all within it have no field that the schema lacks."""
    assert not len(UnknownFieldSet(message)), type(message)
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                check_known(inner)


def in_hex(value):
    """Writes ids as OTLP/JSON does, where the JSON of protobuf has base64."""
    if isinstance(value, list):
        return [in_hex(item) for item in value]
    if not isinstance(value, dict):
        return value
    as_hex = lambda text: base64.b64decode(text).hex()
    return {key: as_hex(item) if key in IDS else in_hex(item) for key, item in value.items()}


def as_numbers(value):
    """Reads what JSON writes as a text or as a number, and as an integer or with a point."""
    if isinstance(value, list):
        return [as_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: as_numbers(item) for key, item in value.items()}
    return float(value) if type(value) in (int, float) else value


for signal, request in (("traces", ExportTraceServiceRequest), ("metrics", ExportMetricsServiceRequest)):
    message = request.FromString(export(signal, "protobuf"))
    check_known(message)
    decoded = in_hex(MessageToDict(message, use_integers_for_enums=True))
    assert as_numbers(decoded) == as_numbers(json.loads(export(signal, "json"))), signal

spans = ExportTraceServiceRequest.FromString(export("traces", "protobuf"))
spans = spans.resource_spans[0].scope_spans[0].spans
names = sorted(span.name for span in spans)
assert names == [
    "chat",
    "chat",
    "chat gpt-5",
    "chat gpt-5",
    "execute_tool clerk",
    "execute_tool web_scrape",
    "execute_tool web_search",
    "invoke_agent clerk",
    "invoke_agent silcrow",
], names
assert all(len(span.trace_id) == 16 and len(span.span_id) == 8 for span in spans)
ids = {span.span_id for span in spans}
roots = [span for span in spans if span.parent_span_id not in ids]
assert [root.name for root in roots] == ["invoke_agent silcrow"]
failed = [span.name for span in spans if span.status.code == span.status.STATUS_CODE_ERROR]
assert failed == ["execute_tool web_scrape"], failed
