// Shows a conversation as a list of prompts, answers, thoughts and calls.

import { make, seconds, visible } from "./dom.js";
import { markdown } from "./markdown.js";

/** Keeps an element in step with a record. What has not changed stays as it is. */
export class TranscriptView {
  /** `fork` is called with a stored prompt, before which a person wants to continue otherwise. */
  constructor(element, fork) {
    this.element = element;
    this.fork = fork;
    this.shown = new Map();
  }

  show(record) {
    const { element } = this;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    const nodes = this.list(record.items);
    const kept = new Set(nodes);
    for (const child of [...element.children]) if (!kept.has(child)) child.remove();
    nodes.forEach((node, at) => {
      if (element.children[at] !== node) element.insertBefore(node, element.children[at] ?? null);
    });
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }

  clear() {
    this.shown.clear();
    this.element.replaceChildren();
  }

  list(items) {
    return items.filter((item) => item.kind !== "wire" || item.text).map((item) => this.node(item));
  }

  node(item) {
    const shown = this.shown.get(item);
    if (shown?.version === item.version) return shown.node;
    const node = this.made(item);
    if (shown) {
      keepOpen(shown.node, node);
      shown.node.replaceWith(node);
    }
    this.shown.set(item, { node, version: item.version });
    return node;
  }

  made(item) {
    switch (item.kind) {
      case "user": {
        const label = item.isTask ? "Task" : item.steer ? "You, while it worked" : "You";
        const fork = item.seq !== null && !item.steer
          ? make("button", { type: "button", class: "quiet", onclick: () => this.fork(item) }, "Fork before this prompt")
          : null;
        return article("user", label, item.time, make("div", { class: "text" }, item.text), fork);
      }
      case "think":
        return make("details", { class: "think" }, make("summary", {}, "Thought"), make("div", { class: "text" }, item.text));
      case "respond": {
        if (item.isMalformed) return article("note bad", "A call that cannot be read", item.time, block(item.text));
        const parts = [make("div", { class: "markdown" }, ...markdown(item.text))];
        if (item.wire !== undefined) parts.push(wire(item.wire));
        return article("respond", "Answer", item.time, ...parts);
      }
      case "call":
        return this.call(item.call);
      case "wire":
        return wire(item.text);
      default:
        return article(item.isBad ? "note bad" : "note", item.label, item.time, make("div", { class: "text" }, item.text));
    }
  }

  call(call) {
    const title = make("summary", {},
      make("span", { class: "tool" }, visible(call.name || "…")), " ",
      make("span", { class: `badge ${call.state}` }, STATES[call.state] ?? call.state), " ",
      make("span", { class: "outcome" }, visible(outcome(call))));
    const parts = [title];
    if (call.args === null) parts.push(block(call.body));
    else parts.push(argumentList(call.args));
    if (call.dependsOn.length > 0) parts.push(make("p", { class: "small" }, `Waits for ${call.dependsOn.join(", ")}.`));
    for (const { state, reason } of call.approvals.filter(({ state }) => state !== "asked")) {
      parts.push(make("p", { class: "small" }, `A person ${state} it. ${reason ?? ""}`));
    }
    if (call.items.length > 0) parts.push(make("div", { class: "inner" }, ...this.list(call.items)));
    if (call.output && !call.result) parts.push(block(call.output));
    if (call.result) parts.push(...resultNodes(call.result));
    return make("details", { class: "call", "data-call": call.id }, ...parts);
  }
}

/** Shows arguments with names; texts of several lines as they are. */
export function argumentList(args) {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return block(JSON.stringify(args, null, 2) ?? "");
  const rows = Object.entries(args).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return [make("dt", {}, visible(name)), make("dd", {}, make("pre", { tabindex: text.length > 60 ? "0" : null }, visible(text)))];
  });
  return rows.length > 0 ? make("dl", {}, ...rows) : make("p", { class: "small" }, "No arguments.");
}

/** The words for the states of a call. */
export const STATES = {
  writing: "is being written", written: "waits", asked: "asks you", running: "runs", done: "done",
  failed: "failed", denied: "denied",
};

function article(kind, label, time, ...children) {
  const when = time ? make("time", { datetime: new Date(time * 1000).toISOString() }, clock(time)) : null;
  return make("article", { class: kind }, make("h3", {}, visible(label), " ", when), ...children);
}

function clock(time) {
  return new Date(time * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

function block(text) {
  return make("pre", { tabindex: "0" }, visible(text));
}

function wire(text) {
  return make("details", { class: "wire" }, make("summary", {}, "What the model wrote"), block(text));
}

function outcome(call) {
  const took = call.ended && call.starts.length > 0 ? ` · ${seconds(call.ended - call.starts.at(-1))}` : "";
  const text = (call.result?.outcome ?? "").split("\n")[0];
  return (text.length > 120 ? `${text.slice(0, 120)}…` : text) + took;
}

function resultNodes(result) {
  const nodes = [make("h4", {}, "Result"), block(result.text)];
  for (const notice of result.notices ?? []) nodes.push(make("p", { class: "small" }, visible(notice)));
  const { truncated } = result;
  if (truncated?.tail) nodes.push(make("p", { class: "small" }, "Some lines are left out here."), block(truncated.tail));
  else if (truncated) nodes.push(make("p", { class: "small" }, "The rest is left out."));
  return nodes;
}

/** Keeps open what a person has opened, and the focus. */
function keepOpen(from, to) {
  const all = (node) => [...(node.matches("details") ? [node] : []), ...node.querySelectorAll("details")];
  const before = all(from);
  all(to).forEach((details, at) => {
    if (before[at]) details.open = before[at].open;
  });
  if (from.contains(document.activeElement)) {
    setTimeout(() => (to.matches("details") ? to.querySelector("summary") : to.querySelector("button"))?.focus());
  }
}
