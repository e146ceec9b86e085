// Chat clients talk to a served agent, whose model and tools do what this check says.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { agUiChats } from "./ag-ui.mjs";
import { aiSdkChats } from "./ai-sdk.mjs";
import { Line } from "./line.mjs";
import { openAiChats } from "./openai.mjs";
import { PageServer, token } from "./server.mjs";

const server = await PageServer.start();
const line = await Line.to(server);
const headers = { authorization: `Bearer ${token}` };

const action = (id, name, parameters, type = "tool") =>
  `<action type="${type}" mode="async" id="${id}">${JSON.stringify({ name, parameters })}</action>\n`;

const work = (name) => action(name, "work", { name, says: `The ${name} one.` });

/** Waits for something that a client or the server does by itself. */
async function until(isSo) {
  const deadline = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, `in vain: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const hasSaid = (chat, text) => () => chat.said.join("").includes(text);

/** Asks for something as a person at another front end does. */
async function elsewhere(method, path, body) {
  const init = { method, headers: { ...headers, "content-type": "application/json" } };
  const answer = await fetch(`${server.origin}${path}`, { ...init, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

const atRest = (id) => until(async () => !(await elsewhere("GET", `/conversations/${id}`)).conversation.run);

/** Fails if a check waits for something that does not come. */
async function inTime(check) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(reject, 60_000, new Error("it waits in vain"))));
  await Promise.race([check, late]).finally(() => clearTimeout(timer));
}

const checks = {
  async text(chat) {
    for (const [prompt, text] of [["2 + 2?", "Four."], ["And 1?", "Five."]]) {
      server.answer(`<response>${text}</response>`);
      await chat.send(prompt);
      assert.equal(chat.outcome, "done", chat.error);
      assert.equal(chat.said.at(-1), text);
    }
    await chat.check?.(assert);
  },

  async "calls at once, while the model writes"(chat) {
    const sent = chat.send("Compare three libraries.");
    server.say(work("first"), work("second"), work("third"), '<response final="false">I am wor');
    await until(hasSaid(chat, "I am wor"));
    server.command("release second");
    if (chat.results) await until(() => chat.results.some((text) => text.includes("The second one.")));
    assert.ok(!chat.said.join("").includes("king"));
    server.answer("king on it.</response>");
    for (const name of ["third", "first"]) server.command(`release ${name}`);
    server.answer("<response>The first one.</response>");
    await sent;
    assert.equal(chat.outcome, "done", chat.error);
    assert.equal(chat.said.join("").replaceAll("\n", ""), "I am working on it.The first one.");
    if (chat.results) assert.equal(chat.results.length, 3, `${chat.results}`);
    await chat.check?.(assert);
  },

  async "an approval and its continuation"(chat, id) {
    server.answer(action("one", "publish", { page: "index.md", text: "Hello" }));
    await chat.send("Publish it.");
    if (!chat.questions) {
      assert.equal(chat.outcome, "done", chat.error);
      assert.match(chat.said[0], /publish/);
      const { questions } = await elsewhere("GET", `/conversations/${id}/questions`);
      server.answer("<response>It is there.</response>");
      const answers = [{ question: questions[0].id, decision: "allow" }];
      await elsewhere("POST", `/conversations/${id}/answers`, { answers });
      return atRest(id);
    }
    assert.equal(chat.outcome, "waiting", chat.error);
    assert.equal(chat.questions.length, 1);
    assert.match(chat.questions[0], /index\.md/);
    server.answer("<response>It is there.</response>");
    await chat.answer(true);
    assert.equal(chat.outcome, "done", chat.error);
    assert.equal(chat.said.at(-1), "It is there.");
    assert.ok(chat.results.some((text) => text.includes("published")), `${chat.results}`);
    await chat.check?.(assert);
    server.answer(action("two", "publish", { page: "news.md", text: "Hello" }));
    await chat.send("Publish this, too.");
    assert.equal(chat.outcome, "waiting", chat.error);
    server.answer("<response>Then not.</response>");
    await chat.answer(false);
    assert.equal(chat.outcome, "done", chat.error);
    assert.equal(chat.said.at(-1), "Then not.");
  },

  async "an agent in a call"(chat) {
    const sent = chat.send("Ask the helper.");
    server.answer(action("help", "helper", { task: "Look." }, "agent"));
    server.command("release inside");
    server.answer("<response>It was found.</response>");
    await sent;
    assert.equal(chat.outcome, "done", chat.error);
    assert.equal(chat.said.at(-1), "It was found.");
    if (chat.results) assert.match(chat.results.join(), /The helper found/);
  },

  async "a call that fails"(chat) {
    const sent = chat.send("Try it.");
    server.answer(work("broken"));
    server.command("fail broken");
    server.answer("<response>It does not work.</response>");
    await sent;
    assert.equal(chat.outcome, "done", chat.error);
    assert.equal(chat.said.at(-1), "It does not work.");
    assert.match(chat.results?.join() ?? chat.reasoning, /broken has failed/);
  },

  async "a run that fails"(chat) {
    const sent = chat.send("Try it.");
    server.say("<response>I be");
    await until(hasSaid(chat, "I be"));
    server.command("break The key is wrong.");
    await sent;
    assert.equal(chat.outcome, "failed", chat.error);
    assert.match(chat.failure, /The key is wrong/);
  },

  async "a cut connection and its continuation"(chat, id) {
    const sent = chat.send("Count.");
    server.say('<response final="false">One, ');
    await until(hasSaid(chat, "One,"));
    line.cut();
    await sent;
    assert.equal(chat.outcome, "cut", chat.error);
    server.say("two, ");
    if (chat.resume) {
      const resumed = chat.resume();
      await until(hasSaid(chat, "One, two,"));
      server.answer("three.</response>");
      server.answer("<response>There.</response>");
      await resumed;
      assert.equal(chat.outcome, "done", chat.error);
      assert.deepEqual(chat.said, ["One, two, three.", "There."]);
    } else {
      server.answer("three.</response>");
      server.answer("<response>There.</response>");
      await atRest(id);
    }
  },

  async "a stop"(chat, id) {
    const sent = chat.send("Count.");
    server.say("<response>One, ");
    await until(hasSaid(chat, "One,"));
    await (chat.stop?.() ?? elsewhere("POST", `/conversations/${id}/stop`));
    await sent;
    assert.notEqual(chat.outcome, "cut");
    assert.notEqual(chat.outcome, "failed");
    assert.equal(chat.said.join("").trim(), "One,");
  },

  async "a stop by leaving"(chat, id) {
    const sent = chat.send("Count.");
    server.say("<response>One, ");
    await until(hasSaid(chat, "One,"));
    await chat.leave();
    await sent;
    await atRest(id);
    const { events } = await elsewhere("GET", `/conversations/${id}`);
    assert.equal(events.at(-1).type, "cancelled");
  },
};

let failed = 0;
const leaving = "disconnect=stop";
for (const { name: client, open } of [...agUiChats, ...aiSdkChats, ...openAiChats]) {
  for (const [name, check] of Object.entries(checks)) {
    const id = `${client}-${name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    try {
      const query = name.endsWith("leaving") ? leaving : "";
      await inTime(check(open({ line, headers, id, query }), id));
    } catch (why) {
      failed += 1;
      console.log(`${client}: ${name}:`, why);
      // What the failed check left unsaid would be said in the next one.
      await server.kill();
      await server.restart();
    }
  }
}

