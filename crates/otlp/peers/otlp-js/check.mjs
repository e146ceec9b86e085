// Has the transformer of OpenTelemetry for JavaScript write the spans that it reads in our JSON: it
// writes the same JSON.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";

const program = `${process.env.SILCROW_PROGRAMS}/examples/exports`;
const ours = JSON.parse(execFileSync(program, ["traces", "json"], { encoding: "utf8" }));

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

const [{ resource, scopeSpans }] = ours.resourceSpans;
const shared = {
  resource: { attributes: attributes(resource.attributes) },
  instrumentationScope: scopeSpans[0].scope,
  events: [],
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
};
const spans = scopeSpans[0].spans.map((span) => ({
  ...shared,
  name: span.name,
  kind: span.kind - 1,
  spanContext: () => ({ traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }),
  parentSpanContext: span.parentSpanId && { spanId: span.parentSpanId },
  startTime: time(span.startTimeUnixNano),
  endTime: time(span.endTimeUnixNano),
  attributes: attributes(span.attributes),
  status: { code: span.status.code ?? 0, message: span.status.message },
  links: [],
}));

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

// The serializer of a group of spans takes one resource.
spans.forEach((span) => (span.resource = spans[0].resource));
const theirs = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans)));
assert.deepEqual(normal(theirs), normal(ours));
assert.equal(spans.length, 9);
assert.ok(ProtobufTraceSerializer.serializeRequest(spans).length > 1000);
