// Shows a conversation as a list of prompts, answers, thoughts and calls.

import { make, setChildren } from "./dom.js";
import { CallView } from "./call_view.js";
import { LoopView, latest } from "./loop_view.js";
import { AnswerView, NoteView, PromptView, ThoughtView } from "./item_view.js";

/**
 * Keeps an element in step with a record. What has not changed stays as it is, and only the last
 * items of a long conversation are there until somebody wants more.
 */
export class TranscriptView {
  /**
   * `prompts` has what a prompt can do: `edit`, `branches` and `choose`. `again` is called with an answer
   * that a person wants anew, and `retry` with the note of a run that has failed. `raw` returns a node
   * for the turn of an item, or nothing.
   */
  constructor(element, latest, { prompts, again, retry, raw }) {
    Object.assign(this, { element, latest, prompts, again, retry, raw });
    this.views = new Map();
    this.opened = new Set();
    this.most = STEP;
    this.earlier = make("button", { type: "button", class: "quiet earlier", onclick: () => this.showEarlier() });
    this.wasAtEnd = true;
    element.addEventListener("scroll", () => {
      this.wasAtEnd = this.isAtEnd();
      latest.hidden = this.wasAtEnd;
      if (element.scrollTop < 40 && this.earlier.isConnected) this.showEarlier();
    });
    latest.addEventListener("click", () => this.toEnd());
    // Who reads the end goes on reading it, whatever needs room beside it.
    new ResizeObserver(() => this.wasAtEnd && this.toEnd()).observe(element);
  }

  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < 80;
  }

  show(record) {
    const { element } = this;
    this.record = record;
    this.seen = new Set();
    const { shown, left } = latest(record.items, this.most);
    const nodes = this.list(shown, record.items.at(-1));
    if (left > 0) {
      this.earlier.textContent = `Show ${Math.min(left, STEP)} of ${left.toLocaleString()} earlier items`;
      nodes.unshift(this.earlier);
    }
    setChildren(element, nodes);
    for (const id of this.views.keys()) if (!this.seen.has(id)) this.views.delete(id);
    if (this.wasAtEnd) this.toEnd();
    this.latest.hidden = this.isAtEnd();
  }

  /** Shows all prompts anew, because other branches are known. */
  refreshPrompts() {
    for (const view of this.views.values()) if (view.kind === "user") view.update();
  }

  /** Shows what was said at a position of the log, and marks it. */
  reveal(record, seq) {
    const at = record.items.findIndex((item) => item.seq === seq);
    if (at < 0) return;
    this.most = Math.max(this.most, record.items.length - at + BEFORE);
    this.wasAtEnd = false;
    this.show(record);
    const { element } = this.views.get(record.items[at].id) ?? {};
    if (!element) return;
    this.element.querySelector(".found")?.classList.remove("found");
    element.classList.add("found");
    element.scrollIntoView({ block: "center" });
  }

  toEnd() {
    this.element.scrollTop = this.element.scrollHeight;
    this.wasAtEnd = true;
  }

  /** Shows more of what is before, and leaves what a person reads where it is. */
  showEarlier() {
    const { element } = this;
    const [height, top] = [element.scrollHeight, element.scrollTop];
    this.most += STEP;
    this.show(this.record);
    element.scrollTop = top + element.scrollHeight - height;
  }

  clear() {
    this.views.clear();
    this.opened.clear();
    this.most = STEP;
    this.wasAtEnd = true;
    this.element.replaceChildren();
    this.latest.hidden = true;
  }

  /** Returns the nodes of items, with what belongs to each turn after its last item. */
  list(items, last) {
    return items.flatMap((item, at) => {
      const next = items[at + 1];
      const isEnd = last !== undefined && item.kind !== "user" && (next === undefined || next.turn !== item.turn || next.kind === "user");
      const raw = isEnd ? this.raw(item) : null;
      const node = this.node(item);
      return [...(node ? [node] : []), ...(raw ? [raw] : [])];
    });
  }

  /** Returns the node of an item as it is now. */
  node(item) {
    if (item.kind === "wire") return null;
    this.seen.add(item.id);
    let view = this.views.get(item.id);
    // An item can turn out to be another one, such as an answer that should have been a call.
    if (!view || view.kind !== kind(item)) {
      view = this.made(item);
      view.kind = kind(item);
      this.views.set(item.id, view);
    }
    if (view.version !== item.version || view.item !== item) {
      view.version = item.version;
      view.item = item;
      view.update();
    } else if (item.kind === "call") {
      this.keep(item.call.items);
    } else if (item.kind === "loop") {
      this.keep(item.calls);
    }
    return view.element;
  }

  /** Takes note that items are still there. */
  keep(items) {
    for (const item of items) {
      this.seen.add(item.id);
      if (item.kind === "call") this.keep(item.call.items);
    }
  }

  made(item) {
    switch (kind(item)) {
      case "user":
        return new PromptView(item, this.prompts);
      case "think":
        return new ThoughtView(item, this.opened);
      case "respond":
        return new AnswerView(item, this.opened, this.again);
      case "call":
        return new CallView(item, this.opened, (items) => this.inner(latest(items, STEP)));
      case "loop":
        return new LoopView(item, this.opened, (calls) => {
          const shown = calls.slice(-STEP);
          return this.inner({ shown, left: calls.length - shown.length });
        });
      default:
        return new NoteView(item, this.retry);
    }
  }

  /** Returns the nodes of what an agent in a call, or a loop, has done last. */
  inner({ shown, left }) {
    const note = left > 0 ? [make("p", { class: "small" }, `${left} earlier items are left out.`)] : [];
    return [...note, ...this.list(shown, undefined)];
  }
}

function kind(item) {
  return item.kind === "respond" && item.isMalformed ? "malformed" : item.kind;
}

/** The number of items that are shown at first, and with each wish for more. */
const STEP = 150;
/** The number of items that are shown before one that was looked for. */
const BEFORE = 30;
