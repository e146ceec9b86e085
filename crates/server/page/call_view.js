// Shows a call: one line that says what it is and how it stands, below it the files that it has changed,
// and, once somebody opens it, everything else.

import { argumentNodes, subject } from "./arguments.js";
import { mediaNodes } from "./attached.js";
import { ChangesView } from "./changes_view.js";
import { make, seconds, setChildren, short, visible } from "./dom.js";
import { Fold } from "./fold.js";
import { block } from "./text.js";

/** A call in the transcript. */
export class CallView {
  /** `opened` has the ids of open folds. `list` returns the nodes of the items of an agent. */
  constructor(item, opened, list) {
    this.item = item;
    this.list = list;
    this.fold = new Fold(item.id, { class: "about" }, opened, (body) => this.fill(body));
    this.changes = new ChangesView(item.id, opened);
    this.element = make("div", { class: "call" }, this.fold.element, this.changes.element);
  }

  update() {
    const { call } = this.item;
    const { element, summary } = this.fold;
    element.dataset.call = call.id ?? "";
    this.element.dataset.state = call.state;
    const about = short(subject(call.args), 160);
    summary.replaceChildren(
      make("span", { class: "tool" }, visible(call.name || "…")), " ",
      ...(about === "" ? [] : [make("span", { class: "subject" }, visible(about)), " "]),
      make("span", { class: `badge ${call.state}` }, STATES[call.state] ?? call.state), " ",
      make("span", { class: "outcome" }, visible(outcome(call))));
    this.fold.update();
    this.changes.update(call.changes);
  }

  fill(body) {
    const { call } = this.item;
    const parts = call.args === null ? [block(call.body)] : argumentNodes(call.args, null);
    if (call.dependsOn.length > 0) parts.push(make("p", { class: "small" }, `It waits for ${visible(call.dependsOn.join(", "))}.`));
    for (const { state, reason } of call.approvals.filter(({ state }) => state !== "asked")) {
      parts.push(make("p", { class: "small" }, `A person ${visible(state)} it. ${visible(reason ?? "")}`));
    }
    if (call.items.length > 0) parts.push(this.inner());
    if (call.output && !call.result) parts.push(make("h3", {}, "Output so far"), block(call.output));
    if (call.result) parts.push(...resultNodes(call.result));
    setChildren(body, parts);
  }

  inner() {
    this.innerElement ??= make("div", { class: "inner" });
    setChildren(this.innerElement, this.list(this.item.call.items));
    return this.innerElement;
  }
}

/** The words for the states of a call. */
export const STATES = {
  writing: "is being written", written: "waits", asked: "asks you", allowed: "allowed, waits", running: "runs", done: "done",
  failed: "failed", denied: "denied", skipped: "skipped", unfinished: "not finished",
};

function outcome(call) {
  const took = call.ended && call.starts.length > 0 ? ` · ${seconds(call.ended - call.starts.at(-1))}` : "";
  return short((call.result?.outcome ?? "").split("\n")[0], 120) + took;
}

function resultNodes(result) {
  const nodes = [make("h3", {}, "Result"), block(result.text), ...mediaNodes(result.conversation, result.media)];
  for (const notice of result.notices ?? []) nodes.push(make("p", { class: "small" }, visible(notice)));
  const { truncated } = result;
  if (truncated?.tail) nodes.push(make("p", { class: "small" }, "Some lines are left out here."), block(truncated.tail));
  else if (truncated) nodes.push(make("p", { class: "small" }, "The rest is left out."));
  return nodes;
}
