// Cards of the questions for whose answers a conversation waits.

import { argumentNodes } from "./arguments.js";
import { exact, make, visible } from "./dom.js";
import { parsed } from "./record.js";
import { block } from "./text.js";

/** Keeps a list of cards in step with the open questions. */
export class QuestionCards {
  /**
   * `answer` is called with an answer, as the server takes it, and returns a promise. A yes is for one call alone
   * if `isOnce`.
   */
  constructor(element, answer, { isOnce = false } = {}) {
    Object.assign(this, { element, answer, isOnce });
    this.cards = new Map();
  }

  show(questions) {
    const open = loops(questions.filter((question) => question.answer === null));
    const kept = new Set(open.map(key));
    const focused = document.activeElement?.closest(".card");
    for (const [name, card] of this.cards) {
      if (kept.has(name)) continue;
      card.remove();
      this.cards.delete(name);
    }
    for (const question of open) {
      if (this.cards.has(key(question))) continue;
      const card = this.card(question);
      this.cards.set(key(question), card);
      this.element.append(card);
    }
    // Who answers by keys goes from card to card.
    if (focused && !focused.isConnected) this.cards.values().next().value?.focus();
  }

  focus() {
    this.cards.values().next().value?.focus();
  }

  card(question) {
    const { call } = question;
    const id = `question-${question.conversation}-${question.id}`.replace(/[^\w-]/g, "_");
    const facts = (rows) => rows.filter(([, text]) => text).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, visible(text))]);
    // One reason and the doors: what a person decides by. The rest is below.
    const first = facts([["Effect", call.effect ?? call.target], ["A yes opens", call.grants?.join(", ")]]);
    const rest = facts([
      ["Target", call.effect ? call.target : null], ["Asked because", call.why],
      ["Agent", question.conversation.includes("/") ? question.conversation : null],
    ]);
    const reason = make("input", { type: "text", id: `${id}-reason`, autocomplete: "off", dir: "auto", placeholder: "Why not, if you deny it" });
    const failure = make("p", { role: "alert" });
    const items = new ItemList(question);
    const send = async (answer) => {
      card.querySelectorAll("button").forEach((button) => (button.disabled = true));
      failure.textContent = "";
      try {
        await this.answer(items.answers(answer));
      } catch (error) {
        failure.textContent = error.message;
        card.querySelectorAll("button").forEach((button) => (button.disabled = false));
      }
    };
    const acts = {
      y: () => send({ decision: "allow" }),
      // A risk needs a yes of its own, which no other approval replaces.
      a: call.risk || this.isOnce ? null : () => send({ decision: "allow", scope: "conversation" }),
      n: () => send({ decision: "deny", ...(reason.value.trim() ? { reason: reason.value } : {}) }),
    };
    const button = (name, label) => acts[name] &&
      make("button", { type: "button", class: name, "aria-keyshortcuts": name, onclick: acts[name] }, `${label} `, make("kbd", {}, name));
    const wider = call.risk || this.isOnce ? [] : (call.wider_scopes ?? []).map((scope, index) => make("button", {
      type: "button", class: "a", onclick: () => send({ decision: "allow", scope: "wider", index }),
    }, `Always: ${exact(scope)}`));
    const always = call.scope === call.args ? "with exactly these arguments" : call.scope;
    const card = make("article", { class: "card", tabindex: "-1", "aria-labelledby": id },
      make("h2", { id }, "May it call ", make("span", { class: "tool" }, visible(call.tool)), items.isLoop ? ` ${question.items.length} times?` : "?"),
      items.element,
      ...(items.isLoop ? [] : argumentsOf(call)),
      call.risk ? make("p", { class: "risk" }, `Risk: ${visible(call.risk)}`) : null,
      first.length > 0 ? make("dl", { class: "facts" }, ...first) : null,
      acts.a || rest.length > 0 ? make("details", { class: "more" }, make("summary", {}, "More"),
        rest.length > 0 ? make("dl", { class: "facts" }, ...rest) : null,
        acts.a ? make("p", { class: "small" }, make("strong", {}, "Always"), " covers in this conversation: ", make("code", {}, visible(call.tool)), ` ${exact(always)}`) : null,
        wider.length > 0 ? make("p", { class: "acts" }, ...wider) : null) : null,
      failure,
      make("div", { class: "acts" }, button("y", items.isLoop ? "Yes to these" : "Yes, once"), button("a", "Always"), button("n", "No"),
        make("div", { class: "reason" }, make("label", { class: "unseen", for: `${id}-reason` }, "Reason, if you deny it"), reason)));
    card.addEventListener("keydown", (event) => {
      const isText = event.target === reason;
      if (isText && event.key === "Enter" && !event.isComposing) {
        event.preventDefault();
        if (!card.querySelector("button.n").disabled) acts.n();
      }
      if (isText || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (acts[event.key] && !card.querySelector("button.n").disabled) {
        event.preventDefault();
        acts[event.key]();
      }
    });
    return card;
  }
}

/** The calls for the items of a loop, of which a person may leave some out. */
class ItemList {
  constructor(question) {
    this.question = question;
    this.isLoop = question.items.length > 1;
    const rows = question.items.map(({ id, call }) => {
      const box = make("input", { type: "checkbox", value: id });
      box.checked = true;
      const effect = call.effect ?? call.target;
      const risk = call.risk ? make("p", { class: "risk" }, `Risk: ${visible(call.risk)}`) : null;
      return make("li", {}, make("label", {}, box, visible(call.item_of ? call.id : call.tool)),
        ...argumentsOf(call), effect ? make("p", { class: "small" }, visible(effect)) : null, risk);
    });
    this.element = this.isLoop ? make("ol", { class: "items" }, ...rows) : null;
  }

  /** Returns the answers to the questions. An answer for the whole conversation is about the first. */
  answers({ decision, reason, ...scope }) {
    const allowed = this.element && new Set([...this.element.querySelectorAll("input:checked")].map((box) => box.value));
    return this.question.items.map(({ id }, at) => {
      if (decision === "deny" || (allowed && !allowed.has(id))) return { question: id, decision: "deny", ...(reason ? { reason } : {}) };
      return { question: id, decision, ...(at === 0 ? scope : {}) };
    });
  }
}

/** Returns the questions, those about items of one loop as one. */
function loops(questions) {
  const together = new Map();
  for (const question of questions) {
    const { conversation, turn, call } = question;
    const loop = call.item_of ? JSON.stringify([conversation, turn, call.item_of, call.tool]) : key({ ...question, items: [question] });
    together.set(loop, [...(together.get(loop) ?? []), question]);
  }
  return [...together.values()].map((items) => ({ ...items[0], items }));
}

function argumentsOf(call) {
  const args = parsed(call.args);
  return args === null ? [block(call.args)] : argumentNodes(args, call.diff);
}

function key({ items }) {
  return items.map(({ conversation, id, call }) => `${conversation} ${id} ${call.args_sha256} ${call.target ?? ""}`).join("\n");
}
