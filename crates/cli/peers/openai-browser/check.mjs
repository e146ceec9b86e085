// OpenAI's client in a browser, on a page of another origin, asks `silcrow serve`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

setTimeout(() => assert.fail("the page waits in vain"), 120_000).unref();
const home = mkdtempSync(join(tmpdir(), "silcrow-browser-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const folder = join(home, "project");
mkdirSync(folder);

/** Serves the files of the client, and an empty page. */
async function site() {
  const files = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://site").pathname);
    const type = /\.m?js$/.test(path) ? "text/javascript" : "text/html";
    const file = join("node_modules", path);
    const text = path === "/" ? "<!doctype html><title>Site</title>" : existsSync(file) && readFileSync(file);
    response.writeHead(text ? 200 : 404, { "content-type": type }).end(text || undefined);
  });
  await new Promise((resolve) => files.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${files.address().port}`;
}

const [listed, other] = [await site(), await site()];
const script = join(home, "script.txt");
writeFileSync(script, ["Four.", "Five.", "Six."].map((text) => `<response>${text}</response>\n`).join("%%\n"));
const flags = ["--model", `script:${script}`, "--dialect", "action", "--origin", listed];
const server = spawn(join(process.env.SILCROW_PROGRAMS, "silcrow"), ["serve", "--listen", "127.0.0.1:0", ...flags], {
  cwd: folder,
  env: { PATH: process.env.PATH, HOME: home },
});
process.on("exit", () => server.kill("SIGKILL"));
const link = await new Promise((found) => {
  for (const stream of [server.stdout, server.stderr]) {
    createInterface(stream).on("line", (line) => {
      const [, origin, token] = /(http:\/\/[\d.:]+)\/#token=(\w+)/.exec(line) ?? [];
      if (origin) found({ origin, token });
    });
  }
});

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });

/** What the page of a site does with the client. */
async function used(origin) {
  const page = await browser.newPage();
  await page.goto(origin);
  const said = await page.evaluate(async ({ origin, token }) => {
    const { default: OpenAI } = await import("/openai/index.mjs");
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: token, dangerouslyAllowBrowser: true, maxRetries: 0 });
    try {
      const said = [];
      const request = { model: "silcrow", messages: [{ role: "user", content: "2 + 2?" }] };
      let text = "";
      for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) text += choices[0]?.delta.content ?? "";
      said.push(text);
      // The page reads our own header, too, which names what had no effect.
      const { data, response } = await client.responses.create({ model: "silcrow", input: "And 1?", truncation: "auto" }).withResponse();
      said.push(data.output_text, response.headers.get("silcrow-unused"));
      text = "";
      for await (const event of await client.responses.create({ model: "silcrow", input: "And 1?", stream: true })) text += event.delta ?? "";
      return [...said, text, (await client.models.list()).data[0].id];
    } catch (error) {
      return [error.constructor.name];
    }
  }, link);
  await page.close();
  return said;
}

const said = await used(listed);
assert.deepEqual(said, ["Four.", "Five.", "truncation", "Six.", "silcrow"]);
console.log("ok: a page of a listed origin");
assert.equal((await used(other)).length, 1);
console.log("ok: a page of another origin learns nothing");
await browser.close();
process.exit(0);
