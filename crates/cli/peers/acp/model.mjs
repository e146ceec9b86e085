// A model server whose answers a check writes piece by piece.

import { once } from "node:events";
import { createServer } from "node:http";

export class ToldModel {
  /** What is written, and not read yet: pieces, and ends of answers. */
  #told = [];
  #wake = () => {};

  static async start() {
    const model = new ToldModel();
    model.server = createServer((request, response) => model.#answer(request, response));
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    return model;
  }

  get name() {
    return `compatible:http://127.0.0.1:${this.server.address().port}/v1#told`;
  }

  say(...pieces) {
    this.#told.push(...pieces.map((text) => ({ text })));
    this.#wake();
  }

  /** Writes an answer to its end. */
  answer(...pieces) {
    this.say(...pieces);
    this.#told.push({ end: true });
    this.#wake();
  }

  /** Answers the next request by an error. */
  refuse(status, message) {
    this.#told.push({ status, message });
    this.#wake();
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #next() {
    while (this.#told.length === 0) await new Promise((resolve) => (this.#wake = resolve));
    return this.#told.shift();
  }

  async #answer(request, response) {
    for await (const _ of request);
    if (!request.url.endsWith("/chat/completions")) return void response.writeHead(404).end("{}");
    const first = await this.#next();
    if (first.status) {
      response.writeHead(first.status, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ error: { message: first.message } }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let told = first; ; told = await this.#next()) {
      const delta = told.end ? {} : { content: told.text };
      const choice = { index: 0, delta, finish_reason: told.end ? "stop" : null };
      response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [choice] })}\n\n`);
      if (told.end) return void response.end("data: [DONE]\n\n");
    }
  }
}
