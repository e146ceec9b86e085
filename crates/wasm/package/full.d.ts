/** The parsers, grammars and encoders of silcrow, for browsers, node and workers. */

import type { Dialect, ModuleSource, Parsers } from "./silcrow.js";

export type * from "./silcrow.js";

/** What has happened in a run, as `silcrow run --json` prints it. */
export type RunEvent = { type: string; [member: string]: unknown };

/** The end of a run. */
export type RunEnd =
  | { outcome: "answered" | "stopped" | "waiting" }
  | { outcome: "failed"; code: string; content: string };

export type EncoderOptions =
  | { conversation?: string }
  | { conversation?: string; version?: "5" | "6" | "7" }
  | { conversation?: string; request: object }
  | { conversation?: string; id?: string; model?: string; created?: number; usage?: boolean }
  | { conversation?: string; id?: string; model?: string; created?: number; calls?: "mcp" | "function" };

/** An encoder of the events of one run for a front end. It writes the bytes of server-sent events. */
export interface Encoder {
  /** What is sent before the events. */
  readonly head: string;
  /** Encodes an event, as the text that is sent. It is empty if the protocol has nothing for the event. */
  push(event: RunEvent): string;
  /** Takes an event that the client knows already. */
  skip(event: RunEvent): void;
  /** Encodes the end of the run. */
  end(end?: RunEnd): string;
}

/** What `load` returns. */
export interface Silcrow extends Parsers {
  /** An encoder for a front end. */
  Encoder: new (
    protocol: "native" | "ag-ui" | "ai-sdk" | "chat-completions" | "responses",
    options?: EncoderOptions,
  ) => Encoder;
  /** Writes events as the text of a dialect, which is parsed as the same events. */
  write(events: Iterable<{ type: string } | Record<string, unknown>>, dialect?: Dialect, options?: { inline?: boolean }): string;
  /** Writes a grammar for constrained decoding, for these names of tools or for any. */
  grammar(dialect?: Dialect, options?: { format?: "gbnf" | "lark"; tools?: string[] }): string;
}

/** Loads the module once. Without a source it reads `full.wasm` beside this file. */
export function load(source?: ModuleSource): Promise<Silcrow>;
