// Questions, and texts that want to be more than texts.

import assert from "node:assert/strict";
import { action, badge, call, look, send, until } from "./visitor.mjs";

export const questions = {
  async "an approval shows what will happen, and keys answer it"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
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
    await cards.nth(0).locator(".more > summary").click();
    const [first, second] = await cards.allInnerTexts();
    const shown = ["publish", "pages/index.md", "replaces one line", "+1 −1 lines", "Nothing yet.", "Hello", "Always covers in this conversation: publish"];
    for (const text of [...shown, "each call of publish"]) assert.ok(first.includes(text), `${text}: ${first}`);
    assert.ok(second.includes("everybody can read it") && second.includes("One\nTwo"), second);
    assert.ok(!second.includes("Always"), "a risk needs a yes of its own");
    assert.equal(await cards.nth(0).locator(".diff del").last().innerText(), "Nothing yet.\n");
    await look(page, "question");
    await cards.nth(0).focus();
    await page.keyboard.press("y");
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
    await page.reload();
    await cards.nth(0).waitFor();
    // A reason goes with a no; its letters answer nothing.
    await page.getByLabel("Reason, if you deny it").fill("Not yet, ask Ann.");
    await page.keyboard.press("Enter");
    server.answer("<response>One of them is published.</response>");
    await until(page, "One of them is published.");
    await badge(page, "one", "done");
    await badge(page, "two", "denied");
    await call(page, "two").locator("> summary").click();
    await call(page, "two").getByText("Not yet, ask Ann.").first().waitFor();
    await page.close();
  },

  async "one card asks about all items of a loop, and ticks allow some"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Publish them.");
    const each = `<foreach id="each" in="['a','b','c']" as="p" max_parallel="1" on_error="skip">\n${action("s", "publish", { page: "$p" })}\n</foreach>`;
    server.answer(each);
    const card = page.locator(".card");
    await card.waitFor();
    assert.equal(await card.count(), 1);
    const shown = await card.innerText();
    for (const text of ["3 times?", "each[0].s", "each[1].s", "each[2].s"]) assert.ok(shown.includes(text), `${text}: ${shown}`);
    await card.locator(".items input").nth(1).uncheck();
    await card.locator(".y").click();
    server.answer("<response>Two of them.</response>");
    await until(page, "Two of them.");
    await page.close();
  },

  async "a command and an address are shown as what they are"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Show them.");
    const command = "rm -r build\necho done";
    const url = "https://example.org@evil.example/x?page=https://example.org/";
    server.answer(action("c", "publish", { page: "a", command }), action("u", "publish", { page: "b", url }));
    const cards = page.locator(".card");
    await cards.nth(1).waitFor();
    assert.equal(await cards.nth(0).locator(".command").textContent(), command);
    assert.equal(await cards.nth(1).locator(".address").textContent(), url);
    assert.equal(await cards.nth(1).locator(".address strong").textContent(), "evil.example");
    for (let left = 2; left > 0; left -= 1) {
      await cards.nth(0).locator(".n").click();
      await page.waitForFunction((left) => document.querySelectorAll(".card").length === left, left - 1);
    }
    server.answer("<response>Neither.</response>");
    await until(page, "Neither.");
    await page.close();
  },

  async "two windows answer two questions at once, and one of them the same twice"(visitor) {
    const { server } = visitor;
    const one = await visitor.open();
    await send(one, "Publish both.");
    server.answer(action("l", "publish", { page: "left" }), action("r", "publish", { page: "right" }));
    await one.locator(".card").nth(1).waitFor();
    const two = await visitor.open(`/${new URL(one.url()).hash}`);
    await two.locator(".card").nth(1).waitFor();
    // The second answer to a question gets an error of HTTP, which the browser reports.
    visitor.isServerGone = true;
    await Promise.all([
      one.locator(".card").nth(0).locator(".y").click(), two.locator(".card").nth(0).locator(".n").click(),
    ]);
    for (const page of [one, two]) await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
    // The window that comes second may find no card any more.
    const press = (page) => page.locator(".card .y").click({ timeout: 5_000 }).catch(() => {});
    await Promise.all([press(one), press(two)]);
    server.answer("<response>Both were answered.</response>");
    for (const page of [one, two]) {
      await until(page, "Both were answered.");
      await badge(page, "r", "done");
      await page.waitForFunction(() => document.querySelectorAll(".card").length === 0);
    }
    const states = await Promise.all([one, two].map((page) => call(page, "l").locator("> summary .badge").innerText()));
    assert.equal(states[0], states[1]);
    visitor.isServerGone = false;
    await two.close();
    await one.close();
  },

  async "no text becomes a part of the page"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
    await send(page, `${evil} [x](javascript:alert(3)) `);
    server.answer(
      `<thought>${evil}</thought>\n`,
      action("safe", "work", { name: "evil", says: evil, [evil]: evil }),
      action(`<b>${"i"}</b>`, evil, { evil }, { depends_on: ["safe"] }),
      action("ask", "publish", { page: evil, text: evil, url: `https://x/${evil}`, command: evil, "\u202eevil": "\u200b" }),
      `<response final="false">${evil} [link](javascript:alert(4)) [also](data:text/html,x) \`${evil}\` <a href="javascript:alert(5)">x</a>`,
      `\n\n| ${evil} | b |\n|---|---|\n| ${evil} | [x](vbscript:x) |\n\n> ${evil}\n\n\`\`\`${evil}\n${evil}\n\`\`\`\n![x](https://x/y.png)</response>`,
    );
    server.command("release evil");
    await page.locator(".card").waitFor();
    for (const summary of await page.locator("#transcript summary").all()) await summary.click();
    await page.locator("#actions > summary").click();
    await page.locator("#raw").click();
    await page.locator(".raw").first().waitFor();
    for (const summary of await page.locator(".raw > summary").all()) await summary.click();
    await page.getByRole("heading", { name: "What the model wrote" }).first().waitFor();
    assert.equal(await page.locator("main img, main script, main b, main a[href^=j i], main a[href^=d i], main a[href^=v i]").count(), 0);
    assert.match(await page.locator(".card").innerText(), /\\u\{202e\}evil[\s\S]*\\u\{200b\}/);
    await page.getByLabel("Search").fill("alert");
    await page.locator(".excerpt mark").first().waitFor();
    await page.locator("#actions > summary").click();
    await page.locator("#delete").click();
    await page.locator("#toast").getByText("<img").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".card").waitFor();
    assert.equal(await page.locator("img, body script, .excerpt > :not(mark)").count(), 0);
    await look(page, "hostile");
    await page.getByLabel("Reason, if you deny it").fill(evil);
    await page.locator(".card .n").click();
    server.command(`break ${evil}`);
    await page.locator(".note.bad", { hasText: "<script>" }).last().waitFor();
    assert.equal(await page.locator("img, body script").count(), 0);
    await page.close();
  },
};
