// A button that copies a text, and says for a moment whether it did.

import { make } from "./dom.js";

/** Makes the button. `name` says what it copies, and `text` returns that. */
export function copyButton(name, text) {
  const button = make("button", { type: "button", class: "quiet" });
  const label = (word, name) => {
    button.textContent = word;
    button.setAttribute("aria-label", name);
  };
  const say = (word) => {
    label(word, word);
    setTimeout(() => label("Copy", name), 2_000);
  };
  button.addEventListener("click", () => navigator.clipboard.writeText(text()).then(() => say("Copied"), () => say("Not copied")));
  label("Copy", name);
  return button;
}
