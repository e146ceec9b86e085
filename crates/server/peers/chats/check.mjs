// Chat clients talk to a served agent, whose model says what the check lets it say.

import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";
import * as ai5 from "ai5";
import * as ai6 from "ai6";
import * as ai7 from "ai7";
import OpenAI from "openai";
import { PageServer, token } from "./server.mjs";

const server = await PageServer.start();
const headers = { authorization: `Bearer ${token}` };
const openai = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: token, maxRetries: 0 });

const answer = (text) => {
  server.say(`<response>${text}</response>`);
  server.command("done");
};

/// A chat of the AI SDK without a page.
const openChat = (ai, version, id) => {
  const state = {
    status: "ready",
    error: undefined,
    messages: [],
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (at, message) =>
      void (state.messages = state.messages.with(at, structuredClone(message))),
    snapshot: structuredClone,
  };
  const transport = new ai.DefaultChatTransport({
    api: `${server.origin}/api/chat`,
    headers,
    prepareReconnectToStreamRequest: ({ id }) => ({
      api: `${server.origin}/api/chat/${id}/stream?ai=${version}`,
      headers,
    }),
    prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
      api: `${server.origin}/api/chat?ai=${version}`,
      body: { id, messages, trigger, messageId },
    }),
  });
  class Chat extends ai.AbstractChat {}
  return new Chat({ id, transport, state });
};

for (const [version, ai] of [[5, ai5], [6, ai6], [7, ai7]]) {
  const chat = openChat(ai, version, `ai${version}`);
  answer("Four.");
  await chat.sendMessage({ text: "2 + 2?" });
  assert.equal(chat.status, "ready", chat.error);
  assert.equal(chat.lastMessage.parts.at(-1).text, "Four.");
  await chat.resumeStream();
  assert.equal(chat.messages.length, 2, "nothing runs, so nothing is replayed");
  const stored = await fetch(`${server.origin}/api/chat/ai${version}?ai=${version}`, { headers });
  const messages = await stored.json();
  await ai.validateUIMessages({ messages });
  assert.equal(messages.at(-1).id, chat.lastMessage.id);
  const busy = chat.sendMessage({ text: "Wait." });
  server.say("<response>One ");
  while (!chat.lastMessage?.parts.at(-1)?.text?.startsWith("One")) await new Promise(setImmediate);
  const second = openChat(ai, version, `ai${version}`);
  await second.sendMessage({ text: "More." });
  assert.match(second.error.message, /busy/);
  await fetch(`${server.origin}/api/chat/ai${version}/stop`, { method: "POST", headers });
  await busy;
  assert.equal(chat.status, "ready", chat.error);
}

const agent = new HttpAgent({ url: `${server.origin}/ag-ui`, headers, threadId: "agui" });
agent.addMessage({ id: "m1", role: "user", content: "2 + 2?" });
answer("Four.");
await agent.runAgent();
assert.equal(agent.messages.at(-1).content, "Four.");
await agent.runAgent();
assert.deepEqual(agent.messages.map(({ id, content }) => [id, content])[0], ["m1", "2 + 2?"]);
assert.equal(agent.messages.length, 2);

const models = await openai.models.list();
assert.equal(models.data[0].id, "silcrow");
answer("Four.");
const said = [{ role: "user", content: "2 + 2?" }];
const completion = await openai.chat.completions.create({ model: "silcrow", messages: said });
assert.equal(completion.choices[0].message.content, "Four.");
answer("Five.");
const response = await openai.responses.stream({ model: "silcrow", input: "5?" }).finalResponse();
assert.equal(response.output_text, "Five.");
const again = await openai.responses.retrieve(response.id);
assert.equal(again.output_text, "Five.");
const wrong = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "x", maxRetries: 0 });
await assert.rejects(wrong.models.list(), OpenAI.AuthenticationError);
await assert.rejects(openai.responses.retrieve("resp_9"), OpenAI.NotFoundError);
await server.stop?.();
process.exit();
