// Requests to the server, and streams of its events that survive a lost connection, by the client that
// other pages use, too.

import { Agent } from "./client.js";

const agent = new Agent(new URL(".", document.baseURI), {
  fetch: async (address, init) => {
    // What is sent while the page is left arrives, too.
    const answer = await fetch(address, { ...init, keepalive: init.method === "DELETE" });
    noteTime(answer.headers.get("date"));
    return answer;
  },
});

/** Sends a request, and returns the JSON of its answer. An error has `status`, `code` and `isUnsure`. */
export async function request(method, path, body) {
  try {
    return await agent.request(method, `/${path}`, body);
  } catch (error) {
    if (error.code === "unreachable") error.message = "The server cannot be reached.";
    throw error;
  }
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
   * `path` is followed after the position `after`. `take` gets each event with the position after it, and
   * `state` whether the stream is open, with the reason if the server said one. `refused` is called if the
   * server wants to know who asks, and `gone` if it does not have what is followed.
   */
  constructor({ path, after, take, state, refused, gone }) {
    Object.assign(this, { path, after, take, state, refused, gone });
    this.leaving = new AbortController();
    this.read();
  }

  async read() {
    const { signal } = this.leaving;
    const state = (isOpen, error) => {
      if (!signal.aborted) this.state(isOpen, error?.status > 0 ? error.message : undefined);
    };
    try {
      const following = { after: this.after, signal, attempts: Infinity, state };
      for await (const { id, event } of agent.messages(`/${this.path}`, following)) {
        if (signal.aborted) return;
        this.after = id;
        this.take(id, event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 401) return this.refused(error);
      if (error.status === 404 && this.gone) return this.gone();
      state(false, error);
      this.timer = setTimeout(() => this.read(), LONGEST_WAIT * 1000);
    }
  }

  close() {
    clearTimeout(this.timer);
    this.leaving.abort();
  }
}

/** The seconds after which a stream that the server has refused is asked for again. */
const LONGEST_WAIT = 10;
