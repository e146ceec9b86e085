/**
 * The parsers, grammars and encoders of silcrow, for browsers, node and workers.
 *
 * `load` reads the WebAssembly beside this file once; everything after it is synchronous. The types are in
 * `full.d.ts`.
 */

import { Parsers, loader } from "./core.js";

/** The parsers, and what writes. */
class Silcrow extends Parsers {
  constructor(instance) {
    super(instance);
    const { wasm } = this;
    const encoders = new FinalizationRegistry((handle) => wasm.exports.silcrow_close_encoder(handle));
    this.Encoder = class Encoder extends RunEncoder {
      constructor(protocol, options = {}) {
        super(wasm, encoders, { ...options, protocol });
      }
    };
    /** Writes events as the text of a dialect. */
    this.write = (events, dialect = "sigil", { inline = false } = {}) => {
      const lines = [{ form: dialect, inline }, ...events].map((one) => JSON.stringify(one));
      return wasm.ask("silcrow_write", lines.join("\n"));
    };
    /** Writes a grammar for constrained decoding. */
    this.grammar = (dialect = "sigil", { format = "gbnf", tools } = {}) =>
      wasm.ask("silcrow_grammar", JSON.stringify({ form: dialect, format, tools }));
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

export const load = loader(() => new URL("./full.wasm", import.meta.url), Silcrow);
