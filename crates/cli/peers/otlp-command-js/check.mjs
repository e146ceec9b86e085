// Has the transformer of OpenTelemetry for JavaScript write the spans that the command sends and
// exports: it writes the same JSON.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";

const program = `${process.env.SILCROW_PROGRAMS}/silcrow`;
const folder = mkdtempSync(join(tmpdir(), "otlp-"));
const script = `§call: {"name":"file_list","args":{"path":"."}}
§execute
%%
§respond: Nothing here.
§end
`;
writeFileSync(join(folder, "script"), script);

/** The bodies that a collector has got, by their paths. */
const received = {};
const server = createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    assert.equal(request.headers["content-type"], "application/json");
    received[request.url] = JSON.parse(Buffer.concat(pieces));
    response.end("{}");
  });
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

async function silcrow(args, more) {
  const places = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];
  const homes = Object.fromEntries(places.map((name) => [name, folder]));
  const env = { PATH: process.env.PATH, ...homes, ...more };
  return (await promisify(execFile)(program, args, { cwd: folder, env })).stdout;
}

const said = await silcrow(["run", "What is here?", "--model", "script:script", "--new", "c1"], {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.address().port}`,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
});
assert.equal(said, "Nothing here.\n");
const exported = JSON.parse(await silcrow(["log", "export", "c1", "--format", "otlp-json"], {}));
server.close();

/** Returns the value of an attribute as a program has it. */
function plain({ stringValue, boolValue, intValue, doubleValue, arrayValue }) {
  if (arrayValue) return arrayValue.values.map(plain);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

function attributes(list) {
  return Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));
}

function time(nanos) {
  return [Number(BigInt(nanos) / 1_000_000_000n), Number(BigInt(nanos) % 1_000_000_000n)];
}

/** Returns what the transformer makes of the spans of a request. */
function rewritten(request) {
  const [{ resource, scopeSpans }] = request.resourceSpans;
  const shared = { attributes: attributes(resource.attributes) };
  const spans = scopeSpans[0].spans.map((span) => ({
    name: span.name,
    kind: span.kind - 1,
    spanContext: () => ({ traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }),
    parentSpanContext: span.parentSpanId && { spanId: span.parentSpanId },
    startTime: time(span.startTimeUnixNano),
    endTime: time(span.endTimeUnixNano),
    attributes: attributes(span.attributes),
    status: { code: span.status.code ?? 0 },
    resource: shared,
    instrumentationScope: scopeSpans[0].scope,
    events: [],
    links: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }));
  return JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans)));
}

/** Leaves out what has its default, and writes integers as texts. */
function normal(value, key) {
  if (Array.isArray(value)) return value.map((item) => normal(item));
  if (value === null || typeof value !== "object") return key === "intValue" ? String(value) : value;
  const members = Object.entries(value)
    .filter(([key]) => !/^dropped|^flags$|^schemaUrl$/.test(key))
    .map(([key, member]) => [key, normal(member, key)])
    .filter(([key, member]) => {
      const isEmpty = member === undefined || (Array.isArray(member) && !member.length);
      return !isEmpty && !(key === "code" && member === 0);
    });
  return Object.fromEntries(members);
}

const live = received["/v1/traces"];
for (const request of [live, exported]) {
  assert.deepEqual(normal(rewritten(request)), normal(request));
  const spans = request.resourceSpans[0].scopeSpans[0].spans;
  const names = spans.map((span) => span.name.split(" ")[0]).sort();
  assert.deepEqual(names, ["chat", "chat", "execute_tool", "invoke_agent"]);
}
const ids = (request) => request.resourceSpans[0].scopeSpans[0].spans.map((span) => span.spanId).sort();
assert.deepEqual(ids(live), ids(exported));
