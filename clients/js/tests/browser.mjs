// A browser of a test: it opens a page that a test serves, and the page tells what it has found.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BROWSER = "/usr/bin/chromium";
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/** The options of a test that needs a browser. Where everything has to be checked it is not left out. */
export const withBrowser = {
  skip: !existsSync(BROWSER) && process.env.CI === undefined && `${BROWSER} is not installed`,
  timeout: 180_000,
};

/** Has a page tell what went wrong. */
export const REPORT = `<script>
  const tell = (body) => fetch("/result", { method: "POST", body });
  addEventListener("error", (event) => tell(event.message));
  addEventListener("unhandledrejection", (event) => tell(String(event.reason?.stack ?? event.reason)));
</script>`;

/** Serves files, which `read` returns by their names, and returns the server's address and what a page tells it. */
export async function servePage(t, read) {
  let show;
  const told = new Promise((done) => (show = done));
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1);
    if (name === "result") {
      show(Buffer.concat(await request.toArray()).toString());
      return response.writeHead(204).end();
    }
    try {
      const bytes = await read(name);
      response.writeHead(200, { "content-type": TYPES[name.split(".").pop()] ?? "text/plain" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.close(), server.closeAllConnections()));
  return { address: `http://127.0.0.1:${server.address().port}`, told };
}

/** Opens an address, and returns what its page tells. */
export async function visit(t, address, told) {
  const profile = mkdtempSync(join(tmpdir(), "silcrow-page-"));
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
  const browser = spawn(BROWSER, [...args, `--user-data-dir=${profile}`, "--remote-debugging-port=0", address]);
  let said = "";
  browser.stderr.on("data", (data) => (said += data));
  const ended = new Promise((done) => browser.once("close", done));
  t.after(async () => {
    browser.kill();
    const late = setTimeout(() => browser.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(late);
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  });
  return Promise.race([told, ended.then((code) => `the browser ended with ${code}: ${said}`)]);
}
