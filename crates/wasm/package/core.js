/** What both entries of the package share: the way to the module, and the parsers. */

const UTF8 = new TextEncoder();
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
/** The kinds of records that are pieces of text. */
const PIECES = [null, "think", "respond", "respond", "respond"];
/** The other kinds, which `output.rs` describes. */
const [WHOLE, CALL_PIECE, NAMED_PIECE, LAST_PIECE, CALL] = [0, 5, 6, 7, 8];
/** Is a part of the kind of a record whose text is a part of the chunk. */
const OF_CHUNK = 16;
/** The numbers of a record. */
const RECORD = 5;

/**
 * Returns the function that loads a module, once for each page, process or worker. `place` returns its address,
 * and `Interface` takes its instance.
 */
export function loader(place, Interface) {
  let loading;
  return function load(source) {
    loading ??= instantiate(source ?? place()).then(
      (instance) => new Interface(instance),
      (why) => {
        loading = undefined;
        throw why;
      },
    );
    return loading;
  };
}

async function instantiate(source) {
  if (source instanceof WebAssembly.Module) return new WebAssembly.Instance(source, {});
  const isPlace = source instanceof URL || typeof source === "string";
  const given = isPlace ? await read(new URL(source, import.meta.url)) : await source;
  const isAnswer = typeof Response === "function" && given instanceof Response;
  const { instance } = await WebAssembly.instantiate(isAnswer ? await given.arrayBuffer() : given, {});
  return instance;
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

/** The parsers of a module. */
export class Parsers {
  constructor(instance) {
    const wasm = new Wasm(instance.exports);
    const readers = new FinalizationRegistry((handle) => wasm.exports.silcrow_close_reader(handle));
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
    this.wasm = wasm;
    /** Lists the families of native forms. */
    this.families = () => {
      wasm.exports.silcrow_families();
      return JSON.parse(wasm.output()).map((one) => ({ name: one.name, specialTokens: one.special_tokens }));
    };
  }
}

/** The memory that both sides share. */
class Wasm {
  constructor(exports) {
    this.exports = exports;
    // A name of the exports is looked up in a table, which a call for each chunk would feel.
    this.push = exports.silcrow_push;
    this.room = 0;
    this.at = 0;
    /** The place of the numbers that say where the output is. */
    this.board = exports.silcrow_board() >>> 2;
    this.bytes = new Uint8Array(exports.memory.buffer);
    this.words = new Uint32Array(exports.memory.buffer);
    this.reserve(SHORT);
  }

  /** Looks at the memory again where it has grown. */
  refresh() {
    if (this.bytes.length === 0) {
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

  /** Writes a short text of ASCII into the input, and returns whether it is one. */
  write(chunk) {
    const { length } = chunk;
    if (length > SHORT) return false;
    const { bytes, at } = this;
    for (let index = 0; index < length; index++) {
      const code = chunk.charCodeAt(index);
      if (code > 0x7f) return false;
      bytes[at + index] = code;
    }
    return true;
  }

  /** Writes text or bytes into the input, and returns how many bytes there are. */
  input(chunk) {
    if (typeof chunk !== "string") {
      const given = bytesOf(chunk);
      this.reserve(given.length);
      this.bytes.set(given, this.at);
      return given.length;
    }
    if (this.write(chunk)) return chunk.length;
    this.reserve(chunk.length * 3);
    return UTF8.encodeInto(chunk, this.bytes.subarray(this.at, this.at + this.room)).written;
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
    this.refresh();
    const start = this.words[this.board];
    return this.text(start, start + this.words[this.board + 1]);
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
    this.refresh();
    if (handle < 0) throw new TypeError(this.output());
    return handle;
  }

  /**
   * Returns the events of the last call. `chunk` is the string that it has read, if that is ASCII: its pieces
   * are taken from there. `call` has the name of the call that a parser reads.
   */
  events(count, chunk, call) {
    this.refresh();
    if (count === 0) return NONE;
    const at = this.words[this.board + 2] >>> 2;
    const timestamp = now();
    if (count === 1) return [this.event(at, chunk, call, timestamp)];
    const events = [];
    for (let index = 0; index < count; index++) events.push(this.event(at + RECORD * index, chunk, call, timestamp));
    return events;
  }

  /** Returns the event of a record. */
  event(at, chunk, call, timestamp) {
    const { words } = this;
    const kind = words[at] & ~OF_CHUNK;
    const number = words[at + 1];
    const content = this.content(words[at] !== kind, words[at + 3], words[at + 4], chunk);
    if (kind === CALL_PIECE) return callPiece(number, call.name, content, timestamp);
    if (kind > WHOLE && kind < CALL_PIECE) {
      const event = { type: PIECES[kind], content, part: number, timestamp };
      if (kind > 2) event.final = false;
      if (kind > 3) event.malformed = true;
      return event;
    }
    if (kind === WHOLE) {
      const event = JSON.parse(content);
      event.timestamp = timestamp;
      if (event.type === "call_text") call.name = event.name;
      return event;
    }
    const first = this.content(false, words[at + 2], words[at + 3], chunk);
    if (kind === CALL) return { type: "call", id: first, content, timestamp };
    if (kind === NAMED_PIECE) return callPiece(number, (call.name = first), content, timestamp);
    if (kind !== LAST_PIECE) return { type: "execute", timestamp };
    const { name } = call;
    return name === undefined
      ? { type: "call_text", call: number, id: first, content, timestamp }
      : { type: "call_text", call: number, id: first, name, content, timestamp };
  }

  /** Returns a text of the chunk or of the output. */
  content(isOfChunk, start, end, chunk) {
    if (!isOfChunk) {
      const output = this.words[this.board];
      return this.text(output + start, output + end);
    }
    if (chunk === undefined) return this.text(this.at + start, this.at + end);
    return end - start === chunk.length ? chunk : chunk.slice(start, end);
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
    const wasm = this.#wasm;
    const handle = this.#handle;
    if (typeof chunk === "string" && handle !== undefined && this.#half === "" && wasm.write(chunk)) {
      const count = wasm.push(handle, chunk.length);
      wasm.refresh();
      return count === 0 ? NONE : wasm.events(count, chunk, this.#call);
    }
    this.#check();
    const whole = typeof chunk === "string" ? this.#whole(chunk) : chunk;
    const length = wasm.input(whole);
    const count = wasm.push(handle, length);
    const isAscii = typeof whole === "string" && length === whole.length;
    return wasm.events(count, isAscii ? whole : undefined, this.#call);
  }

  /** Ends the answer, and returns the events that are left. */
  finish() {
    this.#check();
    const rest = this.#half === "" ? NONE : this.#rest();
    const handle = this.#handle;
    this.#handle = undefined;
    this.#readers.unregister(this);
    const wasm = this.#wasm;
    const last = wasm.events(wasm.exports.silcrow_finish(handle), undefined, this.#call);
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
    return wasm.events(wasm.push(this.#handle, wasm.input(half)), undefined, this.#call);
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

function callPiece(call, name, content, timestamp) {
  return name === undefined
    ? { type: "call_text", call, content, timestamp }
    : { type: "call_text", call, name, content, timestamp };
}

/** Returns the bytes of a chunk that is not a string. */
function bytesOf(chunk) {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError("a chunk is a string or bytes, such as a Uint8Array");
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

/** The time of the task that reads, in seconds; 0 between tasks. The clock costs more than a piece of text. */
let time = 0;

function now() {
  if (time === 0) {
    time = Date.now() / 1000;
    queueMicrotask(() => (time = 0));
  }
  return time;
}

/** Texts up to here are copied in a loop, which is faster than a call of the encoder. */
const SHORT = 48;
const NONE = Object.freeze([]);
