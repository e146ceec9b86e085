// Has `silcrow` start published MCP servers, and call their tools: as they are, and killed, frozen and
// garbled in the middle of a call. No run is lost, and no process is left.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const silcrow = join(process.env.SILCROW_PROGRAMS, "silcrow");
const modules = join(process.cwd(), "node_modules/@modelcontextprotocol");
const home = mkdtempSync(join(tmpdir(), "silcrow-mcp-"));
process.on("exit", () => rmSync(home, { recursive: true }));
const folder = join(home, "project");
mkdirSync(folder);
writeFileSync(join(folder, "a.txt"), "the text of a.txt\n");

const servers = [
  {
    name: "everything",
    command: [process.execPath, join(modules, "server-everything/dist/index.js"), "stdio"],
    tool: "echo",
    args: { message: "hello" },
    says: /hello/,
  },
  {
    name: "files",
    command: [process.execPath, join(modules, "server-filesystem/dist/index.js"), folder],
    tool: "read_text_file",
    args: { path: join(folder, "a.txt") },
    says: /the text of a\.txt/,
  },
];

/** Returns what starts a process of silcrow: a home of its own, with these servers. */
function settings(tables) {
  const place = mkdtempSync(join(home, "run-"));
  mkdirSync(join(place, "silcrow"));
  writeFileSync(join(place, "silcrow/config.toml"), tables);
  const env = { PATH: process.env.PATH, HOME: place, XDG_CONFIG_HOME: place };
  return { place, env };
}

function table({ name, command }, more = "") {
  const words = command.map((word) => JSON.stringify(word)).join(", ");
  return `[mcp.${name}]\ncommand = [${words}]\n${more}`;
}

/** Returns the arguments of a run whose model makes these calls, one after the other. */
function run(place, calls, ...flags) {
  const turns = calls.map(({ name, tool, args }) => {
    const call = JSON.stringify({ name: `${name}.${tool}`, args });
    return `§call: ${call}\n§execute\n%%\n`;
  });
  const script = join(place, "script");
  writeFileSync(script, `${turns.join("")}§respond: It is done.\n§end`);
  return ["run", "go", "--json", "--permissions", "full", "--model", `script:${script}`, ...flags];
}

/** Runs silcrow to its end, which comes, and returns what it printed. */
function ended(args, env) {
  const options = { env, cwd: folder, encoding: "utf8", input: "", timeout: 120_000 };
  const done = spawnSync(silcrow, args, options);
  assert.equal(done.status, 0, `${args.join(" ")}\n${done.stdout}\n${done.stderr}`);
  return done;
}

function events(text) {
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

function results(done) {
  assert.match(done.stdout, /It is done\./);
  return events(done.stdout).filter(({ type }) => type === "result").map(({ content }) => content);
}

/** Returns the processes of servers that were not ended. One that was killed may take a moment. */
function left() {
  const limit = Date.now() + 5_000;
  let found = running();
  while (found.length > 0 && Date.now() < limit) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    found = running();
  }
  return found;
}

/** Returns the processes of servers. */
function running() {
  const found = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(")").pop().trim()[0];
      if (words.includes(modules) && state !== "Z") found.push(`${pid} ${words}`);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

for (const server of servers) {
  const { place, env } = settings(table(server));
  const tried = ended(["mcp", "test", server.name, "--json"], env);
  const [report] = events(tried.stdout);
  assert.ok(report.tools.includes(`${server.name}.${server.tool}`), tried.stdout);
  assert.match(report.revision, /^2025-11-25$|^2026-07-28$/);
  const [plain] = results(ended(run(place, [server]), env));
  assert.match(String(plain), server.says);
  assert.deepEqual(left(), [], server.name);
  console.log(`  ${server.name}: revision ${report.revision}, ${report.tools.length} tools`);

  for (const way of ["kill", "freeze", "garble"]) {
    const begun = Date.now();
    const meddled = mkdtempSync(join(home, "meddle-"));
    const wrapped = [process.execPath, "meddle.mjs", way, join(meddled, "mark"), ...server.command];
    wrapped[1] = join(process.cwd(), wrapped[1]);
    const { place, env } = settings(table({ ...server, command: wrapped }, "timeout = 3\n"));
    const [first, second] = results(ended(run(place, [server, server]), env));
    assert.match(String(first), /the outcome of this call is unknown/, `${server.name} ${way}`);
    // A server that is frozen stays so; one that is dead is started again.
    if (way !== "freeze") assert.match(String(second), server.says, `${server.name} ${way}`);
    assert.deepEqual(left(), [], `${server.name} ${way}`);
    console.log(`  ${server.name}, ${way}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }
}

// A call that lasts reports its progress, and its server is killed and frozen from outside.
const [everything] = servers;
const long = { name: "everything", tool: "trigger-long-running-operation" };
{
  const { place, env } = settings(table(everything));
  const call = { ...long, args: { duration: 1, steps: 4 } };
  const done = ended(run(place, [call]), env);
  const pieces = events(done.stdout).filter(({ type }) => type === "progress");
  assert.ok(pieces.length >= 2, `progress: ${done.stdout}`);
}
for (const signal of ["SIGKILL", "SIGSTOP"]) {
  const { place, env } = settings(table(everything, "timeout = 20\n"));
  const call = { ...long, args: { duration: 60, steps: 600 } };
  const args = run(place, [call, everything]);
  const child = spawn(silcrow, args, { env, cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  let sent = false;
  child.stdout.on("data", (data) => {
    out += data;
    if (sent || !out.includes('"progress"')) return;
    sent = true;
    for (const line of left()) process.kill(Number(line.split(" ")[0]), signal);
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.equal(code, 0, out);
  const [first, second] = results({ stdout: out });
  assert.match(String(first), /the outcome of this call is unknown/, signal);
  if (signal === "SIGKILL") assert.match(String(second), /hello/);
  assert.deepEqual(left(), [], signal);
}

// A text of a server goes with a prompt, and all servers of a person start beside each other.
{
  const { place, env } = settings(servers.map((server) => table(server)).join(""));
  const listed = events(ended(["mcp", "test", "everything", "--json"], env).stdout)[0].resources;
  assert.ok(listed.length > 0);
  const args = run(place, servers);
  args[1] = `Read @everything:${listed[0]}`;
  const [hello, text] = results(ended(args, env));
  assert.match(String(hello), /hello/);
  assert.match(String(text), /the text of a\.txt/);
  const context = ended(["context", "--no-mcp"], env).stdout;
  assert.match(context, /The text @everything:/);
  assert.deepEqual(left(), []);
}
