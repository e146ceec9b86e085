// What an answer looks like, and how it is found again and given to others.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { action, look, send, until } from "./visitor.mjs";

const ANSWER = `# Results

| name | time |
|------|------|
| one  | 3 s  |

- [x] read
- [ ] **write**
- plain

\`\`\`rust
// Adds <b>two</b>.
fn add(a: u8) -> u8 { a + 2 }
let s = "let";
\`\`\`

\`\`\`unknown
let it be
\`\`\`

It is $x_1^2 + \\frac{1}{2}$, costs $5 and $6, and \\(\\unknowncommand{x}\\) stays.

$$\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2} \\le \\sqrt{\\pi}$$

The end.`;

export const reading = {
  async "an answer has tables, tasks, code in colours and formulas"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Show me everything.");
    // It grows piece by piece, as it does when a model writes it.
    server.say("<response>");
    for (let at = 0; at < ANSWER.length; at += 7) server.say(ANSWER.slice(at, at + 7));
    server.answer("</response>");
    await until(page, "The end.");
    await page.getByRole("button", { name: "Send" }).waitFor();
    const answer = page.locator("#transcript .respond .markdown");
    assert.equal(await answer.locator("table td").first().innerText(), "one");
    const boxes = answer.locator("li.task input");
    assert.deepEqual(await boxes.evaluateAll((all) => all.map((box) => [box.checked, box.disabled])), [[true, true], [false, true]]);
    assert.deepEqual((await answer.locator("li").allInnerTexts()).map((text) => text.trim()), ["read", "write", "plain"]);
    const [code, other] = [answer.locator("figure.code").nth(0), answer.locator("figure.code").nth(1)];
    const colours = await code.locator("code span").evaluateAll((all) => all.map((span) => `${span.className} ${span.textContent}`));
    assert.deepEqual(colours, [
      "code-note // Adds <b>two</b>.", "code-word fn", "code-number 2", "code-word let", 'code-text "let"',
    ]);
    assert.equal(await other.locator("code span").count(), 0);
    await code.getByRole("button", { name: "Copy the code" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), ANSWER.split("```")[1].slice("rust\n".length, -1));
    assert.deepEqual(await answer.locator("math").evaluateAll((all) => all.map((math) => [math.getAttribute("display"), math.textContent])), [
      [null, "x12+12"], ["block", "∑i=1ni=n(n+1)2≤π"],
    ]);
    assert.ok((await answer.innerText()).includes("costs $5 and $6, and \\(\\unknowncommand{x}\\) stays."));
    await look(page, "rich");
    await page.close();
  },

  async "a search opens a long conversation where the words are"(visitor) {
    const { server } = visitor;
    const events = [];
    for (let turn = 1; turn <= 400; turn += 1) {
      const event = (type, content) => events.push({ type, content, timestamp: 1_790_000_000 + turn, turn });
      event("user", `Question ${turn}`);
      event("respond", turn === 40 ? "The quetzal is green." : `Answer ${turn}.`);
    }
    server.command(`store birds ${JSON.stringify(events)}`);
    const page = await visitor.logIn();
    await page.getByLabel("Search").fill("quetzal");
    const found = page.locator("#list a", { hasText: "quetzal" });
    await found.click();
    const hit = page.locator("#transcript .found");
    await hit.getByText("The quetzal is green.").waitFor();
    const seen = () => page.waitForFunction(() => {
      const element = document.querySelector(".found");
      const [own, shown] = [element.getBoundingClientRect(), document.querySelector("#stage").getBoundingClientRect()];
      return own.top >= shown.top && own.bottom <= shown.bottom;
    });
    await seen();
    // It is there, too, if the conversation is open already.
    await page.locator("#latest").click();
    await until(page, "Answer 400.");
    await page.waitForFunction(() => document.querySelector(".found").getBoundingClientRect().bottom < 0);
    await found.click();
    await seen();
    // And if something else of it was open.
    const { pathname } = new URL(page.url());
    await page.goto(`${server.origin}${pathname}#c/birds`);
    await page.locator("#latest").click();
    await found.click();
    await seen();
    await page.close();
  },

  async "a conversation is saved as a file"(visitor) {
    const { server } = visitor;
    const page = await visitor.open();
    await send(page, "Save this: <1 & 2>");
    server.answer(action("one", "work", { name: "saved", says: "It is done." }), '<response final="false">I do.</response>');
    server.command("release saved");
    server.answer("<response>Here is **it**.</response>");
    await until(page, "Here is it.");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.locator("#actions > summary").click();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const file = await saving;
    assert.equal(file.suggestedFilename(), "Save-this-1-2.md");
    const text = readFileSync(await file.path(), "utf8");
    assert.equal(text, "# Save this: <1 & 2>\n\n## You\n\nSave this: <1 & 2>\n\n> **work** saved (done) It is done.\n\n## Answer\n\nI do.\n\n## Answer\n\nHere is **it**.\n");
    await page.close();
  },

  async "more than 200 conversations are listed on request"(visitor) {
    const { server } = visitor;
    for (let n = 0; n < 210; n += 1) {
      server.command(`store many-${n} ${JSON.stringify([{ type: "user", content: `Old ${n}`, timestamp: 1_600_000_000 + n, turn: 1 }])}`);
    }
    const page = await visitor.logIn();
    await page.waitForFunction(async () => (await (await fetch("conversations?limit=1000")).text()).includes('"many-0"'));
    await page.reload();
    const older = page.getByRole("button", { name: "Show older" });
    await older.waitFor();
    assert.equal(await page.locator('#list a[data-id="many-0"]').count(), 0);
    await older.click();
    await page.locator('#list a[data-id="many-0"]').waitFor();
    await page.close();
  },
};
