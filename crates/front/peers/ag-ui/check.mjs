// Has the published clients of AG-UI read the runs that `streams` prints.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";

const CLIENTS = {
  "1.0": await import("@ag-ui/client"),
  "0": await import("@ag-ui/client-0"),
};

// A client warns about what it does not know, and drops it.
console.warn = (...words) => assert.fail(words.join(" "));
// It prints why it rejects a run, which the error says, too.
console.error = () => {};

function streams(...args) {
  return execFileSync(process.env.SILCROW_FRONT_STREAMS, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
}

/** What our parser has read in each request of a run. */
let requests = [];

// A server that answers a request for `/TARGET/SCENARIO` with the bytes of that run, in chunks that
// cut lines and characters. It also has our parser read the request.
const server = createServer(async (request, response) => {
  const [, target, scenario] = request.url.split("/");
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  requests.push(streams("ag-ui-request", body).trim());
  const bytes = Buffer.from(streams(`ag-ui:${target}`, scenario));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < bytes.length; at += 61) response.write(bytes.subarray(at, at + 61));
  response.end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = `http://127.0.0.1:${server.address().port}`;

/** Runs a scenario in an agent, and returns its last event. */
async function run(agent, target, scenario, parameters) {
  agent.url = `${address}/${target}/${scenario}`;
  requests = [];
  let last;
  await agent.runAgent(parameters, { onEvent: ({ event }) => void (last = event) });
  return last;
}

/** The messages of the log after a scenario, which the client has made of events. */
function stored(scenario) {
  return JSON.parse(streams("ag-ui-messages", scenario));
}

function shown(messages, target) {
  const all = messages.filter((message) => message.role !== "activity");
  // Clients before 1.0 leave out the metadata of results.
  return target === "0" ? all.map(({ metadata, ...message }) => message) : all;
}

/** How each run ends: its outcome, or the code of its error. */
const outcomes = {
  text: "success",
  parallel: "success",
  approval: "interrupt",
  agent: "success",
  failure: "success",
  malformed: "success",
  draft: "success",
  stopped: "cancelled",
  error: "unreachable",
};

/** How many messages a client has beside the log: those of a called agent, and an unfinished text. */
const beside = { agent: 4, stopped: 1, error: 1 };

for (const [target, { HttpAgent }] of Object.entries(CLIENTS)) {
  for (const [scenario, outcome] of Object.entries(outcomes)) {
    const log = stored(scenario);
    const agent = new HttpAgent({ url: address, threadId: "talk", initialMessages: [log[0]] });
    const last = await run(agent, target, scenario);
    assert.equal(last.outcome?.type ?? last.code, outcome, scenario);
    assert.equal(requests[0], `talk: u1 "${log[0].content}", 0 answers`);
    const messages = shown(agent.messages, target);
    const known = messages.filter(({ id }) => log.some((message) => message.id === id));
    assert.deepEqual(known, shown(log, target), scenario);
    assert.equal(messages.length - known.length, beside[scenario] ?? 0, scenario);

    if (scenario === "parallel") {
      const activity = agent.messages.find((message) => message.role === "activity");
      const printed = activity.content.output.map((piece) => piece.text).join("");
      assert.equal(printed, "reading b.txt\n");
    }
    if (scenario === "approval") {
      const [interrupt] = agent.pendingInterrupts;
      assert.deepEqual([interrupt.id, interrupt.toolCallId], ["1/a1", "c1-1"]);
      const resume = [
        { interruptId: interrupt.id, status: "resolved", payload: { approved: true } },
      ];
      const next = await run(agent, target, "continuation", { resume });
      assert.equal(next.outcome.type, "success");
      assert.equal(requests[0], 'talk: u1 "Write a.txt.", 1 answers');
      assert.deepEqual(shown(agent.messages, target), shown(stored("continuation"), target));
    }
  }
}
server.closeAllConnections();
server.close();

/** Runs an agent that gets these bytes, without a network. */
async function read(HttpAgent, bytes) {
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(bytes, { headers });
  const agent = new HttpAgent({ url: address, threadId: "talk", fetch });
  await agent.runAgent();
  return agent;
}

const COUNT = 1000;
for (const [target, { HttpAgent }] of Object.entries(CLIENTS)) {
  const text = streams(`ag-ui:${target}`, "text");
  const [begin, ...rest] = text.split(/(?<=\n\n)/);

  // A client that joins a conversation gets all messages at once.
  for (const scenario of Object.keys(outcomes)) {
    const snapshot = { type: "MESSAGES_SNAPSHOT", messages: stored(scenario) };
    const bytes = [begin, `data: ${JSON.stringify(snapshot)}\n\n`, rest.at(-1)].join("");
    const agent = await read(HttpAgent, bytes);
    assert.deepEqual(shown(agent.messages, target), shown(snapshot.messages, target));
  }

  // The client does reject what stays open.
  const open = text.replace(/data: .*"TEXT_MESSAGE_END".*\n\n/, "");
  await assert.rejects(read(HttpAgent, open), /text messages are still active/);

  const runs = streams(`ag-ui:${target}`, "random", "1", String(COUNT)).split("\0").slice(0, -1);
  assert.equal(runs.length, COUNT);
  for (const bytes of runs) {
    await read(HttpAgent, bytes).catch((why) => assert.fail(`${why}\n${bytes}`));
  }
}
console.log(`ag-ui: ${2 * Object.keys(outcomes).length + 2} runs, ${2 * COUNT} random runs`);
