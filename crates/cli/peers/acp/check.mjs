// Has published clients of the Agent Client Protocol run `silcrow acp`.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

import * as acp from "@agentclientprotocol/sdk";

// A client that waits for ever is a failure, too.
setTimeout(() => assert.fail("the agent does not answer"), 60_000).unref();

const silcrow = join(process.env.SILCROW_PROGRAMS, "silcrow");
const home = mkdtempSync(join(tmpdir(), "silcrow-acp-"));
const folder = join(home, "project");
mkdirSync(folder);

// Each prompt has this model anew: two calls that need a yes, and then an answer.
const script = join(home, "script.txt");
writeFileSync(
  script,
  `<thought>Both at once.</thought>
<action id="one" mode="async">{"name":"file_write","parameters":{"file":"a.txt","content":"one\\n"}}</action>
<action id="two" mode="async">{"name":"file_write","parameters":{"file":"b.txt","content":"two\\n"}}</action>
%%
<response>Both are written.</response>
`,
);
const args = ["acp", "--model", `script:${script}`, "--dialect", "action", "--permissions", "ask"];
const env = { PATH: process.env.PATH, HOME: home };

/** Runs `op` with a connection to a new process. `decide` answers questions. */
async function connected(decide, op) {
  const process = spawn(silcrow, args, { cwd: home, env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => process.on("exit", resolve));
  const seen = { updates: [], questions: [] };
  const client = acp
    .client({ name: "check" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      seen.updates.push(params.update);
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      seen.questions.push(params);
      return decide(params, seen);
    });
  const stream = acp.ndJsonStream(Writable.toWeb(process.stdin), Readable.toWeb(process.stdout));
  await client.connectWith(stream, (agent) => op(agent, seen));
  process.stdin.end();
  assert.equal(await ended, 0);
  return seen;
}

const allow = () => ({ outcome: { outcome: "selected", optionId: "allow-once" } });
const { initialize, session } = acp.methods.agent;
const hello = { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} };
const text = (words) => [{ type: "text", text: words }];

function said(updates, kind) {
  const chunks = updates.filter((update) => update.sessionUpdate === kind);
  return chunks.map((update) => update.content.text).join("").trim();
}

// A prompt with questions that are open at the same time, and then the same session loaded by another
// process.
let sessionId;
const both = [];
const ran = await connected(
  (params, seen) =>
    new Promise((resolve) => {
      both.push(() => resolve(allow()));
      if (seen.questions.length === 2) both.reverse().forEach((answer) => answer());
    }),
  async (agent) => {
    const offered = await agent.request(initialize, hello);
    assert.equal(offered.protocolVersion, 1);
    ({ sessionId } = await agent.request(session.new, { cwd: folder, mcpServers: [] }));
    const answer = await agent.request(session.prompt, { sessionId, prompt: text("Write.") });
    assert.equal(answer.stopReason, "end_turn");
  },
);
assert.equal(said(ran.updates, "agent_thought_chunk"), "Both at once.");
assert.equal(said(ran.updates, "agent_message_chunk"), "Both are written.");
assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "one\n");
assert.equal(readFileSync(join(folder, "b.txt"), "utf8"), "two\n");
const asked = ran.questions.map(({ toolCall }) => [toolCall.title, toolCall.rawInput.content]);
assert.deepEqual(asked, [["file_write a.txt", "one\n"], ["file_write b.txt", "two\n"]]);

const shown = ran.questions.map(({ toolCall }) => toolCall.content.filter(({ type }) => type === "diff"));
const path = (name) => join(folder, name);
assert.deepEqual(shown, [
  [{ type: "diff", path: path("a.txt"), oldText: null, newText: "one\n" }],
  [{ type: "diff", path: path("b.txt"), oldText: null, newText: "two\n" }],
]);
const covered = ran.questions.map(({ options }) => options.find(({ kind }) => kind === "allow_always").name);
assert.match(covered[0], /^Allow in this conversation: file_write \S/);

const loaded = await connected(allow, async (agent) => {
  await agent.request(initialize, hello);
  const { sessions } = await agent.request(session.list, { cwd: folder });
  assert.deepEqual(sessions.map((one) => one.sessionId), [sessionId]);
  await agent.request(session.load, { sessionId, cwd: folder, mcpServers: [] });
});
assert.equal(said(loaded.updates, "user_message_chunk"), "Write.");
assert.equal(said(loaded.updates, "agent_message_chunk"), "Both are written.");
const completed = (updates) => updates.filter((update) => update.status === "completed").length;
assert.deepEqual([completed(ran.updates), completed(loaded.updates)], [2, 2]);

// A prompt that is cancelled while questions are open, and the next one in the same session.
rmSync(join(folder, "a.txt"));
rmSync(join(folder, "b.txt"));
let cancels = true;
const cancelled = { outcome: { outcome: "cancelled" } };
await connected(
  () => (cancels ? cancelled : allow()),
  async (agent, seen) => {
    await agent.request(initialize, hello);
    const opened = await agent.request(session.new, { cwd: folder, mcpServers: [] });
    const prompt = { sessionId: opened.sessionId, prompt: text("Write.") };
    const stopped = agent.request(session.prompt, prompt);
    while (!seen.updates.some((update) => update.toolCallId)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await agent.notify(session.cancel, { sessionId: opened.sessionId });
    assert.equal((await stopped).stopReason, "cancelled");
    cancels = false;
    assert.equal((await agent.request(session.prompt, prompt)).stopReason, "end_turn");
  },
);
assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "one\n");

rmSync(join(folder, "a.txt"));
rmSync(join(folder, "b.txt"));

// Another client, which prints what it receives.
const agent = [silcrow, ...args].join(" ");
const acpx = ["node_modules/acpx/dist/cli.js", "--cwd", folder, "--agent", agent];
const printed = execFileSync(
  process.execPath,
  [...acpx, "--approve-all", "--format", "json", "exec", "Write."],
  { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
);
const messages = printed.trim().split("\n").map((line) => JSON.parse(line));
const updates = messages.filter((message) => message.method === "session/update");
assert.equal(said(updates.map(({ params }) => params.update), "agent_message_chunk"), "Both are written.");
assert.deepEqual(messages.at(-1).result, { stopReason: "end_turn" });

rmSync(home, { recursive: true });
