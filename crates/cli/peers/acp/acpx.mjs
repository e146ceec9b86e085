// A client for the command line, which keeps sessions and the processes of their agents.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Starts acpx; returns the messages that it prints while they come, and its end. */
class Acpx {
  constructor({ env, folder, agent }, words) {
    const args = ["node_modules/acpx/dist/cli.js", "--cwd", folder, "--agent", agent, "--format", "json", "--ttl", "30", ...words];
    this.process = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    this.messages = [];
    this.wake = () => {};
    const lines = createInterface(this.process.stdout);
    lines.on("line", (line) => {
      if (line.trim() !== "") this.messages.push(JSON.parse(line));
      this.wake();
    });
    this.ended = new Promise((resolve) => this.process.on("close", resolve));
  }

  get updates() {
    return this.messages.filter(({ method }) => method === "session/update").map(({ params }) => params.update);
  }

  said(kind = "agent_message_chunk") {
    return this.updates.filter((update) => update.sessionUpdate === kind).map(({ content }) => content.text).join("").trim();
  }

  /** Returns how many calls have ended so. */
  calls(status) {
    return this.updates.filter((update) => update.sessionUpdate === "tool_call_update" && update.status === status).length;
  }

  async until(isSo) {
    while (!isSo()) await new Promise((resolve) => (this.wake = resolve));
  }

  /** Waits for the end, and returns the answer to the prompt. */
  async answer() {
    await this.ended;
    return this.messages.findLast(({ result }) => result?.stopReason)?.result.stopReason;
  }
}

/**
 * Has acpx use the agent of a model that is told what to write. `place` has the environment, the
 * folder, the command of the agent, and the file with the number of the agent's process.
 */
export async function useAcpx(place, model, { call, read }) {
  const acpx = (...words) => new Acpx(place, words);

  // Calls end while the model writes, and one fails. Then a call runs an agent.
  let run = acpx("--approve-all", "exec", "Compare.");
  model.say(read("a", "a.txt"), read("b", "b.txt"), read("c", "missing.txt"), '<response final="false">I re');
  await run.until(() => run.calls("completed") === 2 && run.calls("failed") === 1);
  assert.ok(!run.said().includes("ad"));
  model.answer("ad.</response>");
  model.answer(call("help", "helper", { task: "Look." }, "agent"));
  model.answer("<response>They differ.</response>");
  assert.equal(await run.answer(), "end_turn");
  assert.equal(run.said(), "I read.They differ.");
  assert.match(JSON.stringify(run.updates), /The helper has looked/);

  // A call that nobody allows, and the run goes on.
  run = acpx("--deny-all", "exec", "Write.");
  model.answer(call("w", "file_write", { file: "denied.txt", content: "x" }));
  model.answer("<response>It was denied.</response>");
  assert.equal(await run.answer(), "end_turn");
  assert.deepEqual([run.calls("failed"), run.said()], [1, "It was denied."]);

  // A run that fails.
  run = acpx("exec", "Try it.");
  model.refuse(401, "The key is wrong.");
  assert.notEqual(await run.ended, 0);
  assert.match(JSON.stringify(run.messages), /The key is wrong/);

  // A session: a prompt that another process stops, and the next one.
  await acpx("sessions", "new").ended;
  run = acpx("--approve-all", "prompt", "Read.");
  model.say(read("a", "a.txt"), "<response>I have re");
  await run.until(() => run.calls("completed") === 1 && run.said() !== "");
  await acpx("cancel").ended;
  assert.equal(await run.answer(), "cancelled");
  model.answer();
  run = acpx("--approve-all", "prompt", "Again.");
  model.answer("<response>Again.</response>");
  assert.equal(await run.answer(), "end_turn");
  assert.equal(run.said(), "Again.");

  // An agent that is killed while it writes. Another one loads the session and goes on.
  run = acpx("--approve-all", "prompt", "Read once more.");
  model.say(read("a", "a.txt"), "<response>I have re");
  await run.until(() => run.calls("completed") === 1 && run.said() !== "");
  process.kill(Number(readFileSync(place.number, "utf8")), "SIGKILL");
  assert.notEqual(await run.ended, 0);
  model.answer();
  run = acpx("--approve-all", "prompt", "Go on.");
  model.answer("<response>It says one.</response>");
  assert.equal(await run.answer(), "end_turn");
  assert.ok(run.messages.some(({ method }) => method === "session/load" || method === "session/resume"));
  assert.ok(run.said().endsWith("It says one."), run.said());
  await acpx("sessions", "close").ended;
}
