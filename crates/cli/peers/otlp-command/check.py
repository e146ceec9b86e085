"""The messages of OpenTelemetry for Python read what the command sends and what it exports."""

import gzip
import os
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

SILCROW = os.path.join(os.environ["SILCROW_PROGRAMS"], "silcrow")
CALLER = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
SCRIPT = """§call: {"name":"file_list","args":{"path":"."}}
§execute
%%
§respond: Nothing here.
§end
"""
received = []


class Collector(BaseHTTPRequestHandler):
    """Takes everything, as a collector does."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        assert self.headers["content-type"] == "application/x-protobuf"
        if self.headers["content-encoding"] == "gzip":
            body = gzip.decompress(body)
        received.append((self.path, body))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def spans_of(body):
    """Returns the spans of a request by their names."""
    request = ExportTraceServiceRequest.FromString(body)
    (resource,) = request.resource_spans
    names = {item.key: item.value.string_value for item in resource.resource.attributes}
    assert names["service.name"] == "desk", names
    return list(resource.scope_spans[0].spans)


def shape(spans):
    """Returns what an export and a live run have in common."""
    return sorted((span.span_id.hex(), span.parent_span_id.hex(), span.trace_id.hex()) for span in spans)


server = HTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=server.serve_forever, daemon=True).start()

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "script"), "w") as script:
        script.write(SCRIPT)
    env = {
        "PATH": os.environ["PATH"],
        "XDG_DATA_HOME": folder,
        "XDG_CONFIG_HOME": folder,
        "XDG_STATE_HOME": folder,
        "OTEL_SERVICE_NAME": "desk",
    }
    sending = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        "TRACEPARENT": f"00-{CALLER[0]}-{CALLER[1]}-01",
    }

    def silcrow(*args, **more):
        run = subprocess.run([SILCROW, *args], env=env | more, cwd=folder, capture_output=True)
        assert run.returncode == 0, run.stderr.decode()
        return run.stdout

    said = silcrow("run", "What is here?", "--model", "script:script", "--new", "c1", **sending)
    assert said == b"Nothing here.\n", said
    live = [span for path, body in received if path == "/v1/traces" for span in spans_of(body)]
    exported = spans_of(silcrow("log", "export", "c1", "--otlp"))

names = sorted(span.name.split(" ")[0] for span in live)
assert names == ["chat", "chat", "execute_tool", "invoke_agent"], names
assert shape(live) == shape(exported)
assert all(span.trace_id.hex() == CALLER[0] for span in live)
(run,) = [span for span in live if span.name == "invoke_agent silcrow"]
assert run.parent_span_id.hex() == CALLER[1]
for span in live:
    assert run.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
    assert span is run or span.parent_span_id == run.span_id
assert b"What is here?" not in b"".join(body for _, body in received)

(metrics,) = [body for path, body in received if path == "/v1/metrics"]
metrics = ExportMetricsServiceRequest.FromString(metrics).resource_metrics[0].scope_metrics[0].metrics
durations = {metric.name: metric.histogram.data_points[0].count for metric in metrics}
assert durations["gen_ai.client.operation.duration"] == 2, durations
assert durations["gen_ai.execute_tool.duration"] == 1, durations
