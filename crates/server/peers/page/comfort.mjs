// What makes daily use easy: days and pins in the list, themes, commands, and long pastes.

import assert from "node:assert/strict";
import { look, send, until } from "./visitor.mjs";

export const comfort = {
  async "the list has days, and what is pinned comes first"(visitor) {
    const page = await visitor.open();
    await send(page, "Keep this one.");
    visitor.server.answer("<response>Kept.</response>");
    await until(page, "Kept.");
    const days = page.locator("#list h2");
    await days.getByText("Today").waitFor();
    await page.locator("#actions > summary").click();
    await page.getByRole("button", { name: "Pin" }).click();
    await days.getByText("Pinned").waitFor();
    const first = async () => (await page.locator("#list li").allInnerTexts()).slice(0, 2).join(" ");
    assert.match(await first(), /Pinned[^]*Keep this one/);
    // The browser keeps it.
    await page.reload();
    await days.getByText("Pinned").waitFor();
    await look(page, "pinned");
    await page.locator("#actions > summary").click();
    const pin = page.getByRole("button", { name: "Pin" });
    assert.equal(await pin.getAttribute("aria-pressed"), "true");
    await pin.click();
    await page.waitForFunction(() => !document.querySelector("#list").innerText.includes("Pinned"));
    await page.close();
  },

  async "a person chooses the colours"(visitor) {
    const page = await visitor.open();
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    const theme = page.locator("#theme");
    await theme.click();
    assert.equal(await back(), light);
    await theme.click();
    assert.equal(await theme.innerText(), "Theme: dark");
    const dark = await back();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByText("Theme: dark").waitFor();
    assert.equal(await back(), dark);
    await theme.click();
    assert.equal(await theme.innerText(), "Theme: system");
    assert.equal(await back(), light);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await back(), dark);
    await page.close();
  },

  async "commands and conversations are found by their letters"(visitor) {
    const page = await visitor.open();
    await send(page, "Where is the heron?");
    visitor.server.answer("<response>At the pond.</response>");
    await until(page, "At the pond.");
    await page.locator("#list a", { hasText: "heron" }).waitFor();
    await page.keyboard.press("Control+k");
    const rows = page.locator("#commands").getByRole("option");
    await page.getByRole("option", { name: "Rename" }).waitFor();
    await look(page, "palette");
    await page.keyboard.type("new conv");
    assert.deepEqual(await rows.allInnerTexts(), ["New conversation"]);
    await page.keyboard.press("Enter");
    await until(page, "At the pond.", 0);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("heron");
    await page.keyboard.press("Enter");
    await until(page, "At the pond.");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("no such thing");
    await page.getByText("Nothing has this name.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").count(), 0);
    await page.close();
  },

  async "a long text that is pasted is one line, and 60,000 lines take less than a second"(visitor) {
    const page = await visitor.open();
    const paste = (text) => page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      const begun = performance.now();
      byId("prompt").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      // With what the browser lays out for it.
      byId("prompt").getBoundingClientRect();
      return performance.now() - begun;
      function byId(id) {
        return document.getElementById(id);
      }
    }, text);
    const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at + 1}`).join("\n");
    const took = await paste(lines);
    assert.ok(took < 1_000, `it took ${took} ms`);
    await page.getByText("Pasted text, 60,000 lines").waitFor();
    await page.getByRole("button", { name: "Remove: Pasted text, 60,000 lines" }).click();
    assert.equal(await page.locator("#pasted li").count(), 0);
    await send(page, "First.");
    visitor.server.answer("<response>One.</response>");
    await until(page, "One.");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await paste(lines.split("\n").slice(0, 200).join("\n"));
    await page.getByLabel("Prompt").fill("What is this?");
    await look(page, "pasted");
    // It is there for who comes back.
    await page.reload();
    await page.getByText("Pasted text, 200 lines").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    visitor.server.answer("<response>Two hundred lines.</response>");
    await until(page, "Two hundred lines.");
    assert.equal(await page.locator("#pasted li").count(), 0);
    await until(page, "line 200", 0);
    await page.getByRole("button", { name: "Show all 202 lines" }).click();
    await until(page, "line 200");
    await page.close();
  },

  async "a picture that is dropped goes with the prompt, is shown, and goes again with an edited one"(visitor) {
    const page = await visitor.open();
    await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 200 });
      const context = canvas.getContext("2d");
      context.fillStyle = "teal";
      context.fillRect(0, 0, 320, 200);
      const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([blob], "heron.png", { type: "image/png" }));
      document.getElementById("stage").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
    await page.getByText("heron.png, ").waitFor();
    await look(page, "attached");
    await page.getByRole("button", { name: "Remove: heron.png" }).click();
    await page.locator("#files").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await page.getByText("notes.txt, ").waitFor();
    await send(page, "Read this.");
    await page.getByText("notes.txt cannot be sent").waitFor();
    // The browser reports that the server has refused it.
    assert.match(visitor.faults.splice(0).join(), /400/);
    await page.getByRole("button", { name: "Remove: notes.txt" }).click();
    const picture = Buffer.from(await page.screenshot({ clip: { x: 0, y: 0, width: 60, height: 40 } }));
    await page.locator("#files").setInputFiles({ name: "heron.png", mimeType: "image/png", buffer: picture });
    await page.getByText("heron.png, ").waitFor();
    await send(page, "What is this?");
    visitor.server.answer("<response>A heron.</response>");
    await until(page, "A heron.");
    await until(page, "[image", 0);
    assert.equal(await page.locator("#attached li").count(), 0);
    const shown = page.getByRole("img", { name: "heron.png" });
    await page.waitForFunction(() => document.querySelector(".media img")?.naturalWidth === 60);
    await look(page, "picture");
    await page.getByRole("button", { name: "Look at heron.png" }).click();
    await page.locator("dialog.viewer[open]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog.viewer").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Edit what you said" }).click();
    await page.getByLabel("What you said, edited").fill("And this?");
    await page.locator("form.edit").getByRole("button", { name: "Send" }).click();
    visitor.server.answer("<response>A heron again.</response>");
    await until(page, "A heron again.");
    assert.equal(await shown.count(), 1);
    await page.close();
  },
};
