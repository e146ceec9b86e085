// The example page in a browser, if one is installed: it reads its recorded answer.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";

import { folder } from "./package.mjs";

const BROWSER = "/usr/bin/chromium";
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

test("the example page parses an answer in a browser", { skip: !existsSync(BROWSER) && `${BROWSER} is not installed` }, async () => {
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1);
    const place = name === "index.html" ? new URL("../example/index.html", import.meta.url) : new URL(name.replace("package/", ""), folder);
    try {
      const bytes = await readFile(place);
      response.writeHead(200, { "content-type": TYPES[name.split(".").pop()] ?? "text/plain" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${server.address().port}/index.html?package=package/`;
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom", address];
  const page = await new Promise((done, failed) => {
    execFile(BROWSER, args, { timeout: 120_000 }, (why, printed) => (why ? failed(why) : done(printed)));
  });
  server.close();
  const out = /<div id="out"[^]*<\/div>/.exec(page)?.[0] ?? page;
  assert.match(out, /data-state="done"/);
  assert.match(out, /class="think">[^<]*The tool `weather` knows\./);
  assert.match(out, /class="respond">[^<]*I will look\./);
  assert.match(out, /class="call">\{"name":"weather","args":\{"city": "Paris", "days": 2\}\}/);
});
