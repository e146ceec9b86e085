/**
 * A client of an agent that `silcrow serve` runs, for browsers, node and workers.
 *
 * A run belongs to its server. A client reads its events from any position, so a connection that is lost is
 * opened again, and no event is missing or comes twice. The types are in `client.d.ts`.
 */

/** An answer that is no success, or a run that has failed. */
export class SilcrowError extends Error {
  constructor(message, { code = "failed", status = 0, retryAfter, cause } = {}) {
    super(message, { cause });
    this.name = "SilcrowError";
    this.code = code;
    /** The status of HTTP; 0 if there was no answer, or if a run has failed. */
    this.status = status;
    /** The seconds after which the server wants to be asked again. */
    this.retryAfter = retryAfter;
  }

  /** Whether the server may have done what was asked for, although it did not say so. */
  get isUnsure() {
    return this.code === "unreachable" || this.status === 502 || this.status === 504;
  }
}

/** An agent at an address. */
export class Agent {
  #address;
  #headers;
  #fetch;

  constructor(address, { token, headers = {}, fetch: own } = {}) {
    // The link that `silcrow serve` prints has the token behind it.
    const [place, given] = `${address}`.split("#token=");
    token ??= given;
    this.#address = place.replace(/\/+$/, "");
    this.#headers = token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
    this.#fetch = own ?? ((...args) => fetch(...args));
  }

  /** Answers a prompt, in a conversation or in a new one. */
  stream(prompt, { conversation = newConversation(), files, ...options } = {}) {
    const begin = async () => {
      const path = `${of(conversation)}/runs`;
      const { run, after } = await this.request("POST", path, { prompt, files }, options.signal);
      return { run, after };
    };
    return new Run(this, conversation, begin, options);
  }

  /** Follows a conversation from a position: the run at work, or the last one. */
  follow(conversation, { after = "0", ...options } = {}) {
    return new Run(this, conversation, async () => ({ after }), options);
  }

  /** Answers the questions of a conversation that waits, and streams what follows. */
  resume(conversation, answers = [], options = {}) {
    const begin = async () => {
      const { conversation: before } = await this.log(conversation, { limit: 0 });
      const { run, open } = await this.answer(conversation, answers);
      if (open > 0) throw new SilcrowError(`${open} questions of the conversation are still open`, { code: "waiting" });
      return { run, after: `${before.events}` };
    };
    return new Run(this, conversation, begin, options);
  }

  /** Answers a prompt, and returns the text of the answer. */
  async ask(prompt, options = {}) {
    const run = this.stream(prompt, { ...options, chunks: false });
    let texts = [];
    for await (const event of run) {
      if (event.type === "call") texts = [];
      else if (event.type === "respond" && !event.malformed && !event.agent_path) texts.push(event.content);
    }
    if (run.outcome === "answered") return texts.join("\n\n");
    const why = run.outcome === "waiting" ? "waits for answers about its calls" : "was stopped before its answer";
    throw new SilcrowError(`the run ${why}`, { code: run.outcome });
  }

  /** Stops the run at work in a conversation. */
  stop(conversation, run) {
    return this.request("POST", `${of(conversation)}/stop`, { run });
  }

  /** Sends a message to the run at work, which reads it before its next step. */
  steer(conversation, message, { dropCalls = false } = {}) {
    return this.request("POST", `${of(conversation)}/steer`, { message, drop_calls: dropCalls });
  }

  /** Returns the questions for whose answers a conversation waits. */
  async questions(conversation) {
    return (await this.request("GET", `${of(conversation)}/questions`)).questions;
  }

  /** Answers questions. Once none is open, the run continues. */
  answer(conversation, answers) {
    const decided = answers.map(({ question, allow, scope, index, reason }) => ({
      question,
      decision: allow ? "allow" : "deny",
      scope,
      index,
      reason,
    }));
    return this.request("POST", `${of(conversation)}/answers`, { answers: decided });
  }

  /** Lists the conversations, the one that was used last first. */
  conversations({ limit = 50, after } = {}) {
    return this.request("GET", `/conversations?${query({ limit, after })}`);
  }

  /** Returns the stored events of a conversation. */
  log(conversation, { after = 0, limit } = {}) {
    return this.request("GET", `${of(conversation)}?${query({ after, limit })}`);
  }

  /** Begins a conversation with the history of another one, up to a position. */
  async fork(conversation, { seq, id } = {}) {
    return (await this.request("POST", `${of(conversation)}/fork`, { seq, id })).conversation;
  }

  /** Deletes a conversation. */
  remove(conversation) {
    return this.request("DELETE", of(conversation));
  }

