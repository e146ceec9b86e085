// What can be taken back for a few seconds, such as the deletion of a conversation.

import { byId, make } from "./dom.js";

let waiting = null;

/**
 * Says what happens in a few seconds, and does it then unless a person takes it back. The time begins
 * anew after the pointer or the focus was there, so who is about to do that is never too late.
 */
export function later(text, act, takenBack) {
  settle();
  const toast = byId("toast");
  let timer = null;
  const end = (isDone) => {
    clearTimeout(timer);
    waiting = null;
    toast.hidden = true;
    if (isDone) act();
    else takenBack();
  };
  const wait = () => {
    clearTimeout(timer);
    if (waiting !== end || toast.matches(":hover, :focus-within")) return;
    timer = setTimeout(() => end(true), TIME);
  };
  const undo = make("button", { type: "button", onclick: () => end(false), onfocus: wait, onblur: wait }, "Undo");
  toast.replaceChildren(make("span", {}, text), undo);
  toast.onpointerenter = toast.onpointerleave = wait;
  toast.hidden = false;
  waiting = end;
  wait();
}

/** Does at once what waits, because the page is left or something else comes. */
export function settle() {
  waiting?.(true);
}

/** The time in which it can be taken back, in milliseconds. */
const TIME = 7_000;
