// Requests to the server, and streams of its events that survive a lost connection.

/** An answer that is no success. */
export class RequestError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function request(method, path, body) {
  const init = { method, headers: {} };
  if (body !== undefined) {
    init.headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new RequestError(0, "unreachable", "The server cannot be reached.");
  }
  const text = await answer.text();
  let json = null;
  try {
    json = JSON.parse(text);
  } catch {
    // An answer without a body says everything by its status.
  }
  if (answer.ok) return json;
  const { code, message } = json?.error ?? {};
  throw new RequestError(answer.status, code ?? "failed", message ?? `The server answered ${answer.status}.`);
}

export const conversationPath = (id) => `conversations/${encodeURIComponent(id)}`;

/** Reads a stream of events to its end, whatever happens to the connection. */
export class Following {
  /**
   * `address` returns the address after the last message that was read. `take` gets each message,
   * `state` whether the stream is open, and `refused` why the server does not answer with one.
   */
  constructor({ address, take, state, refused }) {
    Object.assign(this, { address, take, state, refused });
    this.open();
  }

  open() {
    this.source = new EventSource(this.address());
    this.source.onopen = () => this.state(true);
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
    const source = this.source;
    let failure = null;
    try {
      await request("GET", "conversations?limit=0");
    } catch (error) {
      failure = error;
    }
    if (this.source !== source) return;
    if (failure?.status === 401) return this.refused(failure);
    this.timer = setTimeout(() => this.open(), 1000);
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}