  /** Sends a request, and returns the JSON of its answer; null for an answer that has none. */
  async request(method, path, body, signal) {
    const headers = { ...this.#headers };
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await this.#send(path, { method, headers, body: body && JSON.stringify(body), signal });
    const text = await answer.text().catch((cause) => this.#unreachable(cause, signal));
    return text === "" ? null : JSON.parse(text);
  }

  /**
   * Reads the messages of a stream, and opens it again after the last one when the connection is lost. It ends
   * when the reader leaves, or with an error if so many attempts in a row fail, or if another one cannot help.
   * `state` hears whether the stream is open, with the error of an attempt that failed.
   */
  async *messages(path, { after, signal, attempts = MOST_FAILURES, state, ...parameters } = {}) {
    let position = after;
    for (let failures = 0; ; failures++) {
      const leaving = new AbortController();
      const leave = () => leaving.abort(signal?.reason);
      signal?.throwIfAborted();
      signal?.addEventListener("abort", leave, { once: true });
      let wait = Math.min(2 ** failures / 4, LONGEST_PAUSE);
      try {
        const headers = { ...this.#headers, accept: "text/event-stream" };
        if (position !== undefined) headers["last-event-id"] = position;
        const asked = query(parameters);
        const { body } = await this.#send(asked === "" ? path : `${path}?${asked}`, { headers, signal: leaving.signal });
        state?.(true);
        for await (const { id, data } of serverSentEvents(body)) {
          failures = 0;
          if (id !== "") position = id;
          yield { id: position, event: JSON.parse(data) };
        }
        state?.(false);
      } catch (error) {
        signal?.throwIfAborted();
        const isFinal = error instanceof SilcrowError && error.status > 0 && error.status < 500 && error.status !== 429;
        if (isFinal || failures >= attempts || error instanceof SyntaxError) throw error;
        state?.(false, error);
        wait = error.retryAfter ?? wait;
      } finally {
        signal?.removeEventListener("abort", leave);
        leaving.abort();
      }
      await pause(wait, signal);
    }
  }

  async #send(path, init) {
    const answer = await this.#fetch(this.#address + path, init).catch((cause) => this.#unreachable(cause, init.signal));
    if (answer.ok) return answer;
    const { code, message } = (await answer.json().catch(() => null))?.error ?? {};
    throw new SilcrowError(message ?? `${this.#address}${path} answers ${answer.status}`, {
      code: code ?? "failed",
      status: answer.status,
      retryAfter: Number(answer.headers.get("retry-after")) || undefined,
    });
  }

  #unreachable(cause, signal) {
    if (signal?.aborted) throw cause;
    const advice = cause instanceof TypeError && cause.cause?.code === "ERR_INVALID_URL" ? "; begin it with http:// or https://" : "";
    throw new SilcrowError(`${this.#address} cannot be reached${advice}`, { code: "unreachable", cause });
  }
}

/** A run, which is iterated over once. It begins with the first event. */
export class Run {
  #agent;
  #begin;
  #options;
  #iterator;

  constructor(agent, conversation, begin, options) {
    this.#agent = agent;
    this.#begin = begin;
    const { chunks = true, stopOnLeave = false, signal } = options ?? {};
    this.#options = { chunks, stopOnLeave, signal };
    this.conversation = conversation;
    /** The id of the run, once it has begun. */
    this.id = undefined;
    /** The position of the last event that was read, from which `follow` continues. */
    this.position = undefined;
    /** How the run has ended: `answered`, `stopped`, `waiting` or `failed`. */
    this.outcome = undefined;
  }

  [Symbol.asyncIterator]() {
    this.#iterator ??= this.#events();
    return this.#iterator;
  }

  /** Stops the run. The iteration goes on to its end. */
  stop() {
    return this.#agent.stop(this.conversation, this.id);
  }

  /** Sends a message to the run at work. */
  steer(message, options) {
    return this.#agent.steer(this.conversation, message, options);
  }

  /** Returns the questions for whose answers the run waits. */
  questions() {
    return this.#agent.questions(this.conversation);
  }

