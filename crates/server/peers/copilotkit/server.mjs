// Starts, commands, kills and starts again the example server.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const token = "5c".repeat(32);

export class PageServer {
  static async start() {
    const server = new PageServer();
    server.folder = mkdtempSync(join(tmpdir(), "silcrow-page-"));
    await server.run("0");
    return server;
  }

  async run(port) {
    const args = [join(this.folder, "store"), port, token];
    this.process = spawn(join(process.env.SILCROW_PROGRAMS, "examples/page_server"), args, { stdio: ["pipe", "pipe", "inherit"] });
    this.process.stdin.on("error", () => {});
    this.lines = createInterface(this.process.stdout)[Symbol.asyncIterator]();
    this.port = (await this.lines.next()).value;
  }

  /** Returns what the model's last request says. */
  async heard() {
    this.command("heard");
    return JSON.parse((await this.lines.next()).value);
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  command(line) {
    this.process.stdin.write(`${line}\n`);
  }

  say(...texts) {
    for (const text of texts) this.command(`say ${JSON.stringify(text)}`);
  }

  /** Says an answer to its end. */
  answer(...texts) {
    this.say(...texts);
    this.command("done");
  }

  async kill() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
  }

  async restart() {
    await this.run(this.port);
  }

  async stop() {
    await this.kill();
    rmSync(this.folder, { recursive: true });
  }
}
