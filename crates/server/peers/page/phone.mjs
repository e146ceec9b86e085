// A long conversation on a slow phone: how soon it is there, and how smoothly it moves.

import assert from "node:assert/strict";
import { until } from "./visitor.mjs";

/** Whether the figures decide, as they can only where nothing else runs. */
const decides = process.env.SILCROW_PAGE_SPEED === "1";

/** Stores a conversation of about 5,000 events. */
async function stored(visitor, id) {
  const events = [];
  for (let turn = 1; events.length < 5_000; turn += 1) {
    const time = 1_790_000_000 + turn * 10;
    const event = (type, at, more) => events.push({ type, ...more, timestamp: time + at, turn });
    event("user", 0, { content: `Question ${turn}` });
    event("think", 1, { content: "I look it up." });
    event("call", 2, { id: "a1", content: `{"name":"work","args":{"name":"n${turn}"}}`, action: { type: "tool", mode: "async" } });
    event("result", 4, { id: "a1", content: `Result ${turn}`, payload: { tool: "work", status: "success", outcome: "found", error: false } });
    event("respond", 5, { content: `Answer **${turn}**.\n\n| a | b |\n|---|---|\n| 1 | \`two\` |\n\n- one\n- two` });
  }
  visitor.server.command(`store ${id} ${JSON.stringify(events)}`);
  return events.at(-1).turn;
}

/** Opens a page as a phone with a quarter of the speed does. */
async function onPhone(visitor, address) {
  const page = await visitor.open("/");
  await page.setViewportSize({ width: 375, height: 720 });
  const devtools = await visitor.context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto("about:blank");
  const begun = performance.now();
  await page.goto(visitor.server.origin + address);
  return { page, begun };
}

/** Returns the least of three measurements if they decide, and otherwise one. */
async function least(measure) {
  const all = [];
  for (let n = 0; n < (decides ? 3 : 1); n += 1) all.push(await measure());
  return Math.min(...all);
}

export const phone = {
  async "5,000 events are read on a slow phone"(visitor) {
    const last = await stored(visitor, "phone");
    const first = await least(async () => {
      const { page, begun } = await onPhone(visitor, "/#c/phone");
      await until(page, `Answer ${last}.`);
      const took = performance.now() - begun;
      await page.close();
      return took;
    });
    console.log(`5,000 events on a phone at a quarter of the speed: first text after ${first.toFixed(0)} ms`);
    if (decides) assert.ok(first < 2_000, `${first} ms`);
  },

  async "a long conversation scrolls"(visitor) {
    const last = await stored(visitor, "scrolled");
    const page = await visitor.open("/#c/scrolled");
    await until(page, `Answer ${last}.`);
    const median = await least(() => page.evaluate(async () => {
      const transcript = document.querySelector("#transcript");
      transcript.scrollTop = transcript.scrollHeight;
      const frame = () => new Promise(requestAnimationFrame);
      const gaps = [];
      for (let n = 0, before = await frame(); n < 200; n += 1) {
        transcript.scrollTop -= 80;
        const now = await frame();
        gaps.push(now - before);
        before = now;
      }
      return gaps.sort((one, other) => one - other)[100];
    }));
    console.log(`scrolling: a frame each ${median.toFixed(1)} ms`);
    if (decides) assert.ok(median < 17.5, `${median} ms`);
    await page.close();
  },
};
