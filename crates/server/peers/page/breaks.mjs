// Networks that break, and conversations that are too large.

import assert from "node:assert/strict";
import { BrokenNetwork } from "./proxy.mjs";
import { token } from "./server.mjs";
import { look, send, until } from "./visitor.mjs";

/** Runs a check with a network that breaks. The browser reports what it notices of that. */
async function throughNetwork(visitor, op) {
  const network = await BrokenNetwork.start(() => visitor.server.port);
  const page = await visitor.logIn(network.origin);
  visitor.isServerGone = true;
  try {
    await op(page, network);
  } finally {
    await page.close();
    network.close();
    visitor.isServerGone = false;
  }
}

/** Measures how long the page is busy with something at most, in milliseconds. */
async function longest(page, op) {
  await page.evaluate(() => {
    globalThis.longest = 0;
    globalThis.observer ??= new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
    });
    globalThis.observer.observe({ type: "longtask" });
  });
  await op();
  return page.evaluate(() => globalThis.longest);
}

const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

export const breaks = {
  async "a network that drops every two seconds loses and doubles nothing"(visitor) {
    await throughNetwork(visitor, async (page, network) => {
      await send(page, "Count to forty.");
      let text = "<response>";
      for (let n = 1; n <= 40; n += 1) {
        visitor.server.say(`${n === 1 ? text : ""}n${n}. `);
        if (n % 10 === 0) network.cut();
        await page.waitForTimeout(200);
      }
      visitor.server.answer("That is all.</response>");
      await until(page, "That is all.");
      const shown = await page.locator("#transcript .markdown").innerText();
      const counted = Array.from({ length: 40 }, (_, n) => `n${n + 1}.`).join(" ");
      assert.equal(shown, `${counted} That is all.`);
      assert.equal(await page.locator("#transcript > .user").count(), 1);
      await page.getByRole("button", { name: "Send" }).waitFor();
    });
  },

  async "a server that answers 503 keeps the prompt, and goes on when it is back"(visitor) {
    await throughNetwork(visitor, async (page, network) => {
      await send(page, "First.");
      visitor.server.answer("<response>One.</response>");
      await until(page, "One.");
      // The end of the run comes after its last piece.
      await page.getByRole("button", { name: "Send" }).waitFor();
      network.refuse();
      await page.getByText("Connecting… (the server is being updated)").waitFor();
      await send(page, "Second.");
      await page.locator("#failure", { hasText: "the server is being updated" }).waitFor();
      assert.equal(await page.getByLabel("Prompt").inputValue(), "Second.");
      network.mend();
      await page.waitForFunction(() => document.querySelector("#connection").textContent === "");
      await page.getByRole("button", { name: "Send" }).click();
      visitor.server.answer("<response>Two.</response>");
      await until(page, "Two.");
      await until(page, "Second.");
    });
  },

  async "a prompt whose answer was lost is there once"(visitor) {
    await throughNetwork(visitor, async (page, network) => {
      // The first conversation is new, and nothing but the server knows that it has begun.
      for (const [prompt, answer] of [["Only once.", "Once."], ["Again.", "Twice."]]) {
        network.lost = 0;
        network.lose("POST");
        await send(page, prompt);
        await until(page, prompt);
        await page.waitForFunction(() => document.querySelector("#prompt").value === "" && document.querySelector("#failure").textContent === "");
        assert.ok(network.lost > 0);
        network.mend();
        visitor.server.answer(`<response>${answer}</response>`);
        await until(page, answer);
        await page.getByRole("button", { name: "Send" }).waitFor();
      }
      assert.equal(await page.locator("#transcript > .user").count(), 2);
    });
  },

  async "a prompt is there once, although the page is loaded again while it is sent"(visitor) {
    await throughNetwork(visitor, async (page, network) => {
      await send(page, "First.");
      visitor.server.answer("<response>One.</response>");
      await until(page, "One.");
      await page.getByRole("button", { name: "Send" }).waitFor();
      const address = new URL(page.url()).hash;
      const two = await visitor.open(`/${address}`, network.origin);
      await until(two, "One.");

      // The server has the prompt, and the page that has sent it is gone before the answer.
      network.lost = 0;
      network.lose("POST");
      await send(page, "Only once.");
      for (let n = 0; network.lost === 0 && n < 300; n += 1) await page.waitForTimeout(100);
      assert.ok(network.lost > 0);
      await page.reload().catch(() => {});
      network.mend();
      await page.reload();
      for (const window of [page, two]) {
        await until(window, "Only once.");
        await window.waitForFunction(() => document.querySelector("#prompt").value === "");
      }
      visitor.server.answer("<response>Once.</response>");
      for (const window of [page, two]) {
        await until(window, "Once.");
        await window.getByRole("button", { name: "Send" }).waitFor();
        assert.equal(await window.locator("#transcript > .user").count(), 2);
      }

      // Impatient people press the key twice.
      await two.getByLabel("Prompt").fill("Twice.");
      await two.getByLabel("Prompt").press("Enter");
      await two.getByLabel("Prompt").press("Enter");
      visitor.server.answer("<response>Not at all.</response>");
      for (const window of [page, two]) {
        await until(window, "Not at all.");
        assert.equal(await window.locator("#transcript > .user").count(), 3);
      }

      // A draft that says what an earlier prompt has said is a draft all the same.
      await page.getByRole("button", { name: "Send" }).waitFor();
      await page.getByLabel("Prompt").fill("First.");
      await page.reload();
      await until(page, "Not at all.");
      assert.equal(await page.getByLabel("Prompt").inputValue(), "First.");
      await two.close();
    });
  },

  async "a cookie that has expired is renewed, and the prompt is kept"(visitor) {
    const page = await visitor.open();
    await page.locator("#list a").first().waitFor();
    visitor.isServerGone = true;
    await visitor.context.clearCookies();
    await send(page, "Still here.");
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator("#login").waitFor({ state: "hidden" });
    visitor.isServerGone = false;
    assert.equal(await page.getByLabel("Prompt").inputValue(), "Still here.");
    await page.getByRole("button", { name: "Send" }).click();
    visitor.server.answer("<response>Here, too.</response>");
    await until(page, "Here, too.");
    await page.close();
  },

  async "a conversation of 10,000 events is quick and light"(visitor) {
    const events = [];
    for (let turn = 1; events.length < 10_000; turn += 1) {
      const time = 1_790_000_000 + turn * 10;
      const event = (type, at, more) => events.push({ type, ...more, timestamp: time + at, turn });
      event("user", 0, { content: `Question ${turn}` });
      event("think", 1, { content: "I look it up." });
      event("call", 2, { id: "a1", content: `{"name":"work","args":{"name":"n${turn}"}}`, action: { type: "tool", mode: "async" } });
      event("result", 4, { id: "a1", content: `Result ${turn}`, payload: { tool: "work", status: "success", outcome: "found", error: false } });
      event("respond", 5, { content: `Answer **${turn}**.\n\n- one\n- two` });
    }
    const { server } = visitor;
    server.command(`store large ${JSON.stringify(events)}`);
    const page = await visitor.open();
    await page.waitForFunction(async () => (await (await fetch("conversations")).text()).includes('"large"'));
    const begun = performance.now();
    const opening = await longest(page, async () => {
      await page.evaluate(() => (location.hash = "#c/large"));
      await until(page, "Answer 2000.");
    });
    const opened = performance.now() - begun;
    const weight = await nodes(page);
    const scrubbing = await longest(page, async () => {
      await page.locator("#time").fill("500");
      await page.getByText("You see the conversation as it was").waitFor();
      await page.getByRole("button", { name: "Back to now" }).click();
      await until(page, "Answer 2000.");
    });
    const writing = await longest(page, async () => {
      await send(page, "And now?");
      server.say("<response>Now ");
      for (let n = 0; n < 20; n += 1) server.say(`n${n} `);
      server.answer("it is.</response>");
      await until(page, "it is.");
    });
    // Who comes to the beginning of what is shown gets more.
    await page.getByRole("button", { name: /Show 150 of [\d,]+ earlier items/ }).waitFor();
    await page.locator("#transcript").evaluate((element) => (element.scrollTop = 0));
    await until(page, "Answer 1950.");
    console.log(`10,000 events: opened in ${opened.toFixed(0)} ms, ${weight} elements; busy at most ${opening.toFixed(0)} ms opening, ${scrubbing.toFixed(0)} ms looking back, ${writing.toFixed(0)} ms in a run`);
    assert.ok(weight < 4_000, `${weight} elements`);
    await page.close();
  },

  async "an answer of two million characters is shown in parts"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Write a book.");
    const paragraph = `${"word **bold** and `code` ".repeat(40)}\n\n`;
    server.say("<response>");
    const busy = await longest(page, async () => {
      for (let length = 0; length < 2_000_000; length += 8 * paragraph.length) server.say(paragraph.repeat(8));
      server.answer("The very end.</response>");
      await page.getByRole("button", { name: "Show 100 thousand of 1.9 million more characters" }).waitFor();
      await page.getByRole("button", { name: "Send" }).waitFor();
    });
    console.log(`2 million characters: ${await nodes(page)} elements, busy at most ${busy.toFixed(0)} ms`);
    await page.getByRole("button", { name: /of 1\.9 million/ }).click();
    await page.getByRole("button", { name: /of 1\.8 million/ }).waitFor();
    // One line with marks that never end, which are looked for from each beginning.
    await send(page, "And now a line.");
    const marked = await longest(page, async () => {
      server.answer(`<response>${"** [a](".repeat(13_000)} The end of the line.</response>`);
      await until(page, "The end of the line.");
    });
    console.log(`a line of open marks: busy at most ${marked.toFixed(0)} ms`);
    await page.close();
  },

  async "text from right to left stands at the right"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "שלום, מה שלומך?");
    server.answer("<response>مرحبا! هذه إجابة.\n\n- أولا\n- second\n\n`code` باللغة العربية\n\nAnd English again.</response>");
    await until(page, "And English again.");
    const direction = (selector) => page.locator(selector).evaluate((element) => getComputedStyle(element).direction);
    assert.equal(await direction("#transcript .user .text"), "rtl");
    assert.equal(await direction("#title"), "rtl");
    assert.equal(await direction(".markdown > p:first-child"), "rtl");
    assert.equal(await direction(".markdown > p:last-child"), "ltr");
    await look(page, "right-to-left");
    await page.close();
  },
};
