// Has published clients of the Agent Client Protocol run `silcrow acp`.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

import * as acp from "@agentclientprotocol/sdk";

import { useAcpx } from "./acpx.mjs";
import { ToldModel } from "./model.mjs";

// The library lets the end of an agent's process end this one, too.
process.on("unhandledRejection", (error) => {
  if (error.message !== "ACP connection closed") throw error;
});

// A client that waits for ever is a failure, too.
setTimeout(() => assert.fail("the agent does not answer"), 300_000).unref();

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

// What the agent says beside the protocol is shown if the check fails.
const errors = openSync(join(home, "errors.txt"), "a");
process.on("exit", (code) => {
  if (code !== 0) console.log(readFileSync(join(home, "errors.txt"), "utf8"));
  rmSync(home, { recursive: true });
});

/** Runs `op` with a connection to a new process. `decide` answers questions. */
async function connected(decide, op, flags = args) {
  const process = spawn(silcrow, flags, { cwd: home, env, stdio: ["pipe", "pipe", errors] });
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
  const served = client.connectWith(stream, (agent) => op(agent, seen, process));
  await served.catch((error) => {
    if (!process.killed) throw error;
  });
  if (process.killed) return seen;
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

// What a model writes while its calls run.
const model = await ToldModel.start();
writeFileSync(join(home, "helper.txt"), "<response>The helper has looked.</response>");
writeFileSync(
  join(home, "silcrow.toml"),
  `[agents.helper]\ndescription = "Helps."\nmodel = "script:${join(home, "helper.txt")}"\ntools = []\n`,
);
execFileSync(silcrow, ["manifest", "trust", join(home, "silcrow.toml")], { env, stdio: "ignore" });
const told = ["acp", "--model", model.name, "--dialect", "action", "--manifest", join(home, "silcrow.toml")];
const call = (id, name, parameters, type = "tool") =>
  `<action type="${type}" id="${id}" mode="async">${JSON.stringify({ name, parameters })}</action>\n`;
const read = (id, file) => call(id, "file_read", { file });

async function until(isSo) {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const ended = ({ updates }, status) =>
  updates.filter((update) => update.sessionUpdate === "tool_call_update" && update.status === status);

async function open(agent) {
  await agent.request(initialize, hello);
  return (await agent.request(session.new, { cwd: folder, mcpServers: [] })).sessionId;
}

await connected(
  allow,
  async (agent, seen) => {
    const sessionId = await open(agent);
    const prompt = (words) => agent.request(session.prompt, { sessionId, prompt: text(words) });

    // Calls end while the model writes, and one fails.
    const compared = prompt("Compare.");
    model.say(read("a", "a.txt"), read("b", "b.txt"), read("c", "missing.txt"), '<response final="false">I re');
    await until(() => ended(seen, "completed").length === 2 && ended(seen, "failed").length === 1);
    assert.ok(!said(seen.updates, "agent_message_chunk").includes("ad"));
    model.answer("ad.</response>");
    model.answer("<response>They differ.</response>");
    assert.equal((await compared).stopReason, "end_turn");
    assert.equal(said(seen.updates, "agent_message_chunk"), "I read.They differ.");

    // An agent in a call.
    const helped = prompt("Ask the helper.");
    model.answer(call("help", "helper", { task: "Look." }, "agent"));
    model.answer("<response>It has looked.</response>");
    assert.equal((await helped).stopReason, "end_turn");
    assert.match(JSON.stringify(ended(seen, "completed").at(-1)), /The helper has looked/);

    // A run that fails, and the next one.
    model.refuse(401, "The key is wrong.");
    await assert.rejects(prompt("Try it."), /The key is wrong/);
    model.answer("<response>Again.</response>");
    assert.equal((await prompt("Again.")).stopReason, "end_turn");
  },
  told,
);

// An agent that is killed while it writes, and another process that goes on.
let killed;
const before = await connected(
  allow,
  async (agent, seen, process) => {
    killed = await open(agent);
    agent.request(session.prompt, { sessionId: killed, prompt: text("Read.") }).catch(() => {});
    model.say(read("a", "a.txt"), "<response>I have re");
    await until(() => ended(seen, "completed").length === 1 && said(seen.updates, "agent_message_chunk"));
    process.kill("SIGKILL");
  },
  told,
);
model.answer();
assert.equal(said(before.updates, "agent_message_chunk"), "I have re");
const after = await connected(
  allow,
  async (agent) => {
    await agent.request(initialize, hello);
    await agent.request(session.load, { sessionId: killed, cwd: folder, mcpServers: [] });
    model.answer("<response>It says one.</response>");
    const answer = await agent.request(session.prompt, { sessionId: killed, prompt: text("Go on.") });
    assert.equal(answer.stopReason, "end_turn");
  },
  told,
);
assert.equal(said(after.updates, "user_message_chunk"), "Read.");
assert.equal(ended(after, "completed").length, 1);
assert.equal(said(after.updates, "agent_message_chunk"), "It says one.");

// The other client, whose agent writes down its number.
const number = join(home, "number");
writeFileSync(join(home, "agent.sh"), `echo $$ > ${number}\nexec ${silcrow} ${told.join(" ")} --permissions ask\n`);
const agentCommand = `sh ${join(home, "agent.sh")}`;
await useAcpx({ env, folder, agent: agentCommand, number }, model, { call, read });
model.close();
