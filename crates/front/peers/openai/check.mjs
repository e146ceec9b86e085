// OpenAI's client reads our streams, from a real socket.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { ReplayServer, streams } from "./server.mjs";

const server = await ReplayServer.start();
const client = new OpenAI({ baseURL: server.url, apiKey: "key", maxRetries: 0 });
const scenarios = [
  "text",
  "parallel",
  "approval",
  "continuation",
  "agent",
  "failure",
  "malformed",
  "stopped",
  "error",
];
const request = { model: "silcrow", input: "Hello." };
const chatRequest = { model: "silcrow", messages: [{ role: "user", content: "Hello." }] };

/// The messages of a stream, without `[DONE]`.
const messages = (stream) => stream.split("\n\n").slice(0, -2);

/// The data of the messages of a stream.
const events = (stream) => messages(stream).map((message) => JSON.parse(message.split("data: ")[1]));

/// A response without what the client adds to it.
const plain = (response) =>
  JSON.parse(
    JSON.stringify(response, (key, value) =>
      ["output_text", "output_parsed", "parsed", "parsed_arguments"].includes(key)
        && (value === null || key === "output_text") ? undefined : value,
    ),
  );

/// The response that the client makes of a stream.
const read = async (stream) => {
  server.body = stream;
  return plain(await client.responses.stream(request).finalResponse());
};

/// Checks that a stream adds up to the response in its last event, with that event and without it.
const checkResponse = async (name, stream) => {
  const { response } = events(stream).at(-1);
  assert.deepEqual(await read(stream), response, name);
  const pieces = messages(stream).slice(0, -1).join("\n\n");
  assert.deepEqual((await read(`${pieces}\n\n`)).output, response.output, name);
};

/// The reasoning and the content of a stream of completions, and whether it ends by an error.
const readChat = async (stream) => {
  server.body = stream;
  const chunks = await client.chat.completions.create({ ...chatRequest, stream: true });
  let [reasoning, content, usage] = ["", "", null];
  for await (const chunk of chunks) {
    reasoning += chunk.choices[0]?.delta.reasoning_content ?? "";
    content += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  server.body = stream;
  const final = await client.chat.completions.stream(chatRequest).finalChatCompletion();
  assert.equal(final.choices[0].message.content, content);
  assert.equal(final.choices[0].finish_reason, "stop");
  assert.equal(final.choices[0].message.tool_calls, undefined);
  return { reasoning, content, usage };
};

const checks = {
  async "a stream adds up to the response"() {
    for (const name of scenarios) {
      const stream = streams("responses", name);
      await checkResponse(name, stream);
      assert.deepEqual(await read(stream), JSON.parse(streams("responses:whole", name)), name);
      await checkResponse(name, streams("responses:pairs", name));
      server.body = stream;
      const read_events = [];
      for await (const event of await client.responses.create({ ...request, stream: true }))
        read_events.push(event);
      assert.deepEqual(read_events, events(stream), name);
    }
  },

  async "a whole response has its text"() {
    server.body = streams("responses:whole", "text");
    const response = await client.responses.create(request);
    assert.equal(response.output_text, "2 + 2 is 4.\nAnything else?");
    assert.equal(response.usage.total_tokens, 150);
  },

  async "a question has what its answer needs"() {
    const response = await read(streams("responses", "approval"));
    const { id, name } = response.output.find(({ type }) => type === "mcp_approval_request");
    assert.equal(name, "file_write");
    server.body = streams("responses", "continuation");
    server.requests = [];
    const answer = { type: "mcp_approval_response", approval_request_id: id, approve: true };
    await client.responses.stream({ ...request, input: [answer], previous_response_id: response.id }).done();
    const sent = streams("responses-request", server.requests[0].text);
    assert.match(sent, /Approval\(ApprovalAnswer \{ question: "1\/a1", approve: true/);
    assert.match(sent, /previous_response_id: Some\("resp_1"\)/);
  },

  async "a client continues after any event"() {
    const all = events(streams("responses", "parallel"));
    server.body = (path) => {
      const number = new URL(path, server.url).searchParams.get("starting_after");
      return streams(`responses:after-${number}`, "parallel");
    };
    for (const [at, { sequence_number }] of all.slice(0, -1).entries()) {
      const rest = [];
      const query = { stream: true, starting_after: sequence_number };
      for await (const event of await client.responses.retrieve("resp_1", query)) rest.push(event);
      assert.deepEqual(rest, all.slice(at + 1));
    }
  },

  async "chunks add up to the completion"() {
    for (const name of scenarios.slice(0, -1)) {
      const { message } = JSON.parse(streams("chat-completions:whole", name)).choices[0];
      const { reasoning, content, usage } = await readChat(streams("chat-completions", name));
      assert.deepEqual([reasoning, content], [message.reasoning_content ?? "", message.content], name);
      assert.ok(usage === null || usage.total_tokens === 150);
    }
    server.requests = [];
    server.body = streams("chat-completions:whole", "text");
    const { choices } = await client.chat.completions.create(chatRequest);
    assert.equal(choices[0].message.content, "2 + 2 is 4.\nAnything else?");
    assert.match(
      streams("chat-completions-request", server.requests[0].text),
      /messages: \[ClientMessage \{ role: User, text: "Hello.", files: \[\] \}\], stream: false/,
    );
  },

  async "a run that fails is an error"() {
    const failed = { code: "unreachable", message: /The model cannot be reached/ };
    await assert.rejects(readChat(streams("chat-completions", "error")), failed);
    const { status, error } = await read(streams("responses", "error"));
    assert.deepEqual([status, error.silcrow_code], ["failed", "unreachable"]);
    assert.equal((await read(streams("responses", "stopped"))).status, "cancelled");
  },

  async "errors have classes"() {
    const classes = {
      400: OpenAI.BadRequestError,
      401: OpenAI.AuthenticationError,
      403: OpenAI.PermissionDeniedError,
      404: OpenAI.NotFoundError,
      409: OpenAI.ConflictError,
      429: OpenAI.RateLimitError,
      500: OpenAI.InternalServerError,
      503: OpenAI.InternalServerError,
    };
    for (const line of streams("openai-errors").trim().split("\n")) {
      const [, status, body] = line.match(/^(\d+) (.*)$/);
      Object.assign(server, { status: Number(status), body });
      const error = await client.responses.create(request).catch((error) => error);
      assert.ok(error instanceof (classes[status] ?? OpenAI.APIError), status);
      assert.deepEqual([error.param, error.message], ["model", `${status} This is wrong.`]);
    }
    server.status = 200;
  },

  async "models are listed"() {
    server.body = streams("openai-models");
    const names = (await client.models.list()).data.map(({ id }) => id);
    assert.deepEqual(names, ["silcrow", "silcrow-plain"]);
  },

  async "random runs are read to their end"() {
    const random = (protocol) => streams(protocol, "random", "1", "200").split("\0").slice(0, -1);
    for (const protocol of ["responses", "responses:pairs"])
      for (const [number, stream] of random(protocol).entries())
        await checkResponse(`${protocol} ${number}`, stream);
    for (const stream of random("chat-completions")) {
      const failed = stream.includes('data: {"error":');
      const done = readChat(stream);
      await (failed ? assert.rejects(done, OpenAI.APIError) : done);
    }
  },
};

try {
  for (const [name, check] of Object.entries(checks)) {
    await check();
    console.log(`ok: ${name}`);
  }
} finally {
  server.stop();
}
