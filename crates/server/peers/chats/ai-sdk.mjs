// The clients of the AI SDK, as a chat without a page.

import * as ai5 from "ai5";
import * as ai6 from "ai6";
import * as ai7 from "ai7";

class ChatState {
  status = "ready";
  error = undefined;
  messages = [];

  pushMessage = (message) => void (this.messages = [...this.messages, message]);
  popMessage = () => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (at, message) =>
    void (this.messages = this.messages.with(at, structuredClone(message)));
  snapshot = structuredClone;
}

class AiSdkChat {
  constructor(version, ai, { line, headers, id, query }) {
    Object.assign(this, { version, ai, headers, ended: undefined });
    this.api = `${line.origin}/api/chat`;
    const resumed = { api: `${this.api}/${id}/stream?ai=${version}`, headers };
    const transport = new ai.DefaultChatTransport({
      api: `${this.api}?ai=${version}&${query}`,
      headers,
      prepareReconnectToStreamRequest: () => resumed,
    });
    class Chat extends ai.AbstractChat {}
    const onFinish = (ended) => void (this.ended = ended);
    const sendAutomaticallyWhen = ai.lastAssistantMessageIsCompleteWithApprovalResponses;
    const state = new ChatState();
    this.chat = new Chat({ id, transport, state, onFinish, sendAutomaticallyWhen });
  }

  async send(text) {
    await this.chat.sendMessage({ text });
  }

  async resume() {
    // Version 5 appends a replay to what it has, so its page begins again with what is stored.
    if (this.version === 5) this.chat.messages = this.chat.messages.slice(0, -1);
    await this.chat.resumeStream();
  }

  async answer(approved) {
    if (this.version === 5) {
      const { messages, lastMessage } = this.chat;
      const parts = lastMessage.parts.map((part) =>
        part.type === "data-approval" ? { ...part, data: { ...part.data, approved } } : part,
      );
      this.chat.messages = [...messages.slice(0, -1), { ...lastMessage, parts }];
      return this.chat.sendMessage();
    }
    const finished = new Promise((resolve) => (this.chat.onFinish = resolve));
    for (const { approval } of this.open) await this.chat.addToolApprovalResponse({ id: approval.id, approved });
    await finished;
  }

  leave() {
    return this.chat.stop();
  }

  get parts() {
    const { lastMessage } = this.chat;
    return lastMessage?.role === "assistant" ? lastMessage.parts : [];
  }

  /** The calls that wait for the person. */
  get open() {
    return this.parts.filter(({ state }) => state === "approval-requested");
  }

  get questions() {
    if (this.version > 5) return this.open.map((part) => JSON.stringify(part));
    const isOver = this.parts.some(({ output, errorText }) => output ?? errorText);
    const asked = this.parts.filter(({ type }) => type === "data-approval" && !isOver);
    return asked.map(({ data }) => JSON.stringify(data));
  }

  get said() {
    return this.parts.filter(({ type }) => type === "text").map(({ text }) => text);
  }

  get results() {
    const ended = this.parts.filter(({ state, preliminary }) => /^output/.test(state) && !preliminary);
    return ended.map(({ output, errorText }) => (typeof output === "string" ? output : (errorText ?? JSON.stringify(output))));
  }

  get outcome() {
    if (this.chat.status === "error") return this.chat.error instanceof TypeError ? "cut" : "failed";
    return this.questions.length > 0 ? "waiting" : "done";
  }

  get failure() {
    return this.chat.error.message;
  }

  /** Checks that what is stored is what the client has. */
  async check(assert) {
    const { pathname } = new URL(this.api);
    assert.equal(pathname, "/api/chat");
    const answer = await fetch(`${this.api}/${this.chat.id}?ai=${this.version}`, { headers: this.headers });
    const messages = await answer.json();
    await this.ai.validateUIMessages({ messages });
    assert.equal(messages.at(-1).id, this.chat.lastMessage.id);
  }
}

export const aiSdkChats = [
  [5, ai5],
  [6, ai6],
  [7, ai7],
].map(([version, ai]) => ({
  name: `AI SDK ${version}`,
  open: (place) => new AiSdkChat(version, ai, place),
}));
