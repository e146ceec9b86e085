// What all pages have: a place in the window, and the model's calls.

import assert from "node:assert/strict";
import { createRoot } from "react-dom/client";

export const action = (id, name, parameters) =>
  `<action type="tool" mode="async" id="${id}">${JSON.stringify({ name, parameters })}</action>\n`;

/** Renders an element, runs `op`, and removes it again. */
export async function rendered(element, op) {
  const place = document.createElement("div");
  document.body.append(place);
  const root = createRoot(place);
  root.render(element);
  const until = async (isSo) => {
    const deadline = Date.now() + 30_000;
    while (!isSo(place)) {
      assert.ok(Date.now() < deadline, `in vain: ${isSo}\n${place.innerHTML}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  try {
    await op({ place, until, says: (text) => until(() => place.textContent.includes(text)) });
  } finally {
    root.unmount();
    place.remove();
  }
}
