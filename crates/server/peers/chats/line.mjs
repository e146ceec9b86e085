// A connection to the server that a check can cut.

import { once } from "node:events";
import { connect, createServer } from "node:net";

export class Line {
  sockets = new Set();

  static async to(server) {
    const line = new Line();
    line.listener = createServer((near) => {
      const far = connect(server.port, "127.0.0.1");
      for (const [from, to] of [[near, far], [far, near]]) {
        line.sockets.add(from);
        from.on("error", () => {});
        from.on("close", () => {
          line.sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    line.listener.listen(0, "127.0.0.1");
    await once(line.listener, "listening");
    return line;
  }

  get origin() {
    return `http://127.0.0.1:${this.listener.address().port}`;
  }

  /** Ends each connection without a word, as a lost network does. */
  cut() {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  close() {
    this.cut();
    this.listener.close();
  }
}
