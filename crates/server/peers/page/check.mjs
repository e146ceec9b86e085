// A real browser shows the page of a real server, and a person uses it.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { PageServer, token } from "./server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.SILCROW_PAGE_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

const server = await PageServer.start();
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
await context.addInitScript(axe);
await context.addInitScript(() => {
  globalThis.alert = () => console.error("a script has run");
});

/** What the browser reports although the server is there. */
const faults = [];
let isServerGone = false;

async function openPage(address = "/") {
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const report = (text) => isServerGone || faults.push(text);
  page.on("pageerror", (error) => report(`${error}`));
  page.on("console", (message) => message.type() === "error" && report(message.text()));
  await page.goto(server.origin + address);
  return page;
}

async function send(page, prompt) {
  await page.getByLabel("Prompt").fill(prompt);
  await page.getByRole("button", { name: "Send" }).click();
}

const action = (id, name, parameters, more = {}) =>
  `<action type="tool" mode="async" id="${id}">${JSON.stringify({ name, parameters, ...more })}</action>\n`;

/** Waits until a function of the page says yes. */
const until = (page, text, count = 1) =>
  page.waitForFunction(
    ([text, count]) => document.querySelector("#transcript").innerText.split(text).length - 1 === count,
    [text, count],
  );

const call = (page, id) => page.locator(`[data-call="${id}"]`);
const badge = (page, id, text) => call(page, id).locator("> summary .badge", { hasText: text }).waitFor();

/** Checks the page for people who use it without a screen or a mouse, and for small and dark screens. */
async function look(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 375]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: width === 375 ? 720 : 800 });
      const { violations } = await page.evaluate(() => axe.run());
      const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const told = bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      assert.deepEqual(told, [], `${name} ${colorScheme} ${width}`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${name} is ${over} pixels too wide at ${width}`);
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${width}.png` });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

