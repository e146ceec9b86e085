// The example page in a browser, if one is installed: it reads its recorded answer.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { folder } from "./package.mjs";

const BROWSER = "/usr/bin/chromium";
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/** Has the page send what it shows once it is done, or what went wrong. */
const REPORT = `<script>{
  const tell = (body) => fetch("/result", { method: "POST", body });
  addEventListener("error", (event) => tell(event.message));
  addEventListener("unhandledrejection", (event) => tell(String(event.reason)));
  const out = document.getElementById("out");
  new MutationObserver(() => tell(out.outerHTML)).observe(out, { attributeFilter: ["data-state"] });
}</script>`;

const options = { skip: !existsSync(BROWSER) && `${BROWSER} is not installed`, timeout: 180_000 };
test("the example page parses an answer in a browser", options, async (t) => {
  let show;
  const shown = new Promise((done) => (show = done));
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1);
    if (name === "result") {
      show(Buffer.concat(await request.toArray()).toString());
      return response.writeHead(204).end();
    }
    const isPage = name === "index.html";
    const place = isPage ? new URL("../example/index.html", import.meta.url) : new URL(name.replace("package/", ""), folder);
    try {
      const bytes = await readFile(place);
      response.writeHead(200, { "content-type": TYPES[name.split(".").pop()] ?? "text/plain" });
      response.end(isPage ? `${bytes}${REPORT}` : bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.close(), server.closeAllConnections()));

  const address = `http://127.0.0.1:${server.address().port}/index.html?package=package/`;
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

  const out = await Promise.race([shown, ended.then((code) => `the browser ended with ${code}: ${said}`)]);
  assert.match(out, /data-state="done"/);
  assert.match(out, /class="think">[^<]*The tool `weather` knows\./);
  assert.match(out, /class="respond">[^<]*I will look\./);
  assert.match(out, /class="call">\{"name":"weather","args":\{"city": "Paris", "days": 2\}\}/);
});
