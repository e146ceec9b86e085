// A network between the browser and the server, which a check can break.

import { once } from "node:events";
import { connect, createServer } from "node:net";

export class BrokenNetwork {
  /** `port` returns the port of the server. */
  static async start(port) {
    const network = new BrokenNetwork();
    network.open = new Set();
    network.mode = "whole";
    /** The number of answers that were lost. */
    network.lost = 0;
    network.server = createServer((client) => network.#accept(client, port()));
    network.server.listen(0, "127.0.0.1");
    await once(network.server, "listening");
    return network;
  }

  get origin() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  /** Cuts all connections. */
  cut() {
    for (const socket of this.open) socket.destroy();
    this.open.clear();
  }

  /** Answers each request by 503. */
  refuse() {
    this.mode = "refusing";
    this.cut();
  }

  /** Passes requests of a method on, and loses their answers. */
  lose(method) {
    this.mode = method;
    this.cut();
  }

  mend() {
    this.mode = "whole";
    this.cut();
  }

  close() {
    this.cut();
    this.server.close();
  }

  #accept(client, port) {
    client.on("error", () => {});
    this.open.add(client);
    client.on("close", () => this.open.delete(client));
    if (this.mode === "refusing") {
      const body = '{"error":{"code":"unavailable","message":"the server is being updated"}}';
      const head = `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
      client.on("data", () => client.end(head + body));
      return;
    }
    const server = connect(port, "127.0.0.1");
    server.on("error", () => client.destroy());
    this.open.add(server);
    server.on("close", () => {
      this.open.delete(server);
      client.destroy();
    });
    client.on("close", () => server.destroy());
    client.on("data", (data) => {
      server.write(data);
      if (data.toString("latin1").startsWith(`${this.mode} `)) {
        // The server has the request, and nobody gets its answer.
        this.lost += 1;
        server.unpipe(client);
        server.once("data", () => client.destroy());
        server.resume();
      }
    });
    server.pipe(client);
  }
}
