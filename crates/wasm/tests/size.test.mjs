// The sizes that a page has to load. A bar is raised in the change that needs it, with a reason.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { folder } from "./package.mjs";

test("the module and its glue stay below their bars", async () => {
  const module = await readFile(new URL("silcrow.wasm", folder));
  const glue = await readFile(new URL("silcrow.js", folder));
  const sizes = {
    module: module.length,
    gzip: gzipSync(module, { level: 9 }).length,
    brotli: brotliCompressSync(module).length,
    glue: glue.length,
  };
  console.log(sizes);
  for (const [what, bar] of Object.entries(BARS)) {
    assert.ok(sizes[what] <= bar, `${what}: ${sizes[what]} bytes, and ${bar} are the bar`);
  }
});

const BARS = { module: 900_000, gzip: 358_000, brotli: 266_000, glue: 12_000 };
