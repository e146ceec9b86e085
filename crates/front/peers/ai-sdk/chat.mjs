// A chat as a page has it, and what can be compared of its messages.

/// Makes a chat of one version of the client.
export const openChat = (ai, server, init = {}) => {
  class Chat extends ai.AbstractChat {
    constructor() {
      const transport = new ai.DefaultChatTransport({ api: server.api });
      super({ id: "talk", transport, ...init, state: new ChatState(init.messages ?? []) });
    }
  }
  return new Chat();
};

class ChatState {
  status = "ready";
  error = undefined;

  constructor(messages) {
    this.messages = messages;
  }

  pushMessage = (message) => {
    this.messages = [...this.messages, message];
  };

  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };

  snapshot = (thing) => structuredClone(thing);
}

/// The parts of a message that a stored log has, too. Clients also keep the text of an input, and
/// what agents in calls have done, which is in logs of their own.
export const storedParts = (message) =>
  JSON.parse(JSON.stringify(message.parts))
    .filter((part) => part.type !== "data-agent")
    .map(({ id, rawInput, approval, ...part }) => ({
      ...part,
      ...(part.type.startsWith("data-") || part.type === "steering-message" ? { id } : {}),
      ...(approval ? { approval: { id: approval.id, approved: approval.approved } } : {}),
    }));
