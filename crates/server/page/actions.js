// What a person can do with a whole conversation: take changes of files back, rename it.

import { byId, make } from "./dom.js";
import { conversationPath, request } from "./server.js";

/** Takes back what the last run has changed; returns nodes that say so. */
export async function takeBack(id) {
  const { files } = await request("POST", `${conversationPath(id)}/undo`);
  if (!files || files.length === 0) return ["The last run has changed no files."];
  const rows = files.map(({ file, outcome, why }) =>
    make("li", {}, make("code", {}, file), ` ${why ?? WORDS[outcome] ?? outcome}`));
  return ["Changes of the last run:", make("ul", {}, ...rows)];
}

/** Asks a person for a name of a conversation; returns it, or nothing. */
export function askForName(title) {
  const dialog = byId("naming");
  byId("name").value = title;
  dialog.returnValue = "";
  dialog.showModal();
  byId("name").select();
  return new Promise((resolve) => {
    const closed = () => resolve(dialog.returnValue === "name" ? byId("name").value.trim() : "");
    dialog.addEventListener("close", closed, { once: true });
  });
}

/** The words for what happened to a file. */
const WORDS = {
  restored: "is as it was", removed: "was removed", unchanged: "was as it was already", refused: "was left as it is",
};
