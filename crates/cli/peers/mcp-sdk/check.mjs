// Has the official JavaScript client of the Model Context Protocol run prompts on `silcrow mcp serve`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

// A client that waits for ever is a failure, too.
setTimeout(() => assert.fail("the server does not answer"), 120_000).unref();

const silcrow = join(process.env.SILCROW_PROGRAMS, "silcrow");
const home = mkdtempSync(join(tmpdir(), "silcrow-mcp-"));
const folder = join(home, "project");
mkdirSync(folder);
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const manifest = join(home, "silcrow.toml");
writeFileSync(
  manifest,
  `[workflows.keep]
description = "Keeps a text in a file."
[workflows.keep.inputs.text]
type = "string"
[[workflows.keep.actions]]
id = "kept"
name = "file_write"
parameters = { file = "kept.txt", content = "$text" }
`,
);
const script = join(home, "script.txt");
const written = (id, file) =>
  `<action id="${id}" mode="async">{"name":"file_write","parameters":{"file":"${file}","content":"one\\n"}}</action>`;
writeFileSync(
  script,
  `${written("one", "a.txt")}
<response>It is written.</response>
%%
<response>You are welcome.</response>
%%
${written("two", "b.txt")}
<response>It is written.</response>
%%
${written("three", "c.txt")}
<response>It is written.</response>
`,
);
const env = { PATH: process.env.PATH, HOME: home };
const run = (...args) => execFileSync(silcrow, args, { cwd: folder, env, encoding: "utf8" });
run("manifest", "trust", manifest);
const args = ["mcp", "serve", "--model", `script:${script}`, "--dialect", "action"];
args.push("--permissions", "ask", "--manifest", manifest);

/** Runs `op` with a client of a new process. `decide` answers questions; without it there are none. */
async function connected(decide, op, flags = args) {
  const capabilities = decide ? { elicitation: {} } : {};
  const client = new Client({ name: "check", version: "1" }, { capabilities });
  if (decide) client.setRequestHandler(ElicitRequestSchema, decide);
  const stderr = "ignore";
  await client.connect(new StdioClientTransport({ command: silcrow, args: flags, cwd: folder, env, stderr }));
  await op(client);
  await client.close();
}

const asked = [];
const once = async ({ params }) => {
  asked.push(params.message);
  return { action: "accept", content: { decision: "once" } };
};

let conversation;
await connected(once, async (client) => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ["keep", "run"]);

  // A prompt with progress and an approval.
  const told = [];
  const onprogress = ({ message }) => told.push(message);
  const call = { name: "run", arguments: { prompt: "Write a.txt." } };
  const first = await client.callTool(call, undefined, { onprogress });
  assert.equal(first.structuredContent.answer, "It is written.", JSON.stringify(first));
  assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "one\n");
  assert.equal(asked.length, 1);
  assert.match(asked[0], /file_write/);
  assert.ok(told.includes("turn 1") && told.some((line) => line.startsWith("file_write a.txt")), told);

  // The conversation goes on.
  conversation = first.structuredContent.conversation;
  const again = { name: "run", arguments: { prompt: "Thanks.", conversation } };
  const second = await client.callTool(again);
  assert.equal(second.structuredContent.answer, "You are welcome.");

  // A workflow of the manifest.
  const kept = await client.callTool({ name: "keep", arguments: { text: "§end $x" } });
  assert.equal(kept.structuredContent.outcome, "answered", JSON.stringify(kept));
  assert.equal(readFileSync(join(folder, "kept.txt"), "utf8"), "§end $x");
});
assert.match(run("log", "list"), new RegExp(conversation));
assert.match(run("log", "show", conversation), /Thanks\./);

// A client that shows no forms: the run waits, and the person answers elsewhere.
rmSync(join(folder, "a.txt"));
await connected(undefined, async (client) => {
  const call = { name: "run", arguments: { prompt: "Write a.txt." } };
  const parked = await client.callTool(call);
  assert.equal(parked.structuredContent.outcome, "waiting", JSON.stringify(parked));
  assert.match(parked.content[0].text, /silcrow runs answer mcp-/);
  assert.ok(!existsSync(join(folder, "a.txt")));
});

// A call that is cancelled stops its run.
await connected(
  undefined,
  async (client) => {
    const stop = new AbortController();
    const onprogress = () => stop.abort("enough");
    const call = { name: "run", arguments: { prompt: "What is in this directory?" } };
    const options = { onprogress, signal: stop.signal };
    await assert.rejects(client.callTool(call, undefined, options));
    // The run ends in the server, which still answers others.
    await client.ping();
    const stopped = () => run("log", "list", "--json").includes("What is in this directory?");
    while (!stopped()) await new Promise((resolve) => setTimeout(resolve, 50));
  },
  ["mcp", "serve", "--model", "rehearsal", "--rate", "2"],
);
const last = JSON.parse(run("log", "list", "--json").split("\n")[0]);
assert.match(run("log", "show", last.conversation ?? last.id), /stopped|cancelled/i);
