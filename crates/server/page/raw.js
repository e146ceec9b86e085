// Shows what the model wrote in a turn beside the events that were made of it.

import { make, setChildren } from "./dom.js";
import { Fold } from "./fold.js";
import { conversationPath, request } from "./server.js";
import { block } from "./text.js";

/** Makes the raw view of each turn, while a person wants to see them. */
export class RawTurns {
  constructor() {
    this.isOn = false;
    this.clear();
  }

  clear() {
    this.folds = new Map();
    this.opened = new Set();
  }

  /** Returns the node for a turn; none if nobody wants it. */
  node(record, { turn, id }) {
    if (!this.isOn || turn === undefined) return null;
    const key = `${turn} ${id}`;
    if (!this.folds.has(key)) this.folds.set(key, this.made(turn));
    const shown = this.folds.get(key);
    const messages = record.messages.filter(({ event }) => event.turn === turn && event.part === undefined && event.type !== "call_text" && !event.agent_path);
    const last = messages.at(-1);
    const version = `${messages.length} ${last?.seq}.${last?.n}`;
    if (version !== shown.version) {
      Object.assign(shown, { version, messages, conversation: record.conversation });
      shown.fold.update();
    }
    return shown.fold.element;
  }

  made(turn) {
    const shown = { messages: [], version: null };
    const written = make("div", { role: "status" }, "Loading…");
    shown.fold = new Fold(String(turn), { class: "raw" }, this.opened, (body) => {
      const events = shown.messages.map(({ event }) => block(JSON.stringify(event)));
      setChildren(body, [
        make("section", {}, make("h3", {}, "What the model wrote"), written),
        make("section", {}, make("h3", {}, "Its events"), ...events),
      ]);
      load(shown.conversation, turn, written);
    });
    shown.fold.summary.append(`Turn ${turn}: raw text and events`);
    return shown;
  }
}

async function load(conversation, turn, element) {
  try {
    const { wire } = await request("GET", `${conversationPath(conversation)}/wire?turn=${turn}`);
    element.replaceChildren(wire === "" ? make("p", { class: "small" }, "Nothing of it is stored yet.") : block(wire));
  } catch (error) {
    element.replaceChildren(make("p", { class: "small" }, error.message));
  }
}
