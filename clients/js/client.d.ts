/** A client of an agent that `silcrow serve` runs, for browsers, node and workers. */

export interface AgentOptions {
  /** The token of the server. */
  token?: string;
  /** Headers of every request. */
  headers?: Record<string, string>;
  /** What sends requests, instead of `fetch`. */
  fetch?: typeof fetch;
}

export interface StreamOptions {
  /**
   * Whether texts come in pieces, as soon as each is certain (true, as it is by default), or each as a whole.
   */
  chunks?: boolean;
  /** Ends the reading. The run goes on, unless `stopOnLeave` says otherwise. */
  signal?: AbortSignal;
  /** Whether a reader that leaves before the end stops the run. */
  stopOnLeave?: boolean;
}

/** A picture, a document or a sound that goes with a prompt. */
export interface PromptFile {
  name?: string;
  /** The bytes in base64. */
  data: string;
}

/** How a run has ended. */
export type Outcome = "answered" | "stopped" | "waiting" | "failed";

/** An event of a run, in the schema of section 8 of the protocol. */
export interface Event {
  type:
    | "user" | "think" | "respond" | "call" | "call_text" | "block" | "execute" | "result" | "progress"
    | "changes" | "approval" | "parked" | "mode" | "person_command" | "hook" | "metric" | "error" | "interrupt" | "cancelled" | "failed" | "title" | "notice"
    | "summary" | "end"
    /** What came in pieces since the last whole event is void, and another text follows. */
    | "reset"
    | (string & {});
  /** The text of most events. */
  content?: string;
  /** Of a piece: the number of the text that it belongs to in its turn. */
  part?: number;
  id?: string;
  timestamp?: number;
  turn?: number;
  seq?: number;
  /** The agents between the person's own and the one that it is from. */
  agent_path?: string;
  [member: string]: any;
}

/** A question whether a call may run. */
export interface Question {
  id: string;
  conversation: string;
  turn: number;
  answer: string | null;
  call: { tool: string; args: string; [member: string]: any };
}

export interface Answer {
  /** The id of the question. */
  question: string;
  allow: boolean;
  /** The calls that a yes covers: this one, all of its scope in the conversation, or those of a wider scope. */
  scope?: "once" | "conversation" | "wider";
  /** Which of the wider scopes, from 0. */
  index?: number;
  /** Why not, for the model. */
  reason?: string;
}

export interface ConversationSummary {
  id: string;
  title: string;
  folder: string | null;
  events: number;
  first: number;
  last: number;
  run: string | null;
  elsewhere: string | null;
}

export class SilcrowError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfter?: number;
  /** Whether the server may have done what was asked for, although it did not say so. */
  readonly isUnsure: boolean;
}

/** A message of a stream: an event, and the position after it. */
export interface Message {
  id: string | undefined;
  event: Event;
}

export interface MessagesOptions {
  /** The position after which the stream begins. */
  after?: string;
  signal?: AbortSignal;
  /** The attempts in a row that fail before the reader hears of it; 8 by default. */
  attempts?: number;
  /** Hears whether the stream is open, with the error of an attempt that failed. */
  state?: (isOpen: boolean, error?: SilcrowError) => void;
}

/** A run, which is iterated over once. It begins with the first event. */
export class Run implements AsyncIterable<Event> {
  readonly conversation: string;
  readonly id: string | undefined;
  readonly position: string | undefined;
  readonly outcome: Outcome | undefined;
  [Symbol.asyncIterator](): AsyncIterator<Event>;
  stop(): Promise<unknown>;
  steer(message: string, options?: { dropCalls?: boolean }): Promise<unknown>;
  questions(): Promise<Question[]>;
}

export class Agent {
  constructor(address: string | URL, options?: AgentOptions);
  stream(prompt: string, options?: StreamOptions & { conversation?: string; files?: PromptFile[] }): Run;
  follow(conversation: string, options?: StreamOptions & { after?: string }): Run;
  resume(conversation: string, answers: Answer[], options?: StreamOptions): Run;
  ask(prompt: string, options?: { conversation?: string; files?: PromptFile[]; signal?: AbortSignal }): Promise<string>;
  stop(conversation: string, run?: string): Promise<unknown>;
  steer(conversation: string, message: string, options?: { dropCalls?: boolean }): Promise<unknown>;
  questions(conversation: string): Promise<Question[]>;
  answer(conversation: string, answers: Answer[]): Promise<{ open: number; run: string | null }>;
  conversations(options?: { limit?: number; after?: string }): Promise<{ conversations: ConversationSummary[]; next?: string }>;
  log(
    conversation: string,
    options?: { after?: number; limit?: number },
  ): Promise<{ conversation: ConversationSummary; events: Event[] }>;
  fork(conversation: string, options?: { seq?: number; id?: string }): Promise<string>;
  remove(conversation: string): Promise<null>;
  /**
   * Reads the messages of a stream, such as `/events` or `/conversations/ID/events`, and opens it again after the
   * last one when the connection is lost.
   */
  messages(path: string, options?: MessagesOptions): AsyncIterableIterator<Message>;
  request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<any>;
}
