// What a person can do with a whole conversation: fork it, take changes of files back, delete it.

import { byId, make } from "./dom.js";
import { conversationPath, request } from "./server.js";

/** Forks a conversation before a prompt; returns the id of the new one. */
export async function forkBefore(id, item) {
  const { conversation } = await request("POST", `${conversationPath(id)}/fork`, { seq: item.seq - 1 });
  return conversation;
}

/** Takes back what the last run has changed; returns nodes that say so. */
export async function takeBack(id) {
  const { files } = await request("POST", `${conversationPath(id)}/undo`);
  if (!files || files.length === 0) return ["The last run has changed no files."];
  const rows = files.map(({ file, outcome, why }) =>
    make("li", {}, make("code", {}, file), ` ${why ?? WORDS[outcome] ?? outcome}`));
  return ["Changes of the last run:", make("ul", {}, ...rows)];
}

/** Asks a person whether a conversation is to be deleted, and deletes it then. */
export function confirmDeletion(title) {
  const dialog = byId("deletion");
  byId("deletion-what").textContent = `“${title}” and everything that belongs to it will be gone for ever.`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "delete"), { once: true });
  });
}

/** The words for what happened to a file. */
const WORDS = {
  restored: "is as it was", removed: "was removed", unchanged: "was as it was already", refused: "was left as it is",
};
