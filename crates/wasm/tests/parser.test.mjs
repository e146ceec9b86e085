// What the package of npm does, in node: `node --test crates/wasm/tests`, after `cargo dist bindings wasm`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load, loadParsers, random, texts } from "./package.mjs";

const silcrow = await load();

/** Reads chunks, without the time of the events. */
function read(form, chunks, options) {
  const parser = ["sigil", "phase", "action"].includes(form)
    ? new silcrow.Parser(form, options)
    : new silcrow.NativeParser(form, options);
  return [...parser.parse(chunks)].map(({ timestamp, ...event }) => {
    assert.ok(timestamp > 1.7e9);
    return event;
  });
}

/** Joins neighbours that are pieces of one text. */
function joined(events) {
  const all = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.part && last?.part === event.part) last.content += event.content;
    else all.push({ ...event });
  }
  return all;
}

test("the example of the first page", () => {
  const events = read("sigil", ["§thi", "nk: easy\n§resp", "ond: It is 4.\n§end"]);
  assert.deepEqual(events, [
    { type: "think", content: "easy" },
    { type: "respond", content: "It is 4." },
    { type: "end" },
  ]);
});

test("the module of the parsers alone reads as the full one does", async () => {
  const small = await loadParsers();
  assert.deepEqual(small.families(), silcrow.families());
  assert.equal(small.Encoder, undefined);
  const { Parser, NativeParser } = small;
  for (const [form, text] of texts()) {
    const parser = ["sigil", "phase", "action"].includes(form) ? new Parser(form) : new NativeParser(form);
    const events = [...parser.parse(text)].map(({ timestamp, ...event }) => event);
    assert.deepEqual(events, read(form, text), text);
  }
});

test("pieces that are parts of a chunk, of ASCII, of other characters and of bytes, are the same", () => {
  const texts = ["I need to ana", "I néed to 😀 ana", `${"long ".repeat(40)}é${" and on".repeat(40)}`];
  for (const text of texts) {
    for (const chunk of [text, new TextEncoder().encode(text)]) {
      const parser = new silcrow.Parser("sigil", { chunks: true });
      const events = [...parser.push("§respond: "), ...parser.push(chunk), ...parser.push(chunk), ...parser.finish()];
      assert.equal(events.map((event) => event.content).join(""), text + text);
    }
  }
});

test("pieces come at once, and calls are whole", () => {
  const parser = new silcrow.Parser("sigil", { chunks: true, callText: true });
  const [piece] = parser.push("§think: I need");
  assert.equal(piece.content, "I need");
  assert.deepEqual(parser.push(" to ana").map((event) => event.content), [" to ana"]);
  parser.push('\n§call: {"name":"file_read","args":{"file":"a.py"}}');
  const events = [...parser.push("\n§execute\n"), ...parser.finish()];
  assert.ok(events.some((event) => event.type === "execute"));
  assert.throws(() => parser.push("x"), /is finished/);
});

test("pieces of calls have the call and its name, also of two parsers in turn", () => {
  const text = '<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>'.repeat(2);
  const parsers = ["ls", "rm"].map((name) => [name, new silcrow.NativeParser("hermes", { callText: true })]);
  const read = new Map(parsers.map(([name]) => [name, []]));
  for (let at = 0; at < text.length; at++) {
    for (const [name, parser] of parsers) read.get(name).push(...parser.push(text.replaceAll('"ls"', `"${name}"`).slice(at, at + 1)));
  }
  for (const [name, parser] of parsers) read.get(name).push(...parser.finish());
  for (const [name, events] of read) {
    const pieces = events.filter((event) => event.type === "call_text");
    assert.ok(pieces.length > 10 && pieces.every((piece) => piece.name === name || !("name" in piece)), name);
    assert.deepEqual([...new Set(pieces.map((piece) => piece.call))], [1, 2]);
    const first = pieces.filter((piece) => piece.call === 1).map((piece) => piece.content);
    assert.equal(first.join(""), '{"path": "src"}');
  }
});

test("events of calls have their members in the order of the protocol", () => {
  const options = { chunks: true, callText: true };
  const parser = new silcrow.NativeParser("hermes", options);
  const all = ['<tool_call>{"name": "ls", "arg', 'uments": {"a": "é', '"}}</tool_call>'].flatMap((chunk) => [...parser.push(chunk)]);
  const events = [...all, ...parser.finish()];
  const shapes = events.map((event) => [event.type, Object.keys(event).slice(1, -1).join(" ")]);
  const piece = ["call_text", "call name content"];
  assert.deepEqual(shapes, [piece, piece, ["call_text", "call id name content"], ["call", "id content"], ["execute", ""]]);
  assert.ok(events.every((event) => Object.keys(event).at(-1) === "timestamp"));
  const [last, call] = events.slice(2);
  assert.deepEqual([last.id, last.name, last.content], [call.id, "ls", ""]);
  assert.deepEqual(JSON.parse(call.content), { name: "ls", args: { a: "é" } });
  const action = '<action id="x">{"name": "f", "parameters": {}, "output_key": "o"}</action>';
  assert.equal(read("action", action)[0].action.output_key, "o");
});

test("what is no chunk is refused, and bytes of every kind are chunks", () => {
  const bytes = new TextEncoder().encode("ab");
  assert.equal(read("phase", [bytes.buffer, new DataView(bytes.buffer), Buffer.from(bytes)])[0].content, "ababab");
  for (const wrong of [undefined, null, 3, {}, [97]]) {
    assert.throws(() => new silcrow.Parser().push(wrong), /a chunk is a string or bytes/);
  }
});

