// Questions of other users, links that open one question, and blocks on the timeline.

import assert from "node:assert/strict";
import { otherToken } from "./server.mjs";
import { action, badge, look, send, until } from "./visitor.mjs";

/** Sends a request of a program, as another user. */
async function request(server, method, path, body, headers = {}) {
  const answer = await fetch(`${server.origin}${path}`, {
    method, body: body && JSON.stringify(body), headers: { authorization: `Bearer ${otherToken}`, ...headers },
  });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.json();
}

export const others = {
  async "the owner answers what the run of another user asks"(visitor) {
    const { server } = visitor;
    await request(server, "POST", "/conversations/bobs/runs", { prompt: "Publish <b>mine</b>." });
    server.answer(action("mine", "publish", { page: "bob.md", text: "Hi" }));
    const page = await visitor.open();
    const button = page.getByRole("button", { name: "1 question of others" });
    await button.click();
    const dialog = page.locator("#others");
    await dialog.getByText("Publish <b>mine</b>.").waitFor();
    const text = await dialog.innerText();
    for (const part of ["bob", "replaces one line", "Nothing yet.", "Hi"]) assert.ok(text.includes(part), `${part}: ${text}`);
    await look(page, "others");
    // It is no conversation of the owner.
    assert.equal(await page.locator("#list", { hasText: "Publish <b>mine</b>." }).count(), 0);
    await dialog.locator(".card").focus();
    await page.keyboard.press("y");
    await dialog.getByText("No run waits.").waitFor();
    server.answer("<response>It is there.</response>");
    let log;
    do log = JSON.stringify(await request(server, "GET", "/conversations/bobs"));
    while (!log.includes("It is there."));
    assert.ok(log.includes('"state":"allowed"'), log);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.close();
  },

  async "a conversation that waits says so in the list"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Publish this one.");
    server.answer(action("this", "publish", { page: "this.md", text: "Hi" }));
    await page.locator("#list a", { hasText: "Publish this one." }).locator(".badge", { hasText: "asks you" }).waitFor();
    await page.locator("#questions .card").focus();
    await page.keyboard.press("n");
    server.answer("<response>Then not.</response>");
    await until(page, "Then not.");
    await page.waitForFunction(() => !document.querySelector("#list").innerText.includes("asks you"));
    await page.close();
  },

  async "a link of a chat opens its question once, for somebody without a token"(visitor) {
    const { server } = visitor;
    const chat = { "x-openwebui-chat-id": "walk", "x-openwebui-user-id": "7" };
    const body = { model: "silcrow", messages: [{ role: "user", content: "Publish the walk." }] };
    const asked = request(server, "POST", "/v1/chat/completions", body, chat);
    server.answer(action("walk", "publish", { page: "walk.md", text: "Left, right" }));
    const [{ message }] = (await asked).choices;
    const link = /\]\((http[^)]+#q\/[0-9a-f]+)\)/.exec(message.content)[1];
    const stranger = await visitor.browser.newContext({ viewport: { width: 1280, height: 800 } });
    const faults = [];
    const open = async () => {
      const page = await stranger.newPage();
      page.on("pageerror", (error) => faults.push(`${error}`));
      await page.goto(link);
      return page;
    };
    const page = await open();
    await page.getByRole("heading", { name: "Publish the walk." }).waitFor();
    const card = page.locator(".card");
    const text = await card.innerText();
    assert.ok(text.includes("replaces one line") && text.includes("Left, right"), text);
    assert.ok(!text.includes("Always"), text);
    assert.equal(await page.evaluate(() => location.hash), "");
    assert.equal(await page.locator("nav, #field").evaluateAll((all) => all.filter((one) => one.offsetParent).length), 0);
    for (const width of [360, 768, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${over} pixels too wide at ${width}`);
      if (process.env.SILCROW_PAGE_PICTURES) await page.screenshot({ path: `${process.env.SILCROW_PAGE_PICTURES}/linked-${width}.png` });
    }
    // Whoever has the link after that opens nothing.
    const late = await open();
    await late.getByText("works once").waitFor();
    assert.equal(await late.locator(".card").count(), 0);
    await card.focus();
    await page.keyboard.press("y");
    await page.getByText("Your yes is taken.").waitFor();
    server.answer("<response>You walk.</response>");
    // The link is no login.
    await page.reload();
    await page.getByLabel("Token").waitFor();
    assert.deepEqual(faults, []);
    await stranger.close();
  },

  async "a form of a call is filled in"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Print it.");
    server.answer(action("ask", "ask", {}));
    const form = page.locator("#forms form");
    await form.waitFor();
    assert.match(await form.innerText(), /Which <b>colour<\/b>\?/);
    await look(page, "form");
    await form.getByLabel("Colour").selectOption("blue");
    await form.getByLabel("copies").fill("2");
    await form.getByLabel("glossy").check();
    await form.getByRole("button", { name: "Answer", exact: true }).click();
    server.answer("<response>It is printed.</response>");
    await until(page, "It is printed.");
    assert.equal(await form.count(), 0);
    await page.locator('[data-call="ask"] > summary').click();
    await page.locator("#transcript .call").last().getByText("Accepted").waitFor();
    const said = await page.locator("#transcript .call").last().innerText();
    for (const part of ['"colour": String("blue")', '"copies": Number(2)', '"glossy": Bool(true)']) assert.ok(said.includes(part), said);
    assert.ok(!said.includes('"to"'), said);
    await page.close();
  },

  async "a choice is kept for its conversation"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    const effort = page.getByLabel("Effort");
    await effort.waitFor();
    assert.equal(await effort.inputValue(), "default");
    const kept = page.waitForResponse((answer) => answer.url().endsWith("/choices") && answer.request().method() === "POST");
    await effort.selectOption("high");
    assert.equal((await kept).status(), 204);
    await send(page, "Think hard.");
    server.answer("<response>I did.</response>");
    await until(page, "I did.");
    await look(page, "choices");
    await page.reload();
    await until(page, "I did.");
    await page.waitForFunction(() => document.querySelector("#choices select")?.value === "high");
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.waitForFunction(() => document.querySelector("#choices select")?.value === "default");
    await page.close();
  },

  async "a loop is one row of the timeline that opens to its items"(visitor) {
    const { server } = visitor;
    const page = await visitor.logIn();
    await page.setViewportSize({ width: 1280, height: 900 });
    await send(page, "Look at three.");
    const inner = action("look", "work", { name: "$n" });
    server.say(
      '<parallel id="both">\n', action("side", "work", { name: "side" }),
      `<foreach id="each" in="['x', 'y', 'z']" as="n" max_parallel="5" limit="100" on_error="skip">\n${inner}</foreach>\n</parallel>\n`,
    );
    // In the transcript, too, a loop is one row, which opens to its calls.
    const folded = page.locator("#transcript [data-loop=each]");
    await folded.locator("> summary").waitFor();
    await page.locator("#transcript [data-call=side]").waitFor();
    assert.equal(await page.locator("#transcript [data-call]").count(), 1);
    await folded.locator("> summary").click();
    await badge(page, "each[2].look", "runs");
    assert.equal(await folded.locator("[data-call]").count(), 3);
    const names = page.locator("#names");
    const rows = () => names.locator("li").evaluateAll((all) => all.map((row) => row.innerText.replace(/\s+/g, " ").trim()));
    const loop = names.getByRole("button", { name: /foreach each/ });
    await loop.waitFor();
    assert.equal(await loop.getAttribute("aria-expanded"), "false");
    assert.deepEqual((await rows()).map((row) => row.split(" ").slice(0, 2).join(" ")), ["model", "parallel both", "work side", "foreach each"]);
    server.command("release x");
    server.command("fail y");
    await names.getByText("2 of 3 items, 1 failed").waitFor();
    await folded.locator("> summary", { hasText: /foreach each\s*runs\s*2 of 3 items, 1 failed/ }).waitFor();
    await look(page, "loop");
    await loop.focus();
    await page.keyboard.press("Enter");
    await names.getByRole("button", { name: /each\[1\]/ }).waitFor();
    // Who opens it by keys stays where he was.
    assert.match(await page.evaluate(() => document.activeElement.innerText), /foreach each/);
    assert.equal((await rows()).length, 4 + 3 + 3);
    await look(page, "loop-open");
    for (const name of ["z", "side"]) server.command(`release ${name}`);
    await badge(page, "each[2].look", "done");
    server.answer('<response final="false">I look.</response>');
    server.answer("<response>I looked.</response>");
    await until(page, "I looked.");
    await loop.click();
    assert.equal((await rows()).length, 4);
    // The same after a reload, from the log.
    await page.reload();
    await loop.waitFor();
    assert.match((await rows())[3], /foreach each done, 3 of 3 items, 1 failed/);
    assert.match(await folded.locator("> summary").innerText(), /foreach each\s+done\s+3 of 3 items, 1 failed/);
    assert.equal(await folded.locator("[data-call]").count(), 0);
    // A result of a block is for the calls after it.
    assert.equal(await page.locator("#transcript .note").count(), 0);
    await page.close();
  },
};
