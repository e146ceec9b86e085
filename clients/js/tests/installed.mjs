// What somebody writes who has installed both packages into an empty folder: `cargo dist pack --check`.

import assert from "node:assert/strict";

import { Agent } from "@silcrow/client";
import { load } from "@silcrow/parser";
import { load as loadFull } from "@silcrow/parser/full";

import { startServer } from "./server.mjs";

const { Parser, NativeParser } = await load();
const { Encoder, write } = await loadFull();
const events = [...new Parser("sigil").parse(["§thi", "nk: easy\n§respond: It is", " 4.\n§end"])];
assert.deepEqual(events.map(({ type, content }) => content ?? type), ["easy", "It is 4.", "end"]);
const text = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>';
const [call] = new NativeParser({ model: "Qwen/Qwen3-8B" }).parse(text);
assert.equal(JSON.parse(call.content).name, "ls");
assert.match(new Encoder("ag-ui", { request: { threadId: "t", runId: "r", messages: [] } }).head, /RUN_STARTED/);
assert.equal(write([{ type: "think", content: "easy" }]), "§think: easy");

const server = await startServer();
const agent = new Agent(server.address, { token: server.token });
let answer = "";
for await (const event of agent.stream("What is in this directory?", { chunks: true })) {
  if (event.type === "respond") answer += event.content;
}
assert.match(answer, /notes\.md/);
await server.end();
