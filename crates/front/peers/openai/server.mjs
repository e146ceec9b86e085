// A server that replays bodies, and the program that prints them.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";

/// What the example `streams` prints.
export const streams = (...args) =>
  execFileSync(process.env.SILCROW_FRONT_STREAMS, args, {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });

/// A server that answers each request by `body`, or by what that returns for the request's path.
export class ReplayServer {
  status = 200;
  requests = [];

  static async start() {
    const server = new ReplayServer();
    server.http = createServer((request, response) => server.answer(request, response));
    server.http.listen(0, "127.0.0.1");
    await once(server.http, "listening");
    server.url = `http://127.0.0.1:${server.http.address().port}/v1`;
    return server;
  }

  async answer(request, response) {
    let text = "";
    for await (const chunk of request) text += chunk;
    this.requests.push({ path: request.url, text });
    const body = typeof this.body === "function" ? this.body(request.url) : this.body;
    const type = body.startsWith("{") ? "application/json" : "text/event-stream";
    response.writeHead(this.status, { "content-type": type }).end(body);
  }

  stop() {
    this.http.closeAllConnections();
    this.http.close();
  }
}
