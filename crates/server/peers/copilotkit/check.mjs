// CopilotKit's client, in front of its runtime, in front of a served agent.

import "./no-telemetry.mjs";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { HttpAgent } from "@ag-ui/client";
import { CopilotKitCore } from "@copilotkit/core";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { z } from "zod";
import { PageServer, token } from "./server.mjs";

// The client does nothing on a server.
globalThis.window = globalThis;
setTimeout(() => assert.fail("the client waits in vain"), 120_000).unref();
const server = await PageServer.start();
const agents = { default: new HttpAgent({ url: `${server.origin}/ag-ui`, headers: { authorization: `Bearer ${token}` } }) };
const runtime = createServer(createCopilotNodeListener({ runtime: new CopilotRuntime({ agents }), basePath: "/copilotkit" }));
await new Promise((resolve) => runtime.listen(0, "127.0.0.1", resolve));
const runtimeUrl = `http://127.0.0.1:${runtime.address().port}/copilotkit`;

const action = (id, name, parameters) =>
  `<action type="tool" mode="async" id="${id}">${JSON.stringify({ name, parameters })}</action>\n`;

/** Opens a thread as a page does. */
async function opened(threadId, tools = []) {
  const core = new CopilotKitCore({ runtimeUrl, tools });
  const errors = [];
  core.subscribe({ onError: ({ error }) => void errors.push(error.message) });
  while (core.runtimeConnectionStatus !== "connected") await new Promise((resolve) => setTimeout(resolve, 2));
  const agent = core.getAgent("default");
  agent.threadId = threadId;
  let count = 0;
  const run = (more) => core.runAgent({ agent, ...more });
  const send = (content) => {
    agent.addMessage({ id: `${threadId}-${(count += 1)}`, role: "user", content });
    return run();
  };
  return { core, agent, errors, run, send, said: () => agent.messages.filter(({ role }) => role === "assistant").at(-1)?.content };
}

const checks = {
  async "texts, and the context of the page"() {
    const { core, errors, send, said } = await opened("copilot-1");
    core.addContext({ description: "The order on the page", value: '{"id":7}' });
    for (const [prompt, text] of [["2 + 2?", "Four."], ["And 1?", "Five."]]) {
      server.answer(`<response>${text}</response>`);
      await send(prompt);
      assert.equal(said(), text);
    }
    assert.match(await server.heard(), /The order on the page: \{"id":7\}/);
    assert.deepEqual(errors, []);
  },

  async "a tool of the page"() {
    const opens = [];
    const openMap = {
      name: "open_map",
      description: "Opens a map.",
      parameters: z.object({ place: z.string() }),
      handler: async ({ place }) => void opens.push(place) ?? `A map of ${place}.`,
    };
    const { agent, errors, send, said } = await opened("copilot-2", [openMap]);
    server.answer(action("map", "open_map", { place: "Oslo" }));
    server.answer("<response>It is open.</response>");
    await send("Where is Oslo?");
    assert.equal(said(), "It is open.");
    assert.deepEqual(opens, ["Oslo"]);
    assert.match(await server.heard(), /A map of Oslo\./);
    assert.equal(agent.messages.filter(({ role }) => role === "tool").length, 1);
    assert.deepEqual(errors, []);
  },

  async "a tool of the server"() {
    const { agent, errors, send, said } = await opened("copilot-3");
    server.answer(action("one", "work", { name: "one", says: "The first one." }), '<response final="false">I look.</response>');
    server.command("release one");
    server.answer("<response>It is the first one.</response>");
    await send("Which one?");
    assert.equal(said(), "It is the first one.");
    assert.match(agent.messages.find(({ role }) => role === "tool").content, /The first one\./);
    assert.deepEqual(errors, []);
  },

  async "a question"() {
    const { agent, errors, run, send, said } = await opened("copilot-4");
    server.answer(action("two", "publish", { page: "index.md", text: "Hello" }));
    await send("Publish it.");
    const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
    assert.equal(resume.length, 1);
    server.answer("<response>It is there.</response>");
    await run({ resume });
    assert.equal(said(), "It is there.");
    assert.deepEqual(errors, []);
  },

  async "a run that fails"() {
    const { errors, send } = await opened("copilot-5");
    server.command("break The key is wrong.");
    await send("Try it.").catch(() => {});
    assert.match(errors.join(), /The key is wrong\./);
  },
};

for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(`ok: ${name}`);
}
runtime.close();
await server.stop();
process.exit(0);
