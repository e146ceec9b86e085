// Long texts that a person has pasted beside a prompt: each is one line until it is sent.

import { make } from "./dom.js";
import { lineCount } from "./text.js";

/** The pasted texts of a prompt. */
export class PastedTexts {
  /** `changed` is called after a text came or went. */
  constructor(element, changed) {
    Object.assign(this, { element, changed, texts: [] });
  }

  /** Takes a text that somebody pastes, if it is long; returns whether it did. */
  take(text) {
    if (text.length < LONG && lineCount(text) < MANY_LINES) return false;
    this.show([...this.texts, text]);
    this.changed();
    return true;
  }

  show(texts) {
    this.texts = texts;
    this.element.hidden = texts.length === 0;
    this.element.replaceChildren(...texts.map((text, at) => this.row(text, at)));
  }

  row(text, at) {
    const remove = () => {
      this.show(this.texts.filter((_, other) => other !== at));
      this.changed();
    };
    const name = `Pasted text, ${about(text)}`;
    return make("li", {}, name, " ",
      make("button", { type: "button", class: "quiet", "aria-label": `Remove: ${name}`, onclick: remove }, "Remove"));
  }

  /** Returns a prompt with the texts after it. */
  after(prompt) {
    return joined(prompt, this.texts);
  }
}

/** Returns a prompt with texts after it. */
export function joined(prompt, texts) {
  return [prompt, ...texts].filter((text) => text.trim() !== "").join("\n\n");
}

function about(text) {
  const lines = lineCount(text);
  return lines > 1 ? `${lines.toLocaleString("en")} lines` : `${text.length.toLocaleString("en")} characters`;
}

/** The characters from which on a pasted text stays beside the prompt. */
const LONG = 5_000;
const MANY_LINES = 50;
