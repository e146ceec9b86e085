// Logging in, and runs from their prompt to their end.

import assert from "node:assert/strict";
import { token } from "./server.mjs";
import { action, badge, call, look, send, until } from "./visitor.mjs";

export const runs = {
  async "the token leaves the address, and is asked for without one"(visitor) {
    visitor.isServerGone = true; // Without a cookie the first requests are refused, and the browser says so.
    const page = await visitor.open();
    await page.getByLabel("Token").fill("00");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("this is not the token").waitFor();
    await look(page, "login");
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByText("There are no conversations yet.").waitFor();
    await visitor.context.clearCookies();
    await page.close();
    visitor.isServerGone = false;
    const other = await visitor.open(`/#token=${token}`);
    await other.getByText("There are no conversations yet.").waitFor();
    assert.equal(await other.evaluate(() => location.hash), "");
    await look(other, "welcome");
    await other.close();
  },

  async "three calls at once, two windows and a reload"(visitor) {
    const { server } = visitor;
    const one = await visitor.open();
    await send(one, "Compare three libraries.");
    server.say("<thought>I compare them.");
    await one.locator(".think.open .hint", { hasText: "I compare them." }).waitFor();
    server.say("</thought>\n");
    for (const name of ["first", "second", "third"]) server.say(action(name, "work", { name }));
    server.say('<response final="false">I **am** wor');
    await until(one, "I am wor");
    for (const name of ["first", "second", "third"]) await badge(one, name, "runs");
    await look(one, "running");
    const two = await visitor.open(`/${new URL(one.url()).hash}`);
    await until(two, "I am wor");
    await one.reload();
    await until(one, "I am wor");
    server.answer("king on it.</response>");
    for (const name of ["second", "first"]) server.command(`release ${name}`);
    server.command("fail third");
    for (const page of [one, two]) {
      await until(page, "I am working on it.");
      await badge(page, "first", "done");
      await badge(page, "second", "done");
      await badge(page, "third", "failed");
    }
    server.answer("<response>The `first` one.\n\n- small\n- fast\n</response>");
    for (const page of [one, two]) {
      await until(page, "The first one.");
      await until(page, "I am working on it.");
      assert.equal(await page.locator("#transcript > .call").count(), 3);
      assert.equal(await page.locator("#transcript > .user").count(), 1);
      await page.getByRole("button", { name: "Send" }).waitFor();
      assert.ok(!(await page.locator("#transcript .think").getAttribute("open")));
    }
    await look(one, "answer");
    await one.getByRole("button", { name: "Copy the answer" }).last().click();
    assert.match(await one.evaluate(() => navigator.clipboard.readText()), /^The `first` one\./);
    await two.close();
    await one.close();
  },

  async "files that a call has changed are below its row"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Change two files.");
    const hunks = "@@ -8,3 +8,3 @@ fn main() {\n one\n-<b>two</b>\n+<img src=x onerror=alert(1)> \u202e\n three\n";
    const long = `a/${"very-long-name-".repeat(12)}.txt`;
    const changes = [
      { path: "<i>.html", kind: "changed", added: 1, removed: 1, hunks },
      { path: long, kind: "created", added: 120, removed: 0, hunks: `@@ -0,0 +1 @@\n+${"wide ".repeat(60)}\n` },
      { path: "logo.png", kind: "removed", added: 0, removed: 0 },
    ];
    server.answer(action("edit", "work", { name: "edit", changes }), "<response final=\"false\">I do.</response>");
    await badge(page, "edit", "runs");
    assert.equal(await page.locator(".changes:visible").count(), 0);
    server.command("release edit");
    await badge(page, "edit", "done");
    const rows = page.locator(".change");
    await rows.nth(2).waitFor();
    assert.equal(await rows.count(), 3);
    assert.equal((await rows.first().locator("summary").innerText()).trim(), "<i>.html +1 −1");
    assert.equal((await rows.nth(2).innerText()).trim(), "logo.png removed");
    // The lines are folded, and the arguments of the call are not shown.
    assert.equal(await page.locator(".changes .diff").count(), 0);
    await rows.first().locator("> summary").click();
    const lines = rows.first().locator("pre > *");
    assert.deepEqual(await lines.evaluateAll((all) => all.map((line) => [line.tagName, line.dataset.number, line.textContent.trimEnd()])), [
      ["SPAN", "", "@@ -8,3 +8,3 @@ fn main() {"],
      ["SPAN", "8", "one"],
      ["DEL", "9", "<b>two</b>"],
      ["INS", "9", "<img src=x onerror=alert(1)> \\u{202e}"],
      ["SPAN", "10", "three"],
    ]);
    await rows.nth(1).locator("> summary").click();
    server.answer("<response>Both are changed.</response>");
    await until(page, "Both are changed.");
    // What was opened stays open.
    assert.equal(await page.locator(".changes .diff").count(), 2);
    await look(page, "changes");
    await page.close();
  },

  async "a run is steered and stopped"(visitor) {
    const page = await visitor.open();
    await send(page, "Count.");
    visitor.server.say("<response>One, two");
    await until(page, "One, two");
    await page.getByLabel("Prompt").fill("Backwards.");
    await page.getByRole("button", { name: "Steer" }).click();
    await page.waitForFunction(() => document.querySelector("#prompt").value === "");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.close();
  },

  async "the first screen has things to try, and Escape stops a run"(visitor) {
    const page = await visitor.open();
    const first = page.getByRole("group", { name: "Things to try" }).getByRole("button").first();
    const prompt = await first.innerText();
    await first.click();
    visitor.server.say("<response>One, ");
    await until(page, "One,");
    assert.equal(await page.locator("#transcript .user .text").innerText(), prompt);
    // In the search the key empties the field, and in a prompt that is edited it leaves that.
    await page.getByLabel("Search").fill("x");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Edit what you said" }).click();
    await page.keyboard.press("Escape");
    visitor.server.say("two");
    await until(page, "One, two");
    await page.getByLabel("Prompt").press("Escape");
    await page.getByText("the person stopped the run").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.close();
  },

  async "a run that fails says why, and can be tried again"(visitor) {
    const page = await visitor.open();
    await send(page, "Try it.");
    visitor.server.command("break the key is wrong");
    await page.locator(".note.bad").last().getByText("the key is wrong").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await until(page, "the key is wrong");
    await page.getByRole("button", { name: "Try again" }).click();
    visitor.server.answer("<response>Now it works.</response>");
    await until(page, "Now it works.");
    await until(page, "Try it.");
    await page.close();
  },

  async "a server that was killed and started again loses nothing"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Tell me a story.");
    server.answer("<response>Once upon a time.</response>");
    await until(page, "Once upon a time.");
    await send(page, "Go on.");
    server.say("<response>And then ");
    await until(page, "And then");
    await page.getByLabel("Prompt").fill("A draft");
    visitor.isServerGone = true;
    await server.kill();
    await page.getByText("Connecting…").waitFor();
    await look(page, "lost");
    await server.restart();
    // The cookie follows from the token, so the page is still logged in.
    await until(page, "And then", 0);
    visitor.isServerGone = false;
    assert.equal(await page.getByLabel("Prompt").inputValue(), "A draft");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await send(page, "Once more.");
    server.answer("<response>And then they lived.</response>");
    await until(page, "And then they lived.");
    await until(page, "Once upon a time.");
    await page.close();
  },

  async "a person needs no mouse"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    const focused = () => page.evaluate(() => {
      const { activeElement: element } = document;
      const { outlineStyle } = getComputedStyle(element.id === "prompt" ? element.parentElement : element);
      const isPage = element === document.body;
      return { name: element.id || element.textContent.trim(), isPage, isSeen: outlineStyle !== "none" };
    });
    /** Presses a key until something has the focus, and sees to it that the focus is seen. */
    const go = async (wanted, key = "Tab") => {
      for (let n = 0; n < 60; n += 1) {
        await page.keyboard.press(key);
        const { name, isPage, isSeen } = await focused();
        // The browser itself has places for the focus, too.
        if (isPage) continue;
        assert.ok(isSeen, `nobody sees that ${name} has the focus`);
        if (wanted.test(name)) return;
      }
      assert.fail(`the keyboard does not reach ${wanted}`);
    };
    await go(/^skip$/);
    await page.keyboard.press("Enter");
    assert.equal((await focused()).name, "prompt");
    await page.keyboard.type("First line");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("second line");
    await page.keyboard.press("Enter");
    server.say(action("keys", "work", { name: "keys", says: "by keys" }));
    server.answer('<response final="false">Work.</response>');
    server.command("release keys");
    server.answer("<response>Done by keys.</response>");
    await until(page, "Done by keys.");
    await until(page, "First line\nsecond line");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await go(/^work.*done/s, "Shift+Tab");
    await page.keyboard.press("Enter");
    await call(page, "keys").getByText("Result").waitFor();
    await go(/^time$/, "Shift+Tab");
    await page.keyboard.press("Home");
    await until(page, "Done by keys.", 0);
    await go(/^now$/);
    await page.keyboard.press("Enter");
    await until(page, "Done by keys.");
    await go(/^Actions$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await go(/^delete$/);
    await page.keyboard.press("Escape");
    assert.equal((await focused()).name, "Actions");
    await go(/^New conversation|new$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    assert.equal((await focused()).name, "prompt");
    await page.close();
  },
};
