// Saves a conversation as a file of Markdown, which people read and send to others.

import { subject } from "./arguments.js";
import { make } from "./dom.js";

/** Gives the browser a file with what was said. */
export function save(title, items) {
  const address = URL.createObjectURL(new Blob([asMarkdown(title, items)], { type: "text/markdown" }));
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "conversation";
  make("a", { href: address, download: `${name}.md` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Writes prompts and answers in full, and each call as a line. Thoughts are left out. */
function asMarkdown(title, items) {
  const parts = items.map((item) => {
    switch (item.kind) {
      case "user":
        return `## ${item.isTask ? "Task" : "You"}\n\n${item.text}`;
      case "respond":
        return item.isMalformed ? "" : `## Answer\n\n${item.text}`;
      case "call":
        return `> ${callLine(item.call)}`;
      case "note":
        return quoted(`${item.label}: ${item.text}`);
      default:
        return "";
    }
  });
  return `# ${title}\n\n${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function callLine({ name, args, state, result }) {
  const outcome = (result?.outcome ?? "").split("\n")[0];
  return [`**${name}**`, subject(args).replace(/\s+/g, " "), `(${state})`, outcome].filter((part) => part !== "").join(" ");
}

const quoted = (text) => text.split("\n").map((line) => `> ${line}`).join("\n");