const checks = {
  async "the token leaves the address, and is asked for without one"() {
    isServerGone = true; // Without a cookie the first requests are refused, and the browser says so.
    const page = await openPage();
    await page.getByLabel("Token").fill("00");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("this is not the token").waitFor();
    await look(page, "login");
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("There are no conversations yet.").waitFor();
    await context.clearCookies();
    await page.close();
    isServerGone = false;
    const other = await openPage(`/#token=${token}`);
    await other.getByText("There are no conversations yet.").waitFor();
    assert.equal(await other.evaluate(() => location.hash), "");
    await other.close();
  },

  async "three calls at once, two windows and a reload"() {
    const one = await openPage();
    await send(one, "Compare three libraries.");
    server.say("<thought>I compare them.</thought>\n");
    for (const name of ["first", "second", "third"]) server.say(action(name, "work", { name }));
    server.say('<response final="false">I **am** wor');
    await until(one, "I am wor");
    for (const name of ["first", "second", "third"]) await badge(one, name, "runs");
    const two = await openPage(new URL(one.url()).hash.replace(/^/, "/"));
    await until(two, "I am wor");
    await one.reload();
    await until(one, "I am wor");
    server.answer("king on it.</response>");
    for (const name of ["second", "first", "third"]) server.command(`release ${name}`);
    for (const page of [one, two]) {
      await until(page, "I am working on it.");
      for (const name of ["first", "second", "third"]) await badge(page, name, "done");
    }
    await look(one, "calls");
    server.answer("<response>The `first` one.\n\n- small\n- fast\n</response>");
    for (const page of [one, two]) {
      await until(page, "The first one.");
      await until(page, "I am working on it.");
      assert.equal(await page.locator("#transcript > .call").count(), 3);
      assert.equal(await page.locator("#transcript > .user").count(), 1);
      await page.getByRole("button", { name: "Send" }).waitFor();
    }
    await two.close();
    await one.close();
  },

  async "an approval shows what will happen, and keys answer it"() {
    const page = await openPage();
    const parameters = { page: "news.md", text: "One\nTwo", risky: true };
    await send(page, "Publish it.");
    server.answer(action("one", "publish", { page: "index.md", text: "Hello" }), action("two", "publish", parameters));
    const cards = page.locator(".card");
    await cards.nth(1).waitFor();
    // Who is about to write a prompt that begins with a y has not answered.
    await page.getByLabel("Prompt").focus();
    await page.keyboard.press("y");
    assert.equal(await page.getByLabel("Prompt").inputValue(), "y");
    await page.getByLabel("Prompt").fill("");
    const [first, second] = await cards.allInnerTexts();
    for (const text of ["publish", "pages/index.md", "replaces one line", "Hello", "Always", "each call of publish"]) {
      assert.ok(first.includes(text), `${text}: ${first}`);
    }
    assert.ok(second.includes("everybody can read it") && second.includes("One\nTwo"), second);
    assert.ok(!second.includes("Always"), "a risk needs a yes of its own");
    await look(page, "approval");
    await cards.nth(0).focus();
    await page.keyboard.press("y");
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
    await page.reload();
    await cards.nth(0).waitFor();
    await cards.nth(0).focus();
    await page.keyboard.press("n");
    server.answer("<response>One of them is published.</response>");
    await until(page, "One of them is published.");
    await badge(page, "one", "done");
    await badge(page, "two", "denied");
    await page.close();
  },

  async "a server that was killed and started again loses nothing"() {
    const page = await openPage();
    await send(page, "Tell me a story.");
    server.answer("<response>Once upon a time.</response>");
    await until(page, "Once upon a time.");
    await send(page, "Go on.");
    server.say("<response>And then ");
    await until(page, "And then");
    await page.getByLabel("Prompt").fill("A draft");
    isServerGone = true;
    await server.kill();
    await page.getByText("Connecting…").waitFor();
    await server.restart();
    // The cookie has ended with the server.
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Log in" }).click();
    await until(page, "And then", 0);
    isServerGone = false;
    assert.equal(await page.getByLabel("Prompt").inputValue(), "A draft");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await send(page, "Once more.");
    server.answer("<response>And then they lived.</response>");
    await until(page, "And then they lived.");
    await until(page, "Once upon a time.");
    await page.close();
  },

  async "a run is steered and stopped"() {
    const page = await openPage();
    await send(page, "Count.");
    server.say("<response>One, two");
    await until(page, "One, two");
    await page.getByLabel("Prompt").fill("Backwards.");
    await page.getByRole("button", { name: "Steer" }).click();
    await page.waitForFunction(() => document.querySelector("#prompt").value === "");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.close();
  },

  async "the timeline shows overlap, an agent and what waits, and any earlier moment"() {
    const page = await openPage();
    await send(page, "Build it.");
    const sub = `<action type="agent" mode="async" id="help">{"name":"helper","parameters":{"task":"Look."}}</action>\n`;
    server.say("<thought>Two at once.</thought>\n", action("fetch", "work", { name: "fetch" }), sub);
    server.say(action("build", "work", { name: "build" }, { depends_on: ["fetch"] }), '<response final="false">The build ');
    await badge(page, "fetch", "runs");
    await call(page, "help").locator("> summary").click();
    await call(page, "look").waitFor();
    await page.locator("#timeline > summary").click();
    await page.waitForTimeout(Number(process.env.SILCROW_PAGE_PAUSE ?? 100));
    server.say("is under way.");
    server.command("release fetch");
    await badge(page, "build", "runs");
    server.command("release inside");
    await badge(page, "help", "done");
    await page.waitForTimeout(Number(process.env.SILCROW_PAGE_PAUSE ?? 100));
    server.command("release build");
    server.answer("</response>");
    await badge(page, "build", "done");
    server.answer("<response>It is built.</response>");
    await until(page, "It is built.");
    const lanes = await page.locator("#lanes li").allInnerTexts();
    assert.equal(lanes.length, 5, `${lanes}`);
    assert.match(lanes[4], /build done.*after fetch/);
    assert.equal(await page.locator("#lanes .nested").count(), 1);
    assert.equal(await page.locator("#lanes .arrow").count(), 2);
    assert.ok((await page.locator("#lanes .tick").count()) >= 2);
    await page.getByText("saved by overlap").waitFor();
    await look(page, "timeline");
    await page.getByLabel("Time").fill("0");
    await until(page, "It is built.", 0);
    await until(page, "Build it.");
    await page.getByLabel("Time").fill("1000");
    await until(page, "It is built.");
    await page.close();
  },

  async "a conversation is forked from a prompt"() {
    const page = await openPage();
    await send(page, "First.");
    server.answer("<response>One.</response>");
    await until(page, "One.");
    await send(page, "Second.");
    server.answer("<response>Two.</response>");
    await until(page, "Two.");
    await page.getByRole("button", { name: "Fork before this prompt" }).last().click();
    await until(page, "Two.", 0);
    await until(page, "One.");
    assert.equal(await page.getByLabel("Prompt").inputValue(), "Second.");
    await send(page, "Third.");
    server.answer("<response>Three.</response>");
    await until(page, "Three.");
    await page.goBack();
    await until(page, "Two.");
    await page.getByRole("button", { name: "Fork before this prompt" }).first().click();
    await until(page, "First.", 0);
    assert.equal(await page.getByLabel("Prompt").inputValue(), "First.");
    await page.close();
  },

  async "no text becomes a part of the page"() {
    const page = await openPage();
    const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
    await send(page, `${evil} [x](javascript:alert(3)) `);
    server.answer(
      `<thought>${evil}</thought>\n`,
      action("safe", "work", { name: "evil", says: evil, [evil]: evil }),
      action("ask", "publish", { page: evil, text: evil, "\u202eevil": "\u200b" }),
      `<response final="false">${evil} [link](javascript:alert(4)) [also](data:text/html,x) \`${evil}\`</response>`,
    );
    server.command("release evil");
    await page.locator(".card").waitFor();
    await call(page, "safe").locator("> summary").click();
    assert.equal(await page.locator("main img, main script, main a").count(), 0);
    assert.match(await page.locator(".card").innerText(), /\\u\{202e\}evil[\s\S]*\\u\{200b\}/);
    await page.getByLabel("Search").fill("alert");
    await page.locator(".excerpt").first().waitFor();
    await look(page, "hostile");
    await page.close();
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    assert.deepEqual(faults.splice(0), []);
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.error(`failed: ${name}\n${error.stack}`);
    faults.splice(0);
    if (pictures) {
      const pages = context.pages();
      for (const [at, page] of pages.entries()) await page.screenshot({ path: `${pictures}/failed-${failed}-${at}.png` });
    }
    for (const page of context.pages()) await page.close();
    // What the failed check left unsaid would be said in the next one.
    await server.kill();
    await server.restart();
    const page = await openPage(`/#token=${token}`);
    await page.locator("#list li").first().waitFor();
    await page.close();
    faults.splice(0);
  }
}
await browser.close();
await server.stop();
process.exit(failed > 0 ? 1 : 0);
