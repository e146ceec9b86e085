// The example page in a browser, if one is installed: it reads its recorded answer.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { REPORT, servePage, visit, withBrowser } from "../../../clients/js/tests/browser.mjs";
import { folder } from "./package.mjs";

/** Has the page send what it shows once it is done. */
const WATCH = `<script>{
  const out = document.getElementById("out");
  new MutationObserver(() => tell(out.outerHTML)).observe(out, { attributeFilter: ["data-state"] });
}</script>`;

test("the example page parses an answer in a browser", withBrowser, async (t) => {
  const { address, told } = await servePage(t, async (name) => {
    if (name !== "index.html") return readFile(new URL(name.replace("package/", ""), folder));
    return `${await readFile(new URL("../example/index.html", import.meta.url))}${REPORT}${WATCH}`;
  });
  const out = await visit(t, `${address}/index.html?package=package/`, told);
  assert.match(out, /data-state="done"/);
  assert.match(out, /class="think">[^<]*The tool `weather` knows\./);
  assert.match(out, /class="respond">[^<]*I will look\./);
  assert.match(out, /class="call">\{"name":"weather","args":\{"city": "Paris", "days": 2\}\}/);
});
