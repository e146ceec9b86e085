// Shows a loop: one line that says how far it is, and, once somebody opens it, the calls for its items.

import { callsIn, standing } from "./blocks.js";
import { STATES } from "./call_view.js";
import { make, setChildren, visible } from "./dom.js";
import { Fold } from "./fold.js";

/** A loop in the transcript. */
export class LoopView {
  /** `opened` has the ids of open folds. `list` returns the nodes of the calls. */
  constructor(item, opened, list) {
    this.item = item;
    this.list = list;
    this.inner = make("div", { class: "inner" });
    this.fold = new Fold(item.id, { class: "about" }, opened, (body) => {
      setChildren(this.inner, this.list(this.item.calls));
      setChildren(body, [this.inner]);
    });
    this.element = make("div", { class: "call" }, this.fold.element);
  }

  update() {
    const { row } = this.item;
    const { element, summary } = this.fold;
    const { state, words } = standing(row);
    element.dataset.loop = row.id;
    this.element.dataset.state = state;
    summary.replaceChildren(
      make("span", { class: "tool" }, "foreach"), " ",
      make("span", { class: "subject" }, visible(row.id)), " ",
      make("span", { class: `badge ${state}` }, STATES[state] ?? state), " ",
      make("span", { class: "outcome" }, words));
    this.fold.update();
  }
}

/**
 * Returns the last of some items, at most so many, with the calls of each loop as one item, and how many are
 * before them.
 */
export function latest(items, most) {
  const shown = new Set();
  let at = items.length;
  for (; at > 0; at -= 1) {
    const item = items[at - 1];
    const one = loopOf(item) ?? item;
    if (!shown.has(one) && shown.size === most) break;
    // A loop stands where its first call does.
    shown.delete(one);
    shown.add(one);
  }
  const all = [...shown].reverse();
  return { shown: all.map((one) => (one.kind === "foreach" ? loopItem(one) : one)), left: at };
}

/** Returns the outermost loop around a call; `null` for everything else. */
function loopOf(item) {
  let loop = null;
  for (let row = item.kind === "call" ? item.call.block : null; row; row = row.parent) {
    if (row.kind === "foreach") loop = row;
  }
  return loop;
}

function loopItem(row) {
  const calls = callsIn(row).map((call) => call.item);
  const version = calls.reduce((sum, call) => sum + call.version + 1, row.ended === null ? 0 : 1);
  row.item ??= { id: `loop ${calls[0].id}`, kind: "loop", turn: row.turn, seq: null, row };
  return Object.assign(row.item, { calls, version });
}
