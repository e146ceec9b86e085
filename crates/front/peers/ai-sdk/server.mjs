// A server that replays streams, and the program that prints them.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";

/// What the example `streams` prints.
export const streams = (...args) =>
  execFileSync(process.env.SILCROW_FRONT_STREAMS, args, { encoding: "utf8", maxBuffer: 1 << 30 });

/// A server that answers each request by the next of its `answers`, and keeps the requests.
export class ReplayServer {
  requests = [];
  answers = [];

  static async start() {
    const server = new ReplayServer();
    server.http = createServer((request, response) => server.answer(request, response));
    server.http.listen(0, "127.0.0.1");
    await once(server.http, "listening");
    server.api = `http://127.0.0.1:${server.http.address().port}/api/chat`;
    return server;
  }

  async answer(request, response) {
    let body = "";
    for await (const chunk of request) body += chunk;
    this.requests.push({ path: request.url, body });
    const { status = 200, stream = "", then = "end" } = this.answers.shift() ?? { status: 500 };
    if (status !== 200) return response.writeHead(status).end();
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-vercel-ai-ui-message-stream": "v1",
      "x-accel-buffering": "no",
    });
    if (then === "wait") this.left = once(response, "close");
    response.write(stream, () => {
      if (then === "end") response.end();
      if (then === "cut") response.destroy();
    });
  }

  stop() {
    this.http.closeAllConnections();
    this.http.close();
  }
}
