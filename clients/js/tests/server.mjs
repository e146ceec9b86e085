// A server of a test, with the rehearsal model and a folder with two files.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts a server, and returns its address, its token and what ends it. */
export async function startServer(...more) {
  const place = mkdtempSync(join(tmpdir(), "silcrow-client-"));
  writeFileSync(join(place, "notes.md"), "Buy bread.\n");
  // To read from it takes long enough to stop it on a busy machine, too.
  writeFileSync(join(place, "story.md"), `${"It goes on and on. ".repeat(450)}\n`.repeat(20));
  const store = ["--store", join(place, "store"), "--root", place];
  const args = ["serve", "--model", "rehearsal", "--listen", "127.0.0.1:0", ...store, "--permissions", "ask", ...more];
  const server = spawn(process.env.SILCROW_PROGRAM, args, {
    env: { PATH: process.env.PATH, HOME: place, XDG_CONFIG_HOME: join(place, "none") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((done) => server.once("exit", done));
  const [, address, token] = await new Promise((done, failed) => {
    let text = "";
    const take = (data) => {
      text += data;
      const found = /(http:\/\/[\d.]+:\d+)\/#token=(\S+)/.exec(text);
      if (found) done(found);
    };
    server.stdout.on("data", take);
    server.stderr.on("data", take);
    server.once("error", failed);
    ended.then((code) => failed(new Error(`the server ended with ${code}: ${text}`)));
  });
  const end = async () => {
    server.kill();
    await ended;
    rmSync(place, { recursive: true });
  };
  return { address, token, end };
}
