// Tries the package with hostile texts and chunks, for some seconds:
// `node --expose-gc crates/wasm/campaigns/hostile.mjs 3600 [SEED]`, after `cargo dist bindings wasm`.
//
// It prints each failure with its seed, and after each minute the memory of the module and of the process. It ends
// with 1 if anything failed or grew.

import assert from "node:assert/strict";

import { load, loadParsers, random } from "../tests/package.mjs";

const PARTS = [
  "§think: ", "§respond: ", "§call: ", "§execute\n", "§end", "§§", "§", "\n", "```\n", "{", "}", '"', "\\", "\\u00e9",
  '{"name": "f", "args": {"x": 1}}', '{"name": 3}', "[", "]", ",", "<think>", "</think>", "<execute>", "</execute>",
  "<thought>", "</thought>", "<response>", "</response>", '<action id="a">', "</action>", '<foreach in="x" as="y">',
  "</foreach>", "<tool_call>", "</tool_call>", '{"name": "f", "arguments": {"a": [1, "é"]}}', "<function=f>",
  "<parameter=x>", "</parameter>", "</function>", "[TOOL_CALLS]", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
  "<|channel|>", "<|message|>", "<|call|>", "text ", "é", "😀", "\ufeff", "\u202e", "\0", "\x1b[2J", "\ud83d", "\udc00",
  "0".repeat(400), "[".repeat(300), "word ".repeat(60),
];

const seconds = Number(process.argv[2]);
let seed = Number(process.argv[3] ?? Date.now() % 1e9);
const modules = [await load(), await loadParsers()];
const forms = ["sigil", "phase", "action", ...modules[0].families().map((one) => one.name)];
const isDialect = (form) => ["sigil", "phase", "action"].includes(form);

/** Cuts a text, in characters or in bytes. */
function cut(next, data) {
  const longest = [1, 2, 4, 9, 100][next(5)];
  const chunks = [];
  for (let at = 0; at < data.length; ) {
    const end = Math.min(data.length, at + 1 + next(longest));
    chunks.push(data.slice(at, end));
    at = end;
  }
  return chunks;
}

function open(module, form, options) {
  return isDialect(form) ? new module.Parser(form, options) : new module.NativeParser(form, options);
}

/** Reads chunks as events without their times, whose pieces are joined. */
function read(module, form, chunks, options) {
  const events = [];
  for (const { timestamp, ...event } of open(module, form, options).parse(chunks)) {
    const last = events.at(-1);
    if (Number.isInteger(event.part) && last?.part === event.part && last.type === event.type) last.content += event.content;
    else if (event.type !== "call_text") events.push(event);
  }
  return events;
}

/** Tries one text: no text fails (L-7), and its cuts change nothing (L-1). */
function attempt(next) {
  const module = modules[next(2)];
  let form = forms[next(forms.length)];
  if (!isDialect(form) && next(10) === 0) form = `${form},${forms[3 + next(forms.length - 3)]}`;
  let data = Array.from({ length: next(40) }, () => PARTS[next(PARTS.length)]).join("");
  if (next(100) === 0) data = data.repeat(next(200));
  if (next(2) === 0) {
    data = new TextEncoder().encode(data);
    if (next(5) === 0) data = data.map((byte) => (next(10) === 0 ? next(256) : byte));
  }
  const chunks = cut(next, data);
  const whole = typeof data === "string" ? data : [data];
  for (const options of [{ openThought: next(5) === 0 }, { chunks: true, callText: true }]) {
    assert.deepEqual(read(module, form, chunks, options), read(module, form, whole, options), form);
  }
  const left = open(module, form, {});
  for (const chunk of chunks.slice(0, next(chunks.length + 1))) left.push(chunk);
  if (next(2) === 0) {
    left.finish();
    assert.throws(() => left.push("x"), /is finished/);
  }
}

/** Returns the megabytes of the modules and of the process. */
async function held() {
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.();
    await new Promise((done) => setTimeout(done, 10));
  }
  const bytes = modules.map((module) => module.wasm.exports.memory.buffer.byteLength);
  const { heapUsed, rss } = process.memoryUsage();
  return [...bytes, heapUsed, rss].map((one) => Math.round(one / 1e5) / 10);
}

const begin = Date.now();
const passed = () => (Date.now() - begin) / 1000;
let [texts, failures, minute, first, last] = [0, 0, 0];
while (passed() < seconds) {
  const next = random(++seed);
  try {
    for (let one = 0; one < 40; one++, texts++) attempt(next);
  } catch (why) {
    failures++;
    console.log(`seed ${seed}: ${String(why.stack).slice(0, 2000)}`);
  }
  // What was dropped is closed between tasks.
  await new Promise((done) => setImmediate(done));
  if (passed() >= 60 * minute) {
    minute++;
    last = await held();
    if (minute <= 3) first = last;
    console.log(`${passed().toFixed()} s, ${texts} texts, ${failures} failures; MB of modules, heap and process: ${last}`);
  }
}
last = await held();
const grown = last.some((one, index) => one > first[index] * 1.2 + 10);
console.log(`after ${passed().toFixed()} s: ${texts} texts, ${failures} failures; MB first ${first}, last ${last}`);
process.exitCode = failures > 0 || grown ? 1 : 0;