const openai = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: token, maxRetries: 0 });
const models = await openai.models.list();
assert.equal(models.data[0].id, "silcrow");
const wrong = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "x", maxRetries: 0 });
await assert.rejects(wrong.models.list(), OpenAI.AuthenticationError);
await assert.rejects(openai.responses.retrieve("resp_9"), OpenAI.NotFoundError);

// Both APIs send a picture and a document, which are in the log as what they are.
const picture = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNQSFiAFTEMLQkAAmxIAbLcbYIAAAAASUVORK5CYII=";
const document = "data:application/pdf;base64,JVBERi0xLjc=";
const withFiles = {
  completions: () => openai.chat.completions.create({
    model: "silcrow",
    messages: [{ role: "user", content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: picture, detail: "low" } },
      { type: "file", file: { filename: "plan.pdf", file_data: document } },
    ] }],
  }, { headers: { "x-openwebui-chat-id": "completions" } }),
  responses: () => openai.responses.create({
    model: "silcrow", conversation: "responses",
    input: [{ role: "user", content: [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: picture, detail: "auto" },
      { type: "input_file", filename: "plan.pdf", file_data: document },
    ] }],
  }),
};
for (const [id, send] of Object.entries(withFiles)) {
  server.answer("<response>A square and a plan.</response>");
  const answered = await send();
  assert.equal(answered.output_text ?? answered.choices[0].message.content, "A square and a plan.", id);
  const { events } = await elsewhere("GET", `/conversations/${id}`);
  const { content } = events.find(({ type }) => type === "user");
  for (const part of ["What is this?", "PNG, 8 × 8", "plan.pdf, PDF"]) assert.ok(content.includes(part), `${id}: ${content}`);
}
line.close();
await server.stop();
process.exit(failed > 0 ? 1 : 0);