  async *#events() {
    const { chunks, signal, stopOnLeave } = this.#options;
    const pieces = new PieceFilter(chunks);
    let failure;
    try {
      const { run, after } = await this.#begin();
      this.id = run ?? undefined;
      this.position = after;
      const path = `${of(this.conversation)}/events`;
      const following = { after, signal, chunks: chunks ? undefined : "false" };
      for await (const { id, event } of this.#agent.messages(path, following)) {
        this.position = id;
        if (event.type === "idle") {
          this.outcome = event.outcome;
          failure = event;
          break;
        }
        yield* pieces.read(event);
      }
    } finally {
      if (stopOnLeave && this.outcome === undefined && this.position !== undefined) {
        // The run may have ended in the meantime.
        await this.stop().catch(() => {});
      }
    }
    if (this.outcome === "failed") {
      const { code, content } = failure;
      throw new SilcrowError(content ?? "the run has failed", { code: code ?? "failed" });
    }
  }
}

/**
 * Leaves out what would come twice: pieces, or the whole of what came in pieces.
 *
 * After a lost connection a server may send `reset`: what it had not stored comes again, in pieces or as a whole. The
 * reader gets only what is new of it. If the text is another one, the reader gets the `reset` and then all of it.
 */
class PieceFilter {
  #chunks;
  /** The type, the part and the text of what has come in pieces and not yet as a whole. */
  #open;
  /** What has come again of it. */
  #again;
  #reset;

  constructor(chunks) {
    this.#chunks = chunks;
  }

  /** Returns what the reader gets of the next event. */
  *read(event) {
    const isText = event.type === "think" || event.type === "respond";
    const isPiece = event.type === "call_text" || (isText && event.part !== undefined);
    if (!this.#chunks) {
      if (event.type !== "reset" && !isPiece) yield event;
    } else if (event.type === "reset") {
      if (this.#open !== undefined) [this.#again, this.#reset] = ["", event];
    } else if (isPiece) {
      yield* this.#piece(event);
    } else if ((isText || event.type === "call") && event.agent_path === undefined) {
      yield* this.#whole(event);
    } else {
      if (this.#again !== undefined && event.agent_path === undefined) yield this.#void();
      yield event;
    }
  }

  *#piece(event) {
    const { type, part, content = "" } = event;
    const known = this.#open;
    if (this.#again === undefined || known === undefined) {
      const before = known?.type === type && known.part === part ? known.text : "";
      this.#open = { type, part, text: before + content };
      yield event;
      return;
    }
    const again = this.#again + content;
    if (known.type !== type || !(known.text.startsWith(again) || again.startsWith(known.text))) {
      yield this.#void();
      this.#open = { type, part, text: again };
      yield { ...event, content: again };
    } else if (again.length <= known.text.length) {
      this.#again = again;
    } else {
      this.#again = undefined;
      this.#open = { type, part, text: again };
      yield { ...event, content: again.slice(known.text.length) };
    }
  }

  *#whole(event) {
    const [known, again] = [this.#open, this.#again];
    this.#open = this.#again = undefined;
    if (event.type === "call" || known?.type !== event.type) {
      if (again !== undefined && known.type !== "call_text") yield this.#reset;
      yield event;
    } else if (again !== undefined) {
      const rest = restOf(known.text, event.content);
      if (rest === undefined) yield this.#reset;
      if (rest === undefined) yield event;
      else if (rest !== "") yield { ...event, content: rest, part: known.part };
    }
  }

  #void() {
    this.#again = this.#open = undefined;
    return this.#reset;
  }
}

/**
 * Returns what a whole text has after its pieces, or `undefined` if it does not begin with them. A whole text has no
 * white space at its ends.
 */
function restOf(pieces, whole) {
  const text = pieces.trim();
  if (!whole.startsWith(text)) return undefined;
  const blank = text === "" ? "" : pieces.slice(pieces.trimEnd().length);
  const rest = whole.slice(text.length);
  return rest.startsWith(blank) ? rest.slice(blank.length) : rest.trimStart();
}

/** Decodes the messages of a stream of server-sent events. */
async function* serverSentEvents(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // The end of a message, wherever the network cuts it.
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const message = rest.slice(0, end);
        rest = rest.slice(end + 2);
        let id = "";
        const data = [];
        for (const line of message.split("\n")) {
          if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
          else if (line.startsWith("id:")) id = line.slice(3).trim();
        }
        if (data.length > 0) yield { id, data: data.join("\n") };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function of(conversation) {
  return `/conversations/${encodeURIComponent(conversation)}`;
}

function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, `${value}`])).toString();
}

function newConversation() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `c${Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("")}`;
}

function pause(seconds, signal) {
  return new Promise((done, failed) => {
    const timer = setTimeout(done, seconds * 1000);
    signal?.addEventListener("abort", () => (clearTimeout(timer), failed(signal.reason)), { once: true });
  });
}

/** The attempts in a row that fail before the reader hears of it. */
const MOST_FAILURES = 8;
/** In seconds. */
const LONGEST_PAUSE = 10;
