// Requests to the server, and streams of its events that survive a lost connection.

/** An answer that is no success. Its status is 0 if there is none. */
export class RequestError extends Error {
  constructor(status, code, message, patience) {
    super(message);
    this.status = status;
    this.code = code;
    /** The seconds after which the server wants to be asked again. */
    this.patience = patience;
  }

  /** Whether the server may have done what was asked for. */
  get isUnsure() {
    return this.status === 0 || this.status === 502 || this.status === 504;
  }
}

export async function request(method, path, body) {
  // What is sent while the page is left arrives, too.
  const init = { method, headers: {}, keepalive: method === "DELETE" };
  if (body !== undefined) {
    init.headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let answer, text;
  try {
    answer = await fetch(path, init);
    text = await answer.text();
  } catch {
    throw new RequestError(0, "unreachable", "The server cannot be reached.");
  }
  noteTime(answer.headers.get("date"));
  let json = null;
  try {
    json = JSON.parse(text);
  } catch {
    // An answer without a body says everything by its status.
  }
  if (answer.ok) return json;
  const { code, message } = json?.error ?? {};
  const patience = Number(answer.headers.get("retry-after")) || undefined;
  throw new RequestError(answer.status, code ?? "failed", message ?? `The server answered ${answer.status}.`, patience);
}

/** The seconds by which the clock of the server is ahead of this one. */
let ahead = 0;

function noteTime(date) {
  const time = Date.parse(date ?? "");
  // The server names whole seconds.
  const apart = (time - Date.now()) / 1000 + 0.5;
  if (Number.isFinite(apart)) ahead = Math.abs(apart) > 2 ? apart : 0;
}

/** Returns the time by the clock of the server, in seconds. */
export const serverTime = () => Date.now() / 1000 + ahead;

export const conversationPath = (id) => `conversations/${encodeURIComponent(id)}`;

/** Reads a stream of events to its end, whatever happens to the connection. */
export class Following {
  /**
   * `address` returns the address after the last message that was read. `take` gets each message,
   * and `state` whether the stream is open, with the reason if the server said one. `refused` is
   * called if the server wants to know who asks, and `gone` if it does not have what is followed.
   */
  constructor({ address, probe, take, state, refused, gone }) {
    Object.assign(this, { address, probe, take, state, refused, gone });
    this.failures = 0;
    this.open();
  }

  open() {
    this.source = new EventSource(this.address());
    this.source.onopen = () => {
      this.failures = 0;
      this.state(true);
    };
    this.source.onmessage = (message) => this.take(message);
    this.source.addEventListener("reset", (message) => this.take(message));
    this.source.onerror = () => {
      this.state(false);
      // The browser connects again by itself unless the answer was an error.
      if (this.source?.readyState === EventSource.CLOSED) this.ask();
    };
  }

  /** Finds out why the server does not answer with a stream. */
  async ask() {
    const { source } = this;
    let failure = null;
    try {
      await request("GET", this.probe);
    } catch (error) {
      failure = error;
    }
    if (this.source !== source || source === null) return;
    if (failure?.status === 401) return this.refused(failure);
    if (failure?.status === 404 && this.gone) return this.gone();
    if (failure?.status > 0) this.state(false, failure.message);
    this.failures += 1;
    const wait = failure?.patience ?? Math.min(2 ** (this.failures - 1), LONGEST_WAIT);
    this.timer = setTimeout(() => this.open(), wait * 1000);
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}

/** The most seconds between two attempts to connect. */
const LONGEST_WAIT = 10;
