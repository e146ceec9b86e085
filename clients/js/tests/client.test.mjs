// The client against a server of its own: `cargo dist bindings client`.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after, before, test as testWithin } from "node:test";

import { startServer } from "./server.mjs";

const folder = process.env.SILCROW_PACKAGE ?? new URL("../", import.meta.url).href;
const { Agent, SilcrowError } = await import(new URL("client.js", folder).href);

/** A client that never ends fails, too. */
const test = (name, run) => testWithin(name, { timeout: 120_000 }, run);

let server, address, token;

before(async () => {
  server = await startServer();
  ({ address, token } = server);
});

after(() => server.end());

const agent = () => new Agent(address, { token });

async function all(run) {
  const events = [];
  for await (const event of run) events.push(event);
  return events;
}

const text = (events) => events.filter((event) => event.type === "respond").map((event) => event.content);

test("the fourth seed: texts in pieces, or each as a whole, and never twice", async () => {
  const query = "What is in this directory?";
  const pieces = await all(agent().stream(query, { chunks: true }));
  const whole = await all(agent().stream(query, { chunks: false }));
  assert.ok(text(pieces).length > 3, "it came in pieces");
  assert.equal(text(whole).length, whole.filter((event) => event.type === "respond").length);
  assert.ok(whole.every((event) => event.part === undefined));
  assert.equal(text(pieces).join("").trim(), text(whole).join(""));
  assert.match(text(whole).join(""), /notes\.md/);
});

test("ask returns the answer, and a conversation goes on", async () => {
  const first = await agent().ask("What is in this directory?", { conversation: "talk" });
  assert.match(first, /notes\.md/);
  await agent().ask("And what is in notes.md?", { conversation: "talk" });
  const { events } = await agent().log("talk");
  assert.equal(events.filter((event) => event.type === "user").length, 2);
  const { conversations } = await agent().conversations();
  assert.ok(conversations.some((one) => one.id === "talk"));
});

test("a run is read to its end through connections that are cut, word for word", async () => {
  const cutting = await proxy();
  const cut = new Agent(cutting.address, { token });
  const events = await all(cut.stream("What is in this directory?", { conversation: "cut", chunks: true }));
  assert.ok(cutting.cuts() > 1, `${cutting.cuts()} connections were cut`);
  const { events: stored } = await agent().log("cut");
  const answer = stored.filter((event) => event.type === "respond").map((event) => event.content.trim());
  const parts = new Map();
  for (const event of events.filter((event) => event.type === "respond")) {
    const key = `${event.turn}/${event.part ?? "whole"}`;
    parts.set(key, (parts.get(key) ?? "") + event.content);
  }
  assert.deepEqual([...parts.values()].map((one) => one.trim()), answer);
  cutting.close();
});

