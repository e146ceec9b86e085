/**
 * The parsers, grammars and encoders of silcrow, for browsers, node and workers.
 *
 * `load` reads the WebAssembly beside this file once; everything after it is synchronous. The types are in
 * `silcrow.d.ts`.
 */

const UTF8 = new TextEncoder();
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
/** The kinds of records that are pieces of text; the others are whole events. */
const PIECES = [null, "think", "respond", "respond", "respond"];
const CALL_PIECE = 5;

let loading;

/** Loads the module, once for each page, process or worker. */
export function load(source) {
  loading ??= instantiate(source).catch((why) => {
    loading = undefined;
    throw why;
  });
  return loading;
}

async function instantiate(source) {
  if (source instanceof WebAssembly.Module) return new Silcrow(new WebAssembly.Instance(source, {}));
  const given = source ?? new URL("./silcrow.wasm", import.meta.url);
  const bytes = given instanceof URL || typeof given === "string" ? await read(new URL(given, import.meta.url)) : await given;
  if (typeof Response === "function" && bytes instanceof Response) {
    const { instance } = await WebAssembly.instantiate(await bytes.arrayBuffer(), {});
    return new Silcrow(instance);
  }
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Silcrow(instance);
}

async function read(url) {
  if (url.protocol !== "file:") {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
  }
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}

/** What `load` returns. */
class Silcrow {
  constructor(instance) {
    const wasm = new Wasm(instance.exports);
    const readers = new FinalizationRegistry((handle) => wasm.exports.silcrow_close_reader(handle));
    const encoders = new FinalizationRegistry((handle) => wasm.exports.silcrow_close_encoder(handle));
    this.Parser = class Parser extends EventParser {
      constructor(dialect = "sigil", options = {}) {
        super(wasm, readers, { ...options, form: dialect });
      }
    };
    this.NativeParser = class NativeParser extends EventParser {
      constructor(family, options = {}) {
        const form = typeof family === "string" ? { form: family } : { model: family.model };
        super(wasm, readers, { ...options, ...form });
      }
    };
    this.Encoder = class Encoder extends RunEncoder {
      constructor(protocol, options = {}) {
        super(wasm, encoders, { ...options, protocol });
      }
    };
    this.wasm = wasm;
  }

  /** Writes events as the text of a dialect. */
  write(events, dialect = "sigil", { inline = false } = {}) {
    const lines = [{ form: dialect, inline }, ...events].map((one) => JSON.stringify(one));
    return this.wasm.ask("silcrow_write", lines.join("\n"));
  }

  /** Writes a grammar for constrained decoding. */
  grammar(dialect = "sigil", { format = "gbnf", tools } = {}) {
    return this.wasm.ask("silcrow_grammar", JSON.stringify({ form: dialect, format, tools }));
  }

  /** Lists the families of native forms. */
  families() {
    this.wasm.exports.silcrow_families();
    return JSON.parse(this.wasm.output()).map((one) => ({
      name: one.name,
      specialTokens: one.special_tokens,
    }));
  }
}

/** The memory that both sides share. */
class Wasm {
  constructor(exports) {
    this.exports = exports;
    this.room = 0;
    this.at = 0;
    this.bytes = new Uint8Array(exports.memory.buffer);
    this.words = new Uint32Array(exports.memory.buffer);
  }

  /** Looks at the memory again where it has grown. */
  refresh() {
    if (this.bytes.byteLength === 0) {
      this.bytes = new Uint8Array(this.exports.memory.buffer);
      this.words = new Uint32Array(this.exports.memory.buffer);
    }
  }

  reserve(length) {
    if (length > this.room) {
      this.at = this.exports.silcrow_input(length);
      this.room = length;
    }
    this.refresh();
  }

  /** Writes text or bytes into the input, and returns how many bytes there are. */
  input(chunk) {
    if (typeof chunk !== "string") {
      this.reserve(chunk.length);
      this.bytes.set(chunk, this.at);
      return chunk.length;
    }
    this.reserve(chunk.length * 3);
    const { bytes, at } = this;
    if (chunk.length <= SHORT) {
      let index = 0;
      for (; index < chunk.length; index++) {
        const code = chunk.charCodeAt(index);
        if (code > 0x7f) break;
        bytes[at + index] = code;
      }
      if (index === chunk.length) return index;
    }
    return UTF8.encodeInto(chunk, bytes.subarray(at, at + this.room)).written;
  }

  /** Returns a part of the memory as text. */
  text(start, end) {
    if (end - start <= SHORT) {
      let text = "";
      for (let index = start; index < end; index++) {
        const code = this.bytes[index];
        if (code > 0x7f) return TEXT.decode(this.bytes.subarray(start, end));
        text += String.fromCharCode(code);
      }
      return text;
    }
    return TEXT.decode(this.bytes.subarray(start, end));
  }

  output() {
    const start = this.exports.silcrow_output();
    this.refresh();
    return this.text(start, start + this.exports.silcrow_output_length());
  }

  /** Calls a function that takes a text and returns whether the output is its answer. */
  ask(name, text) {
    const isAnswered = this.exports[name](this.input(text));
    const output = this.output();
    if (!isAnswered) throw new TypeError(output);
    return output;
  }

  /** Opens a reader or an encoder. */
  open(name, options) {
    const handle = this.exports[name](this.input(JSON.stringify(options)));
    if (handle < 0) throw new TypeError(this.output());
    return handle;
  }

