// Shows the items of a transcript other than calls.

import { mediaNodes } from "./attached.js";
import { copyButton } from "./copy_button.js";
import { make, short, visible } from "./dom.js";
import { Fold } from "./fold.js";
import { MarkdownView } from "./markdown_view.js";
import { PlainText, beginning, block, lineCount } from "./text.js";

/** A prompt. It can be edited where it stands; then the chat goes on in another branch. */
export class PromptView {
  constructor(item, { edit, branches, choose, conversation }) {
    Object.assign(this, { item, edit, branches, choose });
    const label = item.isTask ? "Task" : item.steer ? "You, while it worked" : "You";
    this.text = new PlainText();
    this.rest = make("div", { hidden: true });
    const isPrompt = !item.steer && !item.isTask;
    this.begin = isPrompt ? quiet("Edit", () => this.open()) : null;
    this.begin?.setAttribute("aria-label", "Edit what you said");
    this.others = make("span", { class: "branches" });
    const acts = isPrompt ? make("span", { class: "top-acts" }, this.others, this.begin) : null;
    this.element = article("user", label, item.time, acts, this.text.element, this.rest,
      ...mediaNodes(conversation(), item.media));
  }

  /** Puts a form in place of the text. */
  open() {
    const field = make("textarea", { dir: "auto", "aria-label": "What you said, edited" });
    field.value = this.item.text;
    const failure = make("p", { role: "alert" });
    const close = () => {
      form.replaceWith(this.text.element);
      this.begin.focus();
    };
    const form = make("form", { class: "edit" }, field, failure, make("p", { class: "acts" },
      make("button", { type: "submit" }, "Send"), make("button", { type: "button", onclick: close }, "Cancel")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (field.value.trim() === "" && this.item.media.length === 0) return;
      const buttons = form.querySelectorAll("button");
      buttons.forEach((button) => (button.disabled = true));
      try {
        await this.edit(this.item, field.value);
      } catch (error) {
        failure.textContent = error.message;
        buttons.forEach((button) => (button.disabled = false));
      }
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        close();
      } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        form.requestSubmit();
      }
    });
    this.text.element.replaceWith(form);
    field.style.height = `${Math.min(field.scrollHeight + 4, 400)}px`;
    field.focus();
  }

  /** Shows the beginning of a long text, and the rest once somebody wants it. */
  showText() {
    const { text } = this.item;
    if (this.shown === text) return;
    this.shown = text;
    const first = beginning(text);
    this.text.show(first);
    if (first.length === text.length || !this.rest.hidden) return;
    this.rest.hidden = false;
    const more = () => this.rest.replaceChildren(block(text.slice(first.length).replace(/^\n/, "")));
    this.rest.replaceChildren(quiet(`Show all ${lineCount(text).toLocaleString("en")} lines`, more));
  }

  update() {
    this.showText();
    if (!this.begin) return;
    this.begin.hidden = this.item.seq === null;
    const { ids, at } = this.item.seq === null ? { ids: [""], at: 0 } : this.branches(this.item.seq);
    this.others.hidden = ids.length < 2;
    if (ids.length < 2) return;
    const to = (step, label, sign) => make("button", {
      type: "button", class: "quiet", "aria-label": label, disabled: ids[at + step] === undefined, onclick: () => this.choose(ids[at + step]),
    }, sign);
    this.others.replaceChildren(to(-1, "Earlier version", "‹"), ` ${at + 1} of ${ids.length} `, to(1, "Later version", "›"));
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
  constructor(item, opened, again) {
    this.item = item;
    this.text = new MarkdownView();
    this.wire = new Fold(`${item.id} wire`, { class: "wire" }, opened, (body) => body.replaceChildren(block(this.item.wire)));
    this.wire.summary.append("What the model wrote");
    const copy = copyButton("Copy the answer", () => this.item.text);
    const repeat = again ? quiet("Again", () => again(this.item)) : null;
    repeat?.setAttribute("aria-label", "Answer again");
    const acts = make("span", { class: "top-acts" }, repeat, copy);
    this.element = article("respond", "Answer", item.time, acts, this.text.element);
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
  /** `again` sends the prompt of a run that has failed once more. */
  constructor(item, again) {
    this.again = again;
    const isCall = item.kind === "respond";
    const label = isCall ? "A call that cannot be read" : NOTES[item.label] ?? item.label;
    this.text = new PlainText();
    this.item = item;
    const isBad = isCall || item.isBad;
    this.element = article(isBad ? "note bad" : "note", label, item.time, null, this.text.element);
  }

  update() {
    this.text.show(visible(this.item.text));
    if (!this.item.isFailure || this.button) return;
    this.button = make("button", { type: "button", onclick: () => this.again(this.item) }, "Try again");
    this.element.append(make("p", { class: "acts" }, this.button));
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