test("wherever a stream is cut and begins again, each word comes once", async () => {
  const texts = [["think", "I look at it. "], ["respond", " It has  two lines,\nand a third one."]];
  const stream = [];
  let stored = 0;
  for (const [part, [type, content]] of texts.entries()) {
    for (let at = 0; at < content.length; at += 3) {
      stream.push([stored, `${stored}.${at + 1}`, { type, part, content: content.slice(at, at + 3) }]);
    }
    stored += 1;
    stream.push([stored, `${stored}.0`, { type, content: content.trim() }]);
  }
  stream.push([stored, `${stored}.9`, { type: "idle", outcome: "answered" }]);
  const sent = (messages) => messages.map(([, id, event]) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  for (let cut = 0; cut < stream.length - 1; cut += 1) {
    const [before] = stream[cut];
    const isNew = ([number]) => number > before;
    const isEnd = (one) => one[2].type === "idle";
    const again = stream.filter((one) => isEnd(one) || isNew(one) || (one[0] === before && one[2].part !== undefined));
    // The run has ended meanwhile.
    const whole = stream.filter((one) => isEnd(one) || (isNew(one) && one[2].part === undefined));
    for (const rest of [again, whole]) {
      const body = sent([...stream.slice(0, cut + 1), [before, `${before}.0`, { type: "reset" }], ...rest]);
      const fetch = async (url, { method }) =>
        method === "POST"
          ? Response.json({ run: "r", after: "0.0" })
          : new Response(body, { headers: { "content-type": "text/event-stream" } });
      const events = await all(new Agent("http://localhost", { fetch }).stream("?", { chunks: true }));
      const read = texts.map(([type]) => events.filter((one) => one.type === type).map((one) => one.content).join(""));
      assert.deepEqual(read.map((one) => one.trim()), texts.map(([, one]) => one.trim()), `cut after ${cut}`);
      assert.ok(events.every((one) => one.type !== "reset"));
    }
  }
});

test("a run is stopped, and a reader that leaves stops it if it says so", async () => {
  const run = agent().stream("read story.md", { conversation: "stopped" });
  let isStopped = false;
  for await (const event of run) {
    if (isStopped || (event.type !== "respond" && event.type !== "think")) continue;
    isStopped = true;
    await run.stop();
  }
  assert.equal(run.outcome, "stopped");

  const left = agent().stream("read story.md", { conversation: "left", stopOnLeave: true });
  for await (const event of left) if (event.type === "respond" || event.type === "think") break;
  const rest = await all(agent().follow("left"));
  assert.ok(rest.some((event) => event.type === "cancelled"), "the log says that it was stopped");
});

test("a run at work is steered", async () => {
  const run = agent().stream("read story.md", { conversation: "steered" });
  let steered = false;
  const events = [];
  for await (const event of run) {
    events.push(event);
    if (!steered && event.part) {
      steered = true;
      await run.steer("What is in this directory?");
    }
  }
  assert.ok(events.some((event) => event.type === "user" && event.steer), "the message is an event");
});

test("a question is answered, and the run goes on", async () => {
  const run = agent().stream("write hello to hello.txt", { conversation: "asked" });
  await all(run);
  assert.equal(run.outcome, "waiting");
  const questions = await run.questions();
  assert.deepEqual(questions.map((question) => question.call.tool), ["file_write"]);
  const answers = questions.map((question) => ({ question: question.id, allow: false, reason: "not now" }));
  const rest = agent().resume("asked", answers);
  assert.ok((await all(rest)).some((event) => event.type === "result"));
  assert.equal(rest.outcome, "answered");
});

test("what is wrong is an error with its code", async () => {
  await assert.rejects(new Agent(address, { token: "wrong" }).ask("Hello?"), (error) => {
    assert.ok(error instanceof SilcrowError);
    assert.deepEqual([error.status, error.code], [401, "unauthorized"]);
    return true;
  });
  await assert.rejects(agent().ask(""), SilcrowError);
  await assert.rejects(agent().log("nobody-has-it"), (error) => error.status === 404);
  await assert.rejects(new Agent("http://127.0.0.1:1").conversations(), (error) => error.code === "unreachable");
});

test("a signal ends the reading, and the run goes on", async () => {
  const leaving = new AbortController();
  const run = agent().stream("What is in this directory?", { conversation: "signal", signal: leaving.signal });
  await assert.rejects(async () => {
    for await (const event of run) leaving.abort();
  }, { name: "AbortError" });
  const rest = await all(agent().follow("signal", { after: run.position }));
  assert.ok(text(rest).length > 0, "the rest can be followed");
});

/** A proxy that cuts each stream of events after some hundred bytes. */
async function proxy() {
  let cuts = 0;
  const target = new URL(address);
  const cutting = createServer((incoming, outgoing) => {
    const options = { host: target.hostname, port: target.port, path: incoming.url, method: incoming.method };
    const passed = request({ ...options, headers: { ...incoming.headers, host: target.host } }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      let left = incoming.url.includes("/events") ? 250 + 350 * (cuts % 4) : Infinity;
      answer.on("data", (data) => {
        if (left < 0) return;
        const rest = left;
        left -= data.length;
        if (left >= 0) return outgoing.write(data);
        // In the middle of a message, after what came before it.
        cuts++;
        outgoing.write(data.subarray(0, rest), () => outgoing.destroy());
      });
      answer.on("end", () => outgoing.end());
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
    outgoing.on("close", () => passed.destroy());
  });
  await new Promise((done) => cutting.listen(0, "127.0.0.1", done));
  // After a test that failed it keeps nothing alive.
  cutting.unref();
  return {
    address: `http://127.0.0.1:${cutting.address().port}`,
    cuts: () => cuts,
    close: () => cutting.close(),
  };
}