  /** Returns the events of the last call. `call` has the name of the call that a parser reads. */
  events(count, call) {
    if (count === 0) return NONE;
    const { exports } = this;
    const output = exports.silcrow_output();
    let at = exports.silcrow_records() >>> 2;
    this.refresh();
    const { words } = this;
    const timestamp = Date.now() / 1000;
    const events = new Array(count);
    for (let index = 0; index < count; index++, at += 4) {
      const kind = words[at];
      const content = this.text(output + words[at + 2], output + words[at + 3]);
      if (kind === 0) {
        const event = JSON.parse(content);
        event.timestamp = timestamp;
        if (event.type === "call_text") call.name = event.name;
        events[index] = event;
        continue;
      }
      if (kind === CALL_PIECE) {
        const { name } = call;
        const number = words[at + 1];
        events[index] =
          name === undefined
            ? { type: "call_text", call: number, content, timestamp }
            : { type: "call_text", call: number, name, content, timestamp };
        continue;
      }
      const event = { type: PIECES[kind], content, part: words[at + 1], timestamp };
      if (kind > 2) event.final = false;
      if (kind > 3) event.malformed = true;
      events[index] = event;
    }
    return events;
  }
}

/** A parser of one answer of a model. */
class EventParser {
  #wasm;
  #readers;
  #handle;
  /** A character that a chunk has cut, as its first half. */
  #half = "";
  /** The call that is being read. */
  #call = { name: undefined };

  constructor(wasm, readers, { chunks, callText, openThought, ...options }) {
    this.#wasm = wasm;
    this.#readers = readers;
    const named = { ...options, chunks, call_text: callText, open_thought: openThought };
    this.#handle = wasm.open("silcrow_open_reader", named);
    readers.register(this, this.#handle, this);
  }

  /** Reads a chunk, and returns the events that are certain. */
  push(chunk) {
    this.#check();
    const whole = typeof chunk === "string" ? this.#whole(chunk) : chunk;
    const wasm = this.#wasm;
    const length = wasm.input(whole);
    return wasm.events(wasm.exports.silcrow_push(this.#handle, length), this.#call);
  }

  /** Ends the answer, and returns the events that are left. */
  finish() {
    this.#check();
    const rest = this.#half === "" ? NONE : this.#rest();
    const handle = this.#handle;
    this.#handle = undefined;
    this.#readers.unregister(this);
    const wasm = this.#wasm;
    const last = wasm.events(wasm.exports.silcrow_finish(handle), this.#call);
    return rest.length === 0 ? last : rest.concat(last);
  }

  /** Reads a whole text, or chunks, and iterates over the events. */
  *parse(chunks) {
    for (const chunk of typeof chunks === "string" ? [chunks] : chunks) yield* this.push(chunk);
    yield* this.finish();
  }

  /** Reads chunks as they arrive, such as the body of an answer, and iterates over the events. */
  async *read(chunks) {
    for await (const chunk of iterate(chunks)) yield* this.push(chunk);
    yield* this.finish();
  }

  #check() {
    if (this.#handle === undefined) throw new Error("the parser is finished; each answer needs a new one");
  }

  #rest() {
    const half = this.#half;
    this.#half = "";
    const wasm = this.#wasm;
    return wasm.events(wasm.exports.silcrow_push(this.#handle, wasm.input(half)), this.#call);
  }

  /** Holds back the first half of a character at the end of a chunk. */
  #whole(chunk) {
    const text = this.#half === "" ? chunk : this.#half + chunk;
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#half = text.slice(-1);
      return text.slice(0, -1);
    }
    this.#half = "";
    return text;
  }
}

/** An encoder of the events of one run for a front end. */
class RunEncoder {
  #wasm;
  #encoders;
  #handle;

  constructor(wasm, encoders, options) {
    this.#wasm = wasm;
    this.#encoders = encoders;
    this.#handle = wasm.open("silcrow_open_encoder", options);
    /** What comes before the events. */
    this.head = wasm.output();
    encoders.register(this, this.#handle, this);
  }

  /** Encodes an event, as the text that is sent. */
  push(event) {
    return this.#encode(event, false);
  }

  /** Takes an event that the client knows. */
  skip(event) {
    this.#encode(event, true);
  }

  /** Encodes the end of the run. */
  end(end = { outcome: "answered" }) {
    const handle = this.#open();
    const isEnd = this.#wasm.exports.silcrow_end_encoder(handle, this.#wasm.input(JSON.stringify(end)));
    const output = this.#wasm.output();
    if (!isEnd) throw new TypeError(output);
    this.#handle = undefined;
    this.#encoders.unregister(this);
    return output;
  }

  #encode(event, isKnown) {
    const handle = this.#open();
    const isEvent = this.#wasm.exports.silcrow_encode(handle, this.#wasm.input(JSON.stringify(event)), isKnown);
    const output = this.#wasm.output();
    if (!isEvent) throw new TypeError(output);
    return output;
  }

  #open() {
    if (this.#handle === undefined) throw new Error("the run has ended; each run needs a new encoder");
    return this.#handle;
  }
}

/** Iterates over a stream also where streams are not iterable. */
async function* iterate(chunks) {
  if (Symbol.asyncIterator in chunks || Symbol.iterator in chunks) {
    yield* chunks;
    return;
  }
  const reader = chunks.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    reader.releaseLock();
  }
}

/** Texts up to here are copied in a loop, which is faster than a call of the encoder. */
const SHORT = 48;
const NONE = Object.freeze([]);
