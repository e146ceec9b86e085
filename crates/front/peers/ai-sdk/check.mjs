// The clients of the AI SDK read our streams, through their own transport and from a real socket.

import assert from "node:assert/strict";
import * as ai5 from "ai5";
import * as ai6 from "ai6";
import * as ai7 from "ai7";
import { openChat, storedParts } from "./chat.mjs";
import { readAtRandom } from "./random.mjs";
import { ReplayServer, streams } from "./server.mjs";

const clients = [
  [5, ai5],
  [6, ai6],
  [7, ai7],
];

const server = await ReplayServer.start();

/// Sends a prompt, which the server answers by these bytes.
const send = async (ai, answer, init) => {
  const chat = openChat(ai, server, init);
  server.answers = [answer];
  server.requests = [];
  await chat.sendMessage({ text: "Hello." });
  return chat;
};

const checks = {
  async "a run becomes the message that its log has"(version, ai) {
    const names = ["text", "parallel", "approval", "agent", "failure", "malformed"];
    for (const name of names) {
      const chat = await send(ai, { stream: streams(`ai-sdk:${version}`, name) });
      assert.equal(chat.status, "ready", `${name}: ${chat.error}`);
      const stored = JSON.parse(streams(`ai-sdk-after:${version}`, name));
      await ai.validateUIMessages({ messages: stored });
      assert.deepEqual(storedParts(chat.lastMessage), storedParts(stored.at(-1)), name);
      assert.equal(chat.lastMessage.id, "a1");
      assert.equal(chat.messages.length, 2);
    }
    const request = streams("ai-sdk-request", server.requests[0].body);
    assert.match(request, /chat: "talk", action: Send\(.*Text\("Hello."\)/);
  },

  async "an agent is shown while it works"(version, ai) {
    const states = [];
    const stream = streams(`ai-sdk:${version}`, "agent");
    const chat = await send(ai, { stream }, { onData: ({ data }) => states.push(data) });
    const agents = chat.lastMessage.parts.filter(({ type }) => type === "data-agent");
    assert.equal(agents.length, 1);
    const { call, state, calls } = agents[0].data;
    assert.deepEqual([call, state, calls], ["c1-1", "ended", 1]);
    const tools = states.filter(({ name }) => name === "helper").map(({ tool }) => tool);
    assert.deepEqual(tools, [undefined, "file_read", "file_read"]);
  },

  async "an approval continues the message"(version, ai) {
    const chat = await send(
      ai,
      { stream: streams(`ai-sdk:${version}`, "approval") },
      { sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses },
    );
    server.answers = [{ stream: streams(`ai-sdk:${version}`, "continuation") }];
    if (version === 5) {
      const answered = chat.lastMessage.parts.map((part) =>
        part.type === "data-approval" ? { ...part, data: { ...part.data, approved: true } } : part,
      );
      chat.messages = [chat.messages[0], { ...chat.lastMessage, parts: answered }];
      await chat.sendMessage();
    } else {
      await chat.addToolApprovalResponse({ id: "1/a1", approved: true });
      await until(() => server.requests.length === 2 && chat.status === "ready");
    }
    const request = streams("ai-sdk-request", server.requests[1].body);
    assert.match(request, /action: Continue, .*\[\w+ \{ id: "1\/a1", is_approved: true, [^}]*\}\]/);
    assert.equal(server.requests.length, 2);
    assert.equal(chat.messages.length, 2);
    const stored = JSON.parse(streams(`ai-sdk-after:${version}`, "continuation"));
    await ai.validateUIMessages({ messages: stored });
    assert.deepEqual(storedParts(chat.lastMessage), storedParts(stored.at(-1)));
  },

  async "a run that fails is an error"(version, ai) {
    const chat = await send(ai, { stream: streams(`ai-sdk:${version}`, "error") });
    assert.equal(chat.status, "error");
    assert.equal(chat.error.message, "The model cannot be reached; try again later.");
    assert.equal(chat.lastMessage.parts.at(-1).state, "done");
  },

  async "a run that is stopped is over"(version, ai) {
    const chat = await send(ai, { stream: streams(`ai-sdk:${version}`, "stopped") });
    assert.equal(chat.status, "ready", chat.error);
    const [, call, text] = chat.lastMessage.parts;
    assert.deepEqual([call.state, call.errorText], ["output-error", "The run was stopped."]);
    assert.deepEqual([text.text, text.state], ["While this is being read, I ", "done"]);
  },

  async "a cut stream is replayed"(version, ai) {
    const stream = streams(`ai-sdk:${version}`, "parallel");
    const stored = JSON.parse(streams(`ai-sdk-after:${version}`, "parallel"));
    let cut = await send(ai, { stream: stream.slice(0, stream.length / 2), then: "cut" });
    assert.equal(cut.status, "error");
    // Version 5 appends a replay to what it has, so its page begins again with what is stored.
    if (version === 5) cut = openChat(ai, server, { messages: cut.messages.slice(0, 1) });
    server.answers = [{ stream }];
    await cut.resumeStream();
    assert.equal(cut.status, "ready", cut.error);
    assert.equal(server.requests[1].path, "/api/chat/talk/stream");
    assert.equal(cut.messages.length, 2);
    assert.deepEqual(storedParts(cut.lastMessage), storedParts(stored.at(-1)));
    server.answers = [{ status: 204 }];
    const before = structuredClone(cut.messages);
    await cut.resumeStream();
    assert.equal(cut.status, "ready");
    assert.deepEqual(cut.messages, before);
  },

  async "a page can leave"(version, ai) {
    const stream = streams(`ai-sdk:${version}`, "text");
    const chat = openChat(ai, server);
    server.answers = [{ stream: stream.slice(0, stream.indexOf("text-end")), then: "wait" }];
    const sent = chat.sendMessage({ text: "Hello." });
    await until(() => chat.lastMessage?.parts.at(-1).text?.endsWith("else?"));
    await chat.stop();
    await server.left;
    await sent;
    assert.equal(chat.status, "ready");
  },

  async "random runs are read without an error"(version, ai) {
    await readAtRandom(version, ai);
  },
};

/// Waits for something that a client does by itself.
const until = async (isSo) => {
  const deadline = Date.now() + 30_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `in vain: ${isSo}`);
    await new Promise(setImmediate);
  }
};

let failed = 0;
for (const [version, ai] of clients) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(version, ai);
    } catch (why) {
      failed += 1;
      console.error(`ai ${version}: ${name}:`, why);
    }
  }
}
server.stop();
process.exitCode = failed > 0 ? 1 : 0;
