// One run that the page and clients of every protocol watch at once, and that is stopped from any of them.

import assert from "node:assert/strict";
import { token } from "./server.mjs";
import { send, until } from "./visitor.mjs";

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

/** A stream of a client, as text that grows. */
class Stream {
  static async open(name, url, options = {}) {
    const stream = new Stream();
    Object.assign(stream, { name, text: "", waiting: [] });
    const leave = new AbortController();
    stream.leave = () => leave.abort();
    const answer = await fetch(url, { headers, signal: leave.signal, ...options });
    assert.equal(answer.status, 200, `${name}: ${answer.status}`);
    stream.done = stream.read(answer.body);
    return stream;
  }

  async read(body) {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of body) {
        this.text += decoder.decode(bytes, { stream: true });
        for (const wake of this.waiting.splice(0)) wake();
      }
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  /** Waits for a text, and returns the time at which it has come. */
  async until(text) {
    while (!this.text.includes(text)) await new Promise((resolve) => this.waiting.push(resolve));
    return performance.now();
  }

  /** Returns the data of the messages of a type. */
  data(type) {
    const lines = this.text.split("\n").filter((line) => line.startsWith("data: {"));
    return lines.map((line) => JSON.parse(line.slice(6))).filter((data) => data.type === type);
  }
}

/** Opens every stream of a conversation. */
async function watch(origin, id) {
  return {
    native: await Stream.open("native", `${origin}/conversations/${id}/events`),
    sdk: await Stream.open("AI SDK", `${origin}/api/chat/${id}/stream?ai=7`),
    responses: await Stream.open("Responses", `${origin}/v1/responses/resp_0_${id}?stream=true`),
  };
}

/** Begins a run as a client of AG-UI. */
function begin(origin, id) {
  const messages = [{ id: "m1", role: "user", content: "What is there?" }];
  const body = JSON.stringify({ threadId: id, runId: "r1", protocolVersion: "1.0", messages });
  return Stream.open("AG-UI", `${origin}/ag-ui?disconnect=stop`, { method: "POST", body });
}

/** Has the page note when its button is clicked, and when the run is over for the person. */
async function observe(page) {
  await page.evaluate(() => {
    const now = () => performance.timeOrigin + performance.now();
    const times = { clicked: 0, over: undefined };
    globalThis.times = times;
    document.getElementById("stop").addEventListener("click", () => (times.clicked = now()), { capture: true });
    const send = document.getElementById("send");
    times.over = new Promise((resolve) => {
      const look = () => send.textContent === "Send" && resolve(now());
      new MutationObserver(look).observe(send, { childList: true });
    });
  });
  const here = (time) => time - performance.timeOrigin;
  return {
    clicked: () => page.evaluate(() => globalThis.times.clicked).then(here),
    over: page.evaluate(() => globalThis.times.over).then(here),
  };
}

export const watched = {
  async "a run of another client is the same on the page and in every stream"(visitor) {
    const { server } = visitor;
    const agUi = await begin(server.origin, "watched");
    server.say("<response>There ");
    const page = await visitor.open("/#c/watched");
    await until(page, "There");
    const { native, sdk, responses } = await watch(server.origin, "watched");
    server.answer("is *one* seal.</response>");
    await until(page, "There is one seal.");
    await Promise.all([
      agUi.until("RUN_FINISHED"),
      native.until('"idle"'),
      sdk.until("[DONE]"),
      responses.until("response.completed"),
    ]);
    const said = {
      agUi: agUi.data("TEXT_MESSAGE_CONTENT").map(({ delta }) => delta).join(""),
      sdk: sdk.data("text-delta").map(({ delta }) => delta).join(""),
      responses: responses.data("response.output_text.delta").map(({ delta }) => delta).join(""),
      native: native.data("respond").filter(({ part }) => part === undefined).map(({ content }) => content).join(""),
    };
    for (const [name, text] of Object.entries(said)) assert.equal(text.trim(), "There is *one* seal.", name);
    await page.locator("#transcript em", { hasText: "one" }).waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    native.leave();
    await page.close();
  },

  async "a stop anywhere ends a run on the page and in every stream"(visitor) {
    const { server } = visitor;
    const post = (path) => fetch(server.origin + path, { method: "POST", headers, body: "" });
    const stops = {
      page: (page) => page.getByRole("button", { name: "Stop" }).click(),
      sdk: (_, id) => post(`/api/chat/${id}/stop`),
      responses: (_, id) => post(`/v1/responses/resp_0_${id}/cancel`),
      agUi: (_, id, agUi) => agUi.leave(),
    };
    for (const [name, stop] of Object.entries(stops)) {
      const id = `stopped-${name}`;
      const agUi = await begin(server.origin, id);
      server.say("<response>One, two");
      const page = await visitor.open(`/#c/${id}`);
      await until(page, "One, two");
      const streams = await watch(server.origin, id);
      await Promise.all(Object.values(streams).map((stream) => stream.until("two")));
      const observed = await observe(page);
      const sent = performance.now();
      await stop(page, id, agUi);
      const begun = name === "page" ? await observed.clicked() : sent;
      const ends = {
        page: observed.over,
        native: streams.native.until('"outcome":"stopped"'),
        sdk: streams.sdk.until('"abort"'),
        responses: streams.responses.until("response.incomplete"),
      };
      if (name !== "agUi") ends.agUi = agUi.until('"cancelled"');
      const times = [];
      for (const [end, ended] of Object.entries(ends)) times.push(`${end} ${Math.round((await ended) - begun)}`);
      console.log(`stopped by ${name}, ends read after milliseconds: ${times.join(", ")}`);
      // The conversation goes on, on the page as everywhere.
      await send(page, "Go on.");
      server.answer("<response>Three.</response>");
      await until(page, "Three.");
      streams.native.leave();
      await page.close();
    }
  },
};
