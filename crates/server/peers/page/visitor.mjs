// A browser, and what a person does with it.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { PageServer, token } from "./server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const pictures = process.env.SILCROW_PAGE_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

/** How long something that must happen may take, in milliseconds. */
const PATIENCE = 30_000;

export class Visitor {
  static async start() {
    const visitor = new Visitor();
    visitor.server = await PageServer.start();
    visitor.browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    });
    const options = { viewport: { width: 1280, height: 800 }, colorScheme: "light", permissions: ["clipboard-read", "clipboard-write"] };
    visitor.context = await visitor.browser.newContext(options);
    await visitor.context.addInitScript(axe);
    await visitor.context.addInitScript(() => {
      globalThis.alert = () => console.error("a script has run");
    });
    /** What the browser reports although the server is there. */
    visitor.faults = [];
    visitor.isServerGone = false;
    return visitor;
  }

  async open(address = "/", origin = this.server.origin) {
    const page = await this.context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const report = (text) => this.isServerGone || this.faults.push(text);
    page.on("pageerror", (error) => report(`${error}`));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && report(message.text()));
    await page.goto(origin + address);
    return page;
  }

  async logIn(origin) {
    const page = await this.open(`/#token=${token}`, origin);
    await page.locator("#list li").first().waitFor();
    return page;
  }

  async end() {
    await this.browser.close();
    await this.server.stop();
  }
}

export async function send(page, prompt) {
  await page.getByLabel("Prompt").fill(prompt);
  await page.getByRole("button", { name: "Send" }).click();
}

export const action = (id, name, parameters, more = {}) =>
  `<action type="tool" mode="async" id="${id}">${JSON.stringify({ name, parameters, ...more })}</action>\n`;

/** Waits until a text is in the transcript so often. */
export const until = (page, text, count = 1) =>
  page.waitForFunction(
    ([text, count]) => document.querySelector("#transcript").innerText.split(text).length - 1 === count,
    [text, count],
  );

export const call = (page, id) => page.locator(`[data-call="${id}"]`);
export const badge = (page, id, text) => call(page, id).locator("> summary .badge", { hasText: text }).waitFor();

/** The screens on which all rules are checked; they have both schemes and all widths among them. */
const CHECKED = new Set(["light 1280", "dark 768", "light 375", "dark 375"]);

/** Checks the page for people who use it without a screen or a mouse, on screens of all sizes, light and dark. */
export async function look(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[1280, 800], [768, 1024], [375, 720]]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      // The chart is drawn again for the width.
      await page.waitForFunction(() => {
        const [chart, svg] = [document.querySelector("#chart"), document.querySelector("#chart svg")];
        return svg === null || chart.clientWidth === 0 || Number(svg.getAttribute("width")) === chart.clientWidth;
      });
      if (CHECKED.has(`${colorScheme} ${width}`)) {
        const { violations } = await page.evaluate(() => axe.run());
        const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        assert.deepEqual(told, [], `${name} ${colorScheme} ${width}`);
      }
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${name} is ${over} pixels too wide at ${width}`);
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${width}.png` });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}
