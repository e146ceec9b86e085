// What can be taken back for a few seconds, such as the deletion of a conversation.

import { byId, make } from "./dom.js";

let waiting = null;

/** Says what happens in a few seconds, and does it then unless a person takes it back. */
export function later(text, act, takenBack) {
  settle();
  const undo = make("button", { type: "button", onclick: () => end(false) }, "Undo");
  byId("toast").replaceChildren(make("span", {}, text), undo);
  byId("toast").hidden = false;
  const timer = setTimeout(() => end(true), TIME);
  const end = (isDone) => {
    clearTimeout(timer);
    waiting = null;
    byId("toast").hidden = true;
    if (isDone) act();
    else takenBack();
  };
  waiting = end;
}

/** Does at once what waits, because the page is left or something else comes. */
export function settle() {
  waiting?.(true);
}

/** The time in which it can be taken back, in milliseconds. */
const TIME = 7_000;
