// The questions of all users, for the owner of the server: a button with their number, and their cards.

import { byId, make, soon, visible } from "./dom.js";
import { QuestionCards } from "./questions.js";
import { conversationPath, request } from "./server.js";

/** Keeps the cards in step with the server. */
export class OthersQuestions {
  /** `asking` is called with the ids of the own conversations that wait for an answer. */
  constructor(asking) {
    Object.assign(this, { asking, isOwner: false });
    /** For each conversation its element and its cards. */
    this.shown = new Map();
    this.refresh = soon(() => this.load(), 100);
    byId("others-open").addEventListener("click", () => byId("others").showModal());
    // Nothing tells what other users' runs ask.
    setInterval(() => this.isOwner && !document.hidden && this.refresh(), PAUSE);
  }

  async load() {
    try {
      const { owner, conversations } = await request("GET", "questions");
      this.isOwner = owner;
      this.asking(new Set(conversations.filter(({ own }) => own).map(({ id }) => id)));
      this.show(conversations.filter(({ own }) => !own));
    } catch {
      // What a person does says whether he has to log in.
    }
  }

  show(conversations) {
    const count = conversations.reduce((sum, { questions }) => sum + questions.length, 0);
    byId("others-open").hidden = count === 0 && !byId("others").open;
    byId("others-open").textContent = count === 1 ? "1 question of others" : `${count} questions of others`;
    byId("others-none").hidden = count > 0;
    const kept = new Set(conversations.map(({ id }) => id));
    for (const [id, { element }] of this.shown) {
      if (kept.has(id)) continue;
      element.remove();
      this.shown.delete(id);
    }
    for (const conversation of conversations) this.section(conversation).cards.show(conversation.questions);
  }

  section({ id, title, user }) {
    const known = this.shown.get(id);
    if (known) return known;
    const place = make("div", {});
    const who = make("span", { class: "small" }, ` ${visible(user ?? "somebody without a name")}`);
    const element = make("section", {}, make("h3", { dir: "auto" }, visible(title || id), who), place);
    const cards = new QuestionCards(place, async (answers) => {
      try {
        await request("POST", `${conversationPath(id)}/answers`, { answers });
      } finally {
        this.refresh();
      }
    });
    byId("others-list").append(element);
    this.shown.set(id, { element, cards });
    return this.shown.get(id);
  }
}

/** The milliseconds between two looks. */
const PAUSE = 5_000;
