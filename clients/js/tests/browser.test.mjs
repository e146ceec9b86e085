// The client in a browser, if one is installed, from a page of another origin: the fourth seed, an answer to a
// question, a stop, and a connection that is lost.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { REPORT, servePage, visit, withBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const folder = process.env.SILCROW_PACKAGE ?? new URL("../", import.meta.url).href;

test("the fourth seed, answers and stops in a browser", withBrowser, async (t) => {
  const page = await readFile(new URL("browser-page.html", import.meta.url), "utf8");
  const { address, told } = await servePage(t, (name) =>
    name === "index.html" ? page.replace("<!-- report -->", REPORT) : readFile(new URL(name, folder)));
  const server = await startServer("--origin", address);
  t.after(server.end);
  const given = new URLSearchParams({ server: server.address, token: server.token });
  const said = await visit(t, `${address}/index.html?${given}`, told);
  assert.match(said, /^\{/);
  const out = JSON.parse(said);

  assert.ok(out.pieces.length > 3, "it came in pieces");
  assert.equal(out.pieces.join("").trim(), out.whole.join(""));
  assert.match(out.whole.join(""), /notes\.md/);
  assert.deepEqual(out.asked, ["file_write"]);
  assert.equal(out.resumed, "answered");
  assert.equal(out.stopped, "stopped");
  assert.deepEqual(out.refused, [401, "unauthorized"]);
  assert.equal(out.unreachable, "unreachable");
  // It was aborted in the middle, and followed from there.
  assert.equal(out.joined, out.stored);
});
