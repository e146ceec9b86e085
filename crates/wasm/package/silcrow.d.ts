/** The parsers of silcrow, for browsers, node and workers. */

/** A dialect of the protocol. */
export type Dialect = "sigil" | "phase" | "action";

/** An event of an answer, in the schema of section 8 of the protocol. */
export type ParsedEvent =
  | ThinkEvent
  | RespondEvent
  | CallEvent
  | CallTextEvent
  | BlockEvent
  | ExecuteEvent
  | EndEvent
  | ErrorEvent;

interface Stamped {
  /** The time at which it was read, in seconds since 1970. */
  timestamp: number;
}

/** A thought, or with `chunks` a piece of one. */
export interface ThinkEvent extends Stamped {
  type: "think";
  content: string;
  /** The number of the text that a piece belongs to. */
  part?: number;
}

/** An answer, or with `chunks` a piece of one. */
export interface RespondEvent extends Stamped {
  type: "respond";
  content: string;
  part?: number;
  /** False if the answer does not end the turn. */
  final?: false;
  /** Whether it is the text of a call that cannot be read, and no answer. */
  malformed?: true;
  id?: string;
}

/** A whole call. */
export interface CallEvent extends Stamped {
  type: "call";
  id: string;
  /** A JSON object with `name` and `args`. */
  content: string;
  action?: Record<string, unknown>;
}

/** A piece of a call that is being written, with `callText`. */
export interface CallTextEvent extends Stamped {
  type: "call_text";
  call: number;
  id?: string;
  name?: string;
  content: string;
}

/** A part of a control block. */
export interface BlockEvent extends Stamped {
  type: "block";
  id: string;
  [member: string]: unknown;
}

/** The execution point: the calls before it run. */
export interface ExecuteEvent extends Stamped {
  type: "execute";
  content?: undefined;
}

/** The model is done. */
export interface EndEvent extends Stamped {
  type: "end";
  content?: undefined;
}

/** Something odd in the text. It is never a reason to stop reading. */
export interface ErrorEvent extends Stamped {
  type: "error";
  code: string;
  content: string;
  scope: "model";
  retry: boolean;
  /** Where it is, in bytes of UTF-8. */
  at?: number;
}

/** The declaration of a tool, as in a request of Chat Completions. */
export type DeclaredTool =
  | { name: string; parameters: object }
  | { type?: string; function: { name: string; parameters: object } };

export interface ParserOptions {
  /** Whether texts come in pieces, at once. Otherwise each comes as a whole. */
  chunks?: boolean;
  /** Whether calls also come in pieces, while they are written. */
  callText?: boolean;
  /** Whether the text begins within a thought that the prompt has opened. */
  openThought?: boolean;
}

export interface WireParserOptions extends ParserOptions {
  /** Whether delimiters of `sigil` count anywhere in a line. */
  inline?: boolean;
}

export interface NativeParserOptions extends ParserOptions {
  /** The tools, whose schemas give types to arguments that have none in the text. */
  tools?: DeclaredTool[];
}

/** A chunk of text, or of UTF-8 that may be cut within a character. */
export type Chunk = string | ArrayBuffer | ArrayBufferView;

/** A parser of one answer of a model. The next answer needs a new one. */
export interface EventParser {
  /** Reads a chunk, and returns the events that are certain. */
  push(chunk: Chunk): readonly ParsedEvent[];
  /** Ends the answer, and returns the events that are left. */
  finish(): readonly ParsedEvent[];
  /** Reads a whole text, or chunks, and iterates over the events. */
  parse(chunks: string | Iterable<Chunk>): IterableIterator<ParsedEvent>;
  /** Reads chunks as they arrive, such as the body of an answer, and iterates over the events. */
  read(chunks: AsyncIterable<Chunk> | Iterable<Chunk> | ReadableStream<Uint8Array>): AsyncIterableIterator<ParsedEvent>;
}

/** What `load` returns. */
export interface Parsers {
  /** A parser of a dialect. */
  Parser: new (dialect?: Dialect, options?: WireParserOptions) => EventParser;
  /** A parser of native forms: of families, with commas between them, or of a model by its name. */
  NativeParser: new (family: string | { model: string }, options?: NativeParserOptions) => EventParser;
  /** Lists the families of native forms, and whether a server has to keep special tokens for them. */
  families(): { name: string; specialTokens: boolean }[];
}

/** Where a module comes from: its address, its bytes, an answer of `fetch`, or a module that was compiled before. */
export type ModuleSource = string | URL | BufferSource | Response | PromiseLike<Response> | WebAssembly.Module;

/** Loads the module once. Without a source it reads `silcrow.wasm` beside this file. */
export function load(source?: ModuleSource): Promise<Parsers>;
