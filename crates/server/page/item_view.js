// Shows the items of a transcript other than calls.

import { make, short, visible } from "./dom.js";
import { Fold } from "./fold.js";
import { MarkdownView } from "./markdown_view.js";
import { PlainText, block } from "./text.js";

/** A prompt. `fork` begins a conversation before it. */
export class PromptView {
  constructor(item, fork) {
    this.item = item;
    const label = item.isTask ? "Task" : item.steer ? "You, while it worked" : "You";
    this.text = new PlainText();
    this.fork = item.steer || item.isTask ? null : quiet("Fork before this prompt", () => fork(item));
    this.element = article("user", label, item.time, this.fork, this.text.element);
  }

  update() {
    this.text.show(this.item.text);
    if (this.fork) this.fork.hidden = this.item.seq === null;
  }
}

/** A thought, which is folded. Its last words are there to see while it is written. */
export class ThoughtView {
  constructor(item, opened) {
    this.item = item;
    this.text = new PlainText();
    this.fold = new Fold(item.id, { class: "think" }, opened, (body) => {
      this.text.show(this.item.text);
      if (!this.text.element.isConnected) body.replaceChildren(this.text.element);
    });
    this.element = this.fold.element;
    this.hint = make("span", { class: "hint", dir: "auto" });
    this.label = make("span", {});
    this.fold.summary.append(this.label, " ", this.hint);
  }

  update() {
    const { text, isOpen } = this.item;
    this.label.textContent = isOpen ? "Thinking" : "Thought";
    this.element.classList.toggle("open", isOpen);
    const words = isOpen ? text.slice(-200).trimEnd().split("\n").at(-1) : short(text.slice(0, 200).trim().split("\n")[0], 100);
    this.hint.textContent = visible(words);
    this.fold.update();
  }
}

/** An answer in Markdown, with the model's own text if that differs. */
export class AnswerView {
  constructor(item, opened) {
    this.item = item;
    this.text = new MarkdownView();
    this.wire = new Fold(`${item.id} wire`, { class: "wire" }, opened, (body) => body.replaceChildren(block(this.item.wire)));
    this.wire.summary.append("What the model wrote");
    const copy = quiet("Copy", () => navigator.clipboard.writeText(this.item.text).then(
      () => this.tell(copy, "Copied"), () => this.tell(copy, "Not copied")));
    copy.setAttribute("aria-label", "Copy the answer");
    this.element = article("respond", "Answer", item.time, copy, this.text.element);
  }

  tell(copy, word) {
    copy.textContent = word;
    setTimeout(() => (copy.textContent = "Copy"), 2_000);
  }

  update() {
    const { text, wire, isOpen } = this.item;
    this.text.show(text);
    this.element.classList.toggle("open", isOpen);
    if (wire !== undefined && !this.wire.element.isConnected) this.element.append(this.wire.element);
  }
}

/** Something that the framework says, or a call that cannot be read. */
export class NoteView {
  constructor(item) {
    const isCall = item.kind === "respond";
    const label = isCall ? "A call that cannot be read" : NOTES[item.label] ?? item.label;
    this.text = new PlainText();
    this.item = item;
    const isBad = isCall || item.isBad;
    this.element = article(isBad ? "note bad" : "note", label, item.time, null, this.text.element);
  }

  update() {
    this.text.show(visible(this.item.text));
  }
}

/** The words for notes of the framework. */
const NOTES = { notice: "Note to the model", cancelled: "Stopped", summary: "Summary of what was said before" };

function quiet(label, act) {
  return make("button", { type: "button", class: "quiet", onclick: act }, label);
}

function article(kind, label, time, act, ...children) {
  const when = time ? make("time", { datetime: new Date(time * 1000).toISOString() }, CLOCK.format(time * 1000)) : null;
  const title = make("h2", {}, visible(label), " ", when);
  return make("article", { class: kind }, make("div", { class: "top" }, title, act), ...children);
}

const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
