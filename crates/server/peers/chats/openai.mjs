// OpenAI's client, as a chat by each of its APIs.

import OpenAI from "openai";

const open = ({ line, headers, query }) =>
  new OpenAI({
    baseURL: `${line.origin}/v1`,
    apiKey: "unused",
    defaultHeaders: headers,
    defaultQuery: Object.fromEntries(new URLSearchParams(query)),
    maxRetries: 0,
  });

/** Responses, each of which continues the one before. */
class ResponsesChat {
  items = [];
  pieces = new Map();

  constructor(place) {
    this.client = open(place);
    this.conversation = place.id;
  }

  async read(stream) {
    this.response = undefined;
    try {
      this.stream = await stream;
      for await (const event of this.stream) this.take(event);
    } catch (error) {
      this.error = error;
    }
  }

  take(event) {
    this.number = event.sequence_number;
    this.id = event.response?.id ?? this.id;
    if (event.type === "response.output_text.delta") {
      this.pieces.set(event.item_id, (this.pieces.get(event.item_id) ?? "") + event.delta);
    }
    if (/^response\.(completed|incomplete|failed|cancelled)$/.test(event.type)) this.response = event.response;
    if (event.type === "response.output_item.done") this.items.push(event.item);
  }

  begin(input) {
    this.items = [];
    this.pieces = new Map();
    const place = this.id ? { previous_response_id: this.id } : { conversation: this.conversation };
    const request = { model: "silcrow", input, stream: true, background: true, ...place };
    return this.read(this.client.responses.create(request));
  }

  send(text) {
    return this.begin(text);
  }

  resume() {
    return this.read(this.client.responses.retrieve(this.id, { stream: true, starting_after: this.number }));
  }

  answer(approve) {
    const asked = this.response.output.filter(({ type }) => type === "mcp_approval_request");
    return this.begin(asked.map(({ id }) => ({ type: "mcp_approval_response", approval_request_id: id, approve })));
  }

  leave() {
    this.stream.controller.abort();
  }

  get questions() {
    return this.items.filter(({ type }) => type === "mcp_approval_request").map((item) => JSON.stringify(item));
  }

  get said() {
    return [...this.pieces.values()];
  }

  get results() {
    const calls = this.items.filter(({ type, output, error }) => type === "mcp_call" && (output ?? error));
    return calls.map(({ output, error }) => output ?? JSON.stringify(error));
  }

  get outcome() {
    if (!this.response) return "cut";
    const { status } = this.response;
    if (status === "completed") return this.questions.length > 0 ? "waiting" : "done";
    return status === "cancelled" ? "stopped" : "failed";
  }

  get failure() {
    return this.response.error.message;
  }

  async check(assert) {
    const again = await this.client.responses.retrieve(this.id);
    assert.deepEqual(again.output, this.response.output);
  }

  async stop() {
    assert_cancelled(await this.client.responses.cancel(this.id));
  }
}

function assert_cancelled({ status }) {
  if (status !== "cancelled") throw new Error(`a response that was cancelled is ${status}`);
}

/** Chat Completions, whose client sends the whole history each time. */
class CompletionsChat {
  messages = [];

  constructor(place) {
    this.client = open(place);
    this.headers = { "x-openwebui-chat-id": place.id };
  }

  async send(text) {
    this.messages.push({ role: "user", content: text });
    this.content = "";
    this.reasoning = "";
    this.end = undefined;
    const request = { model: "silcrow", messages: this.messages, stream: true };
    try {
      this.stream = await this.client.chat.completions.create(request, { headers: this.headers });
      for await (const { choices } of this.stream) {
        this.content += choices[0]?.delta.content ?? "";
        this.reasoning += choices[0]?.delta.reasoning_content ?? "";
        this.end = choices[0]?.finish_reason ?? this.end;
      }
      this.messages.push({ role: "assistant", content: this.content });
    } catch (error) {
      this.error = error;
    }
  }

  leave() {
    this.stream.controller.abort();
  }

  get said() {
    return this.content ? [this.content] : [];
  }

  get outcome() {
    if (this.error) return this.error.code ? "failed" : "cut";
    return this.end === "stop" ? "done" : "cut";
  }

  get failure() {
    return this.error.message;
  }
}

export const openAiChats = [
  { name: "Responses", open: (place) => new ResponsesChat(place) },
  { name: "Chat Completions", open: (place) => new CompletionsChat(place), isPlain: true },
];
