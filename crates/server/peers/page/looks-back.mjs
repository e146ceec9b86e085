// The timeline, earlier moments, the raw text, and what is done with a whole conversation.

import assert from "node:assert/strict";
import { action, badge, call, look, send, until } from "./visitor.mjs";

const pause = Number(process.env.SILCROW_PAGE_PAUSE ?? 100);

export const looksBack = {
  async "the timeline shows overlap, an agent and what waits, and any earlier moment"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Before.");
    server.answer("<response>An earlier answer.</response>");
    await until(page, "An earlier answer.");
    await send(page, "Build it.");
    const sub = `<action type="agent" mode="async" id="help">{"name":"helper","parameters":{"task":"Look."}}</action>\n`;
    server.say("<thought>Two at once.</thought>\n", action("fetch", "work", { name: "fetch" }), sub);
    server.say(action("build", "work", { name: "build" }, { depends_on: ["fetch"] }), '<response final="false">The build ');
    await badge(page, "fetch", "runs");
    await badge(page, "build", "waits");
    await call(page, "help").locator("> summary").click();
    await call(page, "look").waitFor();
    await page.waitForTimeout(pause);
    server.say("is under way.");
    server.command("release fetch");
    await badge(page, "build", "runs");
    server.command("release inside");
    await badge(page, "help", "done");
    await page.waitForTimeout(pause);
    server.command("release build");
    server.answer("</response>");
    await badge(page, "build", "done");
    server.answer("<response>It is built.</response>");
    await until(page, "It is built.");
    await page.locator("#names li", { hasText: "build done" }).waitFor();
    const lanes = await page.locator("#names li").allInnerTexts();
    assert.equal(lanes.length, 5, `${lanes}`);
    assert.match(lanes[4], /build done.*after fetch/);
    assert.equal(await page.locator("#names .nested").count(), 1);
    assert.equal(await page.locator("#chart .arrow").count(), 2);
    const marks = await page.locator("#chart .tick").getAttribute("d");
    assert.ok(marks.split("M").length - 1 >= 2, marks);
    await page.getByText("saved by overlap").waitFor();
    await look(page, "timeline");
    await page.getByLabel("Time").fill("0");
    await until(page, "It is built.", 0);
    await until(page, "Build it.");
    await page.locator("#names li", { hasText: "not written yet" }).first().waitFor();
    await look(page, "past");
    await page.getByRole("button", { name: "Earlier run" }).click();
    await until(page, "Build it.", 0);
    await until(page, "An earlier answer.");
    await page.getByText("Run 1 of 2").waitFor();
    await page.getByRole("button", { name: "Back to now" }).click();
    await until(page, "It is built.");
    // Played again, it ends as it is now.
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await until(page, "It is built.", 0);
    await page.getByRole("button", { name: "Play" }).waitFor();
    await until(page, "It is built.");
    // The log keeps enough of it for another visitor.
    await page.reload();
    await page.locator("#names li", { hasText: /build done.*after fetch/ }).waitFor();
    await page.close();
  },

  async "the raw text of a turn is beside its events"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Write.");
    server.say(action("raw", "work", { name: "raw", says: "seven" }));
    server.command("release raw");
    server.answer("<response>It is $raw.</response>");
    await until(page, "It is seven.");
    await page.locator("#actions > summary").click();
    await page.getByRole("button", { name: "Show raw text" }).click();
    await page.locator(".raw > summary").first().click();
    const [written, events] = await Promise.all([0, 1].map((n) => page.locator(".raw section").nth(n)));
    await written.getByText("It is $raw.").waitFor();
    await written.getByText('<action type="tool"').waitFor();
    await events.getByText('"type":"result"').waitFor();
    await look(page, "raw");
    await page.close();
  },

  async "prompts are edited and answered again in branches"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "First.");
    server.answer("<response>One.</response>");
    await until(page, "One.");
    await send(page, "Second.");
    server.answer("<response>Two.</response>");
    await until(page, "Two.");
    await page.getByRole("button", { name: "Edit what you said" }).last().click();
    const field = page.getByLabel("What you said, edited");
    assert.equal(await field.inputValue(), "Second.");
    await field.fill("Third.");
    await page.locator(".edit").getByRole("button", { name: "Send" }).click();
    server.answer("<response>Three.</response>");
    await until(page, "Three.");
    await until(page, "Two.", 0);
    await until(page, "One.");
    await page.getByText("2 of 2").waitFor();
    await page.getByRole("button", { name: "Earlier version" }).click();
    await until(page, "Two.");
    await page.getByRole("button", { name: "Later version" }).click();
    await until(page, "Three.");
    await page.getByRole("button", { name: "Answer again" }).last().click();
    server.answer("<response>Third time.</response>");
    await until(page, "Third time.");
    await page.getByText("3 of 3").waitFor();
    // The list has one row for all of them, which leads to the one in which the chat goes on.
    await page.locator("#list a[aria-current=page]").waitFor();
    assert.equal(await page.locator("#list a", { hasText: "First." }).count(), 1);
    await look(page, "branches");
    // The first prompt has versions as all others, and they are there for who comes later.
    await page.getByRole("button", { name: "Edit what you said" }).first().click();
    await field.fill("Another first.");
    await page.locator(".edit").getByRole("button", { name: "Send" }).click();
    server.answer("<response>Anew.</response>");
    await until(page, "Anew.");
    await until(page, "One.", 0);
    await page.reload();
    await until(page, "Anew.");
    await page.getByText("2 of 2").waitFor();
    await page.getByRole("button", { name: "Earlier version" }).click();
    await until(page, "One.");
    await page.close();
  },

  async "conversations are found, changes taken back, and conversations deleted"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Where is the albatross?");
    server.answer("<response>On the wing.</response>");
    await until(page, "On the wing.");
    await page.getByLabel("Search").fill("albatross");
    const found = page.locator("#list a");
    await page.waitForFunction(() => document.querySelectorAll("#list a").length === 1);
    assert.match(await found.innerText(), /albatross/);
    await page.getByLabel("Search").fill("pterodactyl");
    await page.getByText("Nothing was found.").waitFor();
    await page.getByLabel("Search").fill("");
    const act = async (name) => {
      await page.locator("#actions > summary").click();
      await page.getByRole("button", { name }).click();
    };
    visitor.isServerGone = true; // An error of HTTP is reported by the browser.
    await act("Undo file changes");
    await page.getByText("keeps nothing by which changes could be taken back").waitFor();
    visitor.isServerGone = false;
    await page.locator("#actions > summary").click();
    assert.equal(await page.getByRole("button", { name: "Undo file changes" }).count(), 0);
    await page.locator("#actions > summary").click();
    server.command('undo {"files":[{"file":"a.txt","outcome":"restored"},{"file":"b.txt","outcome":"refused","why":"it has changed since"}]}');
    await page.reload();
    await until(page, "On the wing.");
    await act("Undo file changes");
    await page.locator("#told", { hasText: "a.txt is as it was" }).getByText("it has changed since").waitFor();
    const { hash } = new URL(page.url());
    await act("Rename");
    await page.getByLabel("New title").fill("Birds");
    await page.getByLabel("Rename this conversation").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Birds" }).waitFor();
    await act("Delete conversation");
    await until(page, "On the wing.", 0);
    // Who is about to take it back has the time for that.
    await page.getByRole("button", { name: "Undo" }).focus();
    await look(page, "deletion");
    await page.waitForTimeout(7_500);
    await page.keyboard.press("Enter");
    await until(page, "On the wing.");
    await act("Delete conversation");
    // Another deletion, or leaving the page, does not wait any longer.
    await page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await until(page, "On the wing.", 0);
    await page.waitForFunction((hash) => !document.querySelector(`#list a[href="${hash}"]`), hash);
    visitor.isServerGone = true;
    await page.goto(`${server.origin}/${hash}`);
    await page.getByText("It may have been deleted.").waitFor();
    await page.close();
    visitor.isServerGone = false;
  },
};
