// The published clients of AG-UI, as a chat.

import * as current from "@ag-ui/client";
import * as before from "@ag-ui/client-0";

// A client warns about what it does not know, and drops it.
console.warn = (...words) => {
  throw new Error(words.join(" "));
};

// It prints why a run has failed, and lets a lost connection end the process, too.
console.error = () => {};
process.on("uncaughtException", (error) => {
  if (error.message !== "terminated" && error.name !== "AbortError") throw error;
});

class AgUiChat {
  constructor({ HttpAgent }, { line, headers, id, query }) {
    this.agent = new HttpAgent({ url: `${line.origin}/ag-ui?${query}`, headers, threadId: id });
    this.count = 0;
  }

  async run(parameters) {
    this.last = undefined;
    const onEvent = ({ event }) => void (this.last = event);
    await this.agent.runAgent(parameters, { onEvent }).catch((error) => (this.error = error));
  }

  send(text) {
    this.agent.addMessage({ id: `m${(this.count += 1)}`, role: "user", content: text });
    return this.run();
  }

  resume() {
    return this.run();
  }

  answer(approved) {
    const resume = this.agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: "resolved",
      payload: { approved },
    }));
    return this.run({ resume });
  }

  leave() {
    this.agent.abortRun();
  }

  get questions() {
    return this.agent.pendingInterrupts.map(({ message }) => message);
  }

  get said() {
    const said = this.agent.messages.filter(({ role, content }) => role === "assistant" && content);
    return said.map(({ content }) => content);
  }

  get results() {
    return this.agent.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  }

  get outcome() {
    if (!this.last) return "cut";
    if (this.last.type === "RUN_ERROR") return this.last.code === "cancelled" ? "stopped" : "failed";
    return { success: "done", interrupt: "waiting", cancelled: "stopped" }[this.last.outcome?.type] ?? "cut";
  }

  get failure() {
    return this.last.message;
  }
}

export const agUiChats = [
  ["AG-UI 1.0", current],
  ["AG-UI 0.0", before],
].map(([name, library]) => ({ name, open: (place) => new AgUiChat(library, place) }));
