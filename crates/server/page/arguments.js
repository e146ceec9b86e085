// Shows the arguments of a call: exactly what will happen.

import { exact, make, visible } from "./dom.js";
import { differenceNodes, editNodes } from "./difference.js";
import { block } from "./text.js";

/** Returns what a call is about, on one line; an empty text if its arguments do not say. */
export function subject(args) {
  if (args === null || typeof args !== "object") return "";
  const key = SUBJECTS.find((name) => typeof args[name] === "string" && args[name].trim() !== "");
  return key === undefined ? "" : args[key].trim().split("\n")[0];
}

/**
 * Returns nodes for all arguments. A command and an address come first, then the lines that change;
 * what a difference shows completely is not repeated.
 */
export function argumentNodes(args, diff) {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return [block(JSON.stringify(args, null, 2) ?? "")];
  const nodes = [];
  const rest = { ...args };
  for (const [name, show] of [["command", command], ["url", address]]) {
    if (typeof rest[name] !== "string") continue;
    nodes.push(show(rest[name]));
    delete rest[name];
  }
  if (diff) {
    nodes.push(...differenceNodes(diff));
    for (const name of diff.args ?? []) delete rest[name];
  } else {
    nodes.push(...editNodes(args));
    if (typeof rest.old === "string" && typeof rest.new === "string") {
      delete rest.old;
      delete rest.new;
    }
  }
  if (Object.keys(rest).length > 0) nodes.push(argumentList(rest));
  else if (nodes.length === 0) nodes.push(make("p", { class: "small" }, "No arguments."));
  return nodes;
}

/** Shows arguments with names; texts of several lines as they are. */
function argumentList(args) {
  const rows = Object.entries(args).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return [make("dt", {}, visible(name)), make("dd", {}, block(text))];
  });
  return make("dl", {}, ...rows);
}

function command(text) {
  return make("pre", { class: "command", tabindex: "0", role: "group", "aria-label": "Command" }, exact(text));
}

/** Shows an address with its host, because everything else of it may pretend. */
function address(text) {
  let host = "";
  try {
    ({ host } = new URL(text));
  } catch {
    // The tool says what is wrong with it.
  }
  const shown = make("pre", { class: "address", tabindex: "0", role: "group", "aria-label": "Address" });
  const at = host === "" ? -1 : text.toLowerCase().indexOf(host, text.indexOf("//") + 2);
  if (at < 0) shown.append(visible(text));
  else shown.append(visible(text.slice(0, at)), make("strong", {}, visible(text.slice(at, at + host.length))), visible(text.slice(at + host.length)));
  return host === "" || at >= 0 ? shown : make("div", {}, shown, make("p", { class: "small" }, `It leads to ${host}.`));
}

/** The arguments that say what a call is about. */
const SUBJECTS = ["command", "file", "path", "url", "query", "find", "task", "conversation", "page", "name"];
