// MCP Inspector uses `silcrow mcp serve` over standard input and output, and `silcrow serve` over HTTP.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

setTimeout(() => assert.fail("the server does not answer"), 120_000).unref();
const silcrow = join(process.env.SILCROW_PROGRAMS, "silcrow");
const home = mkdtempSync(join(tmpdir(), "silcrow-inspector-"));
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
writeFileSync(script, "<response>It is written.</response>\n");
const env = { PATH: process.env.PATH, HOME: home };
execFileSync(silcrow, ["manifest", "trust", manifest], { cwd: folder, env });
const flags = ["--model", `script:${script}`, "--dialect", "action", "--permissions", "full", "--manifest", manifest];

const program = resolve("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
/** Has the inspector do something, and returns its result. */
async function inspect(target, ...more) {
  const args = [program, "--cli", "--format", "json", "--quiet", "--protocol-era", "auto", ...target, ...more];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  return JSON.parse(stdout).result;
}

async function uses(target) {
  // Problems of the schemas for other clients would be an error.
  const { tools } = await inspect(target, "--method", "tools/list", "--strict");
  assert.deepEqual(tools.map((tool) => tool.name), ["keep", "run"]);
  const kept = await inspect(target, "--method", "tools/call", "--tool-name", "keep", "--tool-arg", "text=one two");
  assert.equal(kept.structuredContent.outcome, "answered", JSON.stringify(kept));
  assert.equal(readFileSync(join(folder, "kept.txt"), "utf8"), "one two");
  rmSync(join(folder, "kept.txt"));
  const ran = await inspect(target, "--method", "tools/call", "--tool-name", "run", "--tool-args-json", '{"prompt":"Write it."}');
  assert.equal(ran.structuredContent.answer, "It is written.", JSON.stringify(ran));
}

await uses([silcrow, "mcp", "serve", ...flags]);
console.log("ok: over standard input and output");

const server = spawn(silcrow, ["serve", "--listen", "127.0.0.1:0", ...flags], { cwd: folder, env });
process.on("exit", () => server.kill("SIGKILL"));
const link = await new Promise((found) => {
  for (const stream of [server.stdout, server.stderr]) {
    createInterface(stream).on("line", (line) => {
      const [, origin, token] = /(http:\/\/[\d.:]+)\/#token=(\w+)/.exec(line) ?? [];
      if (origin) found({ origin, token });
    });
  }
});
const header = `Authorization: Bearer ${link.token}`;
await uses(["--transport", "http", "--server-url", `${link.origin}/mcp`, "--header", header]);
console.log("ok: over HTTP");
process.exit(0);