test("L-1: the events are the same wherever a text is cut, in characters and in bytes", () => {
  const next = random(7);
  for (const [form, text] of texts()) {
    const whole = read(form, text);
    const pieces = joined(read(form, text, { chunks: true }));
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= text.length; at++) {
      const cut = [text.slice(0, at), text.slice(at)];
      assert.deepEqual(read(form, cut), whole, `${form} at ${at}: ${text}`);
      assert.deepEqual(joined(read(form, cut, { chunks: true })), pieces, `${form} at ${at}: ${text}`);
    }
    for (let round = 0; round < 20; round++) {
      const chunks = [];
      for (let at = 0; at < bytes.length; ) {
        const end = Math.min(bytes.length, at + 1 + next(6));
        chunks.push(bytes.subarray(at, end));
        at = end;
      }
      assert.deepEqual(read(form, chunks), whole, `${form} in bytes: ${text}`);
    }
  }
});

test("a byte order mark, halves of characters and long texts survive", () => {
  const long = "é".repeat(70_000) + "😀";
  const [event] = read("phase", [...long].flatMap((one) => one.split("")));
  assert.equal(event.content, long);
  assert.equal(read("phase", ["a\ufeffb"])[0].content, "a\ufeffb");
  assert.equal(joined(read("phase", ["a", "\ufeff", "b"], { chunks: true }))[0].content, "a\ufeffb");
  assert.equal(read("phase", ["a\ud83d"])[0].content, "a\ufffd");
});

test("native forms are found by their names or by the model, with types from schemas", () => {
  const text = "<think>hm</think><tool_call>\n<function=head>\n<parameter=lines>\n3\n</parameter>\n</function>";
  const parameters = { type: "object", properties: { lines: { type: "integer" } } };
  const tools = [{ type: "function", function: { name: "head", parameters } }];
  const parser = new silcrow.NativeParser({ model: "Qwen/Qwen3-Coder-30B" }, { tools });
  const [thought, call] = [...parser.parse(text)];
  assert.equal(thought.content, "hm");
  assert.deepEqual(JSON.parse(call.content), { name: "head", args: { lines: 3 } });
  assert.ok(silcrow.families().length > 60);
  assert.throws(() => new silcrow.NativeParser("hermse"), /`hermse` is neither a dialect/);
});

test("what is written is parsed again (L-4), and a grammar names the tools", () => {
  const events = [
    { type: "think", content: "§end is a word" },
    { type: "call", id: "a1", content: '{"name": "ls", "args": {}}' },
    { type: "execute" },
  ];
  for (const dialect of ["sigil", "phase", "action"]) {
    const text = silcrow.write(events, dialect);
    const again = read(dialect, text);
    assert.equal(again[0].content, events[0].content, text);
    assert.ok(again.some((event) => event.type === "call"), text);
  }
  assert.throws(() => silcrow.write([{ type: "think", content: "a" }, { kind: 1 }]), /event 2/);
  assert.match(silcrow.grammar("sigil", { tools: ["ls"] }), /"\\"ls\\""/);
});

test("an encoder writes what the server writes", () => {
  const encoder = new silcrow.Encoder("ai-sdk", { conversation: "sums", version: "6" });
  const events = ["2 + 2?", "Four."].map((content, index) => ({
    type: index === 0 ? "user" : "respond",
    content,
    turn: 1,
    seq: index + 1,
  }));
  const out = encoder.head + events.map((event) => encoder.push(event)).join("") + encoder.end();
  assert.match(out, /^data: \{"type":"start","messageId":"a1"\}\n\n/);
  assert.ok(out.includes('data: {"type":"text-delta","id":"t1-1","delta":"Four."}'));
  assert.ok(out.endsWith("data: [DONE]\n\n"));
  assert.throws(() => encoder.end(), /has ended/);
  assert.throws(() => new silcrow.Encoder("gopher"), /unknown protocol `gopher`/);
  const responses = new silcrow.Encoder("responses", { conversation: "sums", id: "resp_7", model: "mine" });
  const sent = responses.head + events.map((event) => responses.push(event)).join("") + responses.end();
  assert.ok(sent.startsWith("event: response.created\n"), sent);
  assert.match(sent, /"id":"resp_7".*"model":"mine"/);
  assert.ok(sent.includes("event: response.output_text.delta") && sent.includes("event: response.completed"), sent);
  assert.throws(() => new silcrow.Encoder("responses", { calls: "none" }), /use mcp or function/);
  for (const protocol of ["native", "chat-completions", "responses"]) {
    assert.ok(new silcrow.Encoder(protocol).end({ outcome: "failed", code: "x", content: "y" }).length > 0);
  }
});

test("parsers that are dropped leave nothing behind", () => {
  const memory = silcrow.wasm.exports.memory;
  for (let round = 0; round < 2_000; round++) read("sigil", "§respond: a\n§end");
  const before = memory.buffer.byteLength;
  for (let round = 0; round < 20_000; round++) read("sigil", "§respond: a\n§end");
  assert.equal(memory.buffer.byteLength, before);
});

test("a stream is read as it arrives", async () => {
  const body = new Response("§respond: from the network\n§end").body;
  const events = [];
  for await (const event of new silcrow.Parser().read(body)) events.push(event.type);
  assert.deepEqual(events, ["respond", "end"]);
});
