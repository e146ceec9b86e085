// Shows texts: those of a person, of a program, and those that are too long to be shown at once.

import { make, visible } from "./dom.js";

/** Shows a text of a program as it is. Characters that a screen hides are written as their codes. */
export function block(text) {
  const pre = make("pre", { tabindex: "0" }, visible(text.slice(0, MOST_SHOWN)));
  if (text.length <= MOST_SHOWN) return pre;
  const whole = make("div", {}, pre);
  const more = (shown) => {
    if (shown >= text.length) return;
    whole.append(moreButton(text.length - shown, () => {
      pre.append(visible(text.slice(shown, shown + MOST_SHOWN)));
      more(shown + MOST_SHOWN);
    }));
  };
  more(MOST_SHOWN);
  return whole;
}

/** Returns the beginning of a long text, and the whole of a short one. */
export function beginning(text) {
  // A little more than the beginning is not worth a button.
  if (text.length < 2 * FIRST_LENGTH && lineCount(text) < 2 * FIRST_LINES) return text;
  let end = 0;
  for (let line = 0; line < FIRST_LINES && end >= 0; line++) end = text.indexOf("\n", end + 1);
  return text.slice(0, end < 0 ? FIRST_LENGTH : Math.min(end, FIRST_LENGTH));
}

/** Returns the number of lines of a text. */
export function lineCount(text) {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** A text that only grows, and is shown as it is. */
export class PlainText {
  constructor() {
    this.element = make("div", { class: "text", dir: "auto" });
    this.node = this.element.appendChild(document.createTextNode(""));
  }

  show(text) {
    const { data } = this.node;
    // Only what is new is laid out.
    if (text.length > data.length && text.startsWith(data)) this.node.appendData(text.slice(data.length));
    else if (text !== data) this.node.data = text;
  }
}

/** Makes a button that shows more of a text of which so much is left out. */
export function moreButton(length, show) {
  const label = length > MOST_SHOWN ? `Show ${size(MOST_SHOWN)} of ${size(length)} more characters` : `Show ${size(length)} more characters`;
  const button = make("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", () => {
    button.remove();
    show();
  });
  return button;
}

function size(length) {
  if (length < 1_000) return `${length}`;
  return length < 1_000_000 ? `${Math.round(length / 1_000)} thousand` : `${(length / 1_000_000).toFixed(1)} million`;
}

const FIRST_LINES = 30;
const FIRST_LENGTH = 3_000;

/** The characters of a text that are shown at first, and with each wish for more. */
export const MOST_SHOWN = 100_000;
