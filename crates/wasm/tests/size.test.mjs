// The sizes that a page has to load. A bar is raised in the change that needs it, with a reason.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { folder } from "./package.mjs";

test("the modules and their glue stay below their bars", async () => {
  for (const [name, bars] of Object.entries(BARS)) {
    const module = await readFile(new URL(`${name}.wasm`, folder));
    const glue = await Promise.all(["core.js", `${name}.js`].map((file) => readFile(new URL(file, folder))));
    const sizes = {
      module: module.length,
      gzip: gzipSync(module, { level: 9 }).length,
      brotli: brotliCompressSync(module).length,
      glue: glue.reduce((sum, file) => sum + file.length, 0),
    };
    console.log(name, sizes);
    for (const [what, bar] of Object.entries(bars)) {
      assert.ok(sizes[what] <= bar, `${name}, ${what}: ${sizes[what]} bytes, and ${bar} are the bar`);
    }
  }
});

const BARS = {
  silcrow: { module: 541_000, gzip: 229_000, brotli: 185_000, glue: 13_000 },
  // Grammars share their states, which halves them and takes 57 kB of the module.
  full: { module: 985_000, gzip: 416_000, brotli: 326_000, glue: 15_500 },
};
