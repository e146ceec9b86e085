// A real browser shows the page of a real server, and a person uses it.

import assert from "node:assert/strict";
import { breaks } from "./breaks.mjs";
import { comfort } from "./comfort.mjs";
import { looksBack } from "./looks-back.mjs";
import { others } from "./others.mjs";
import { phone } from "./phone.mjs";
import { questions } from "./questions.mjs";
import { reading } from "./reading.mjs";
import { runs } from "./runs.mjs";
import { Visitor, pictures } from "./visitor.mjs";
import { watched } from "./watched.mjs";

const visitor = await Visitor.start();
const only = process.env.SILCROW_PAGE_CHECK;
const all = Object.entries({ ...runs, ...questions, ...looksBack, ...breaks, ...watched, ...others, ...comfort, ...reading, ...phone });
const chosen = all.filter(([name], at) => at === 0 || !only || name.includes(only));
let failed = 0;
for (const [name, check] of chosen) {
  const begun = performance.now();
  try {
    await check(visitor);
    assert.deepEqual(visitor.faults.splice(0), []);
    console.log(`ok: ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.error(`failed: ${name}\n${error.stack}`);
    const pages = visitor.context.pages();
    if (pictures) {
      for (const [at, page] of pages.entries()) await page.screenshot({ path: `${pictures}/failed-${failed}-${at}.png` });
    }
    for (const page of pages) await page.close();
    // What the failed check left unsaid would be said in the next one.
    await visitor.server.kill();
    await visitor.server.restart();
    await (await visitor.logIn()).close();
    visitor.isServerGone = false;
    visitor.faults.splice(0);
  }
}
await visitor.end();
process.exit(failed > 0 ? 1 : 0);
