// The list of conversations, which follows all runs, and the search.

import { Pins, groups } from "./days.js";
import { make, setChildren, soon, visible } from "./dom.js";
import { Following, request, serverTime } from "./server.js";

/** Keeps the list in step with the server. */
export class ConversationList {
  /**
   * `state` is told whether the stream of runs is open, `refused` is called if nobody is known, `loaded` once the
   * list is there, `refreshed` each time when it is read, and `formsChanged` with a conversation whose calls ask.
   */
  constructor(element, search, { refused, state, loaded, refreshed, formsChanged }) {
    Object.assign(this, { element, search, refused, state, loaded, refreshed, formsChanged, last: null, current: null, hidden: null });
    /** The conversations that wait for an answer. */
    this.asking = new Set();
    this.pins = new Pins();
    /** How many pages of the list are shown. */
    this.pages = 1;
    this.refresh = soon(() => this.load(), 100);
    search.addEventListener("input", this.refresh);
  }

  /** Follows the runs from now on. */
  follow() {
    this.close();
    this.stream = new Following({
      path: "events",
      take: (_, message) => {
        const type = message.event?.type ?? "reset";
        if (["user", "title", "idle", "deleted", "parked", "reset"].includes(type)) this.refresh();
        if (type === "forms") this.formsChanged(message.conversation);
      },
      state: (isOpen, why) => {
        this.state(isOpen, why);
        // What happened without a connection is in the list.
        if (isOpen) this.refresh();
      },
      refused: this.refused,
    });
  }

  close() {
    this.stream?.close();
  }

  async load() {
    const words = this.search.value.trim();
    try {
      const { rows, isMore } = words === "" ? await this.recent() : await found(words);
      if (words !== this.search.value.trim()) return;
      this.show(rows, words, isMore);
      this.loaded?.();
      this.loaded = null;
      this.refreshed();
    } catch (error) {
      if (error.status === 401) this.refused();
    }
  }

  /** Returns the conversations that were used last, as many as are wanted, and whether there are more. */
  async recent() {
    const rows = [];
    let after;
    for (let page = 0; page < this.pages; page++) {
      const place = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
      const { conversations, next } = await request("GET", `conversations?limit=${PAGE}${place}`);
      rows.push(...conversations);
      after = next ?? undefined;
      if (after === undefined) break;
    }
    return { rows, isMore: after !== undefined };
  }

  /** Takes which conversations wait for an answer. */
  setAsking(asking) {
    const isSame = asking.size === this.asking.size && [...asking].every((id) => this.asking.has(id));
    this.asking = asking;
    if (!isSame) this.showAgain?.();
  }

  /** Pins a conversation, or no longer. */
  pin(id) {
    this.pins.toggle(id);
    this.refresh();
  }

  /** Leaves out a conversation that is about to be deleted. */
  hide(id) {
    this.hidden = id;
    this.refresh();
  }

  show(rows, words, isMore) {
    this.showAgain = () => this.show(rows, words, isMore);
    const shown = rows.filter((row) => idOf(row) !== this.hidden);
    const item = (row) => {
      const id = idOf(row);
      // What was found is shown where it was said.
      const place = words !== "" && row.seq > 0 ? `/${row.seq}` : "";
      const link = make("a", { href: `#c/${encodeURIComponent(id)}${place}`, "data-id": id },
        make("span", { class: "title", dir: "auto" }, visible(row.title || id)));
      if (this.asking.has(id)) link.append(" ", make("span", { class: "badge asked" }, "asks you"));
      else if (row.run) link.append(" ", make("span", { class: "badge running" }, "works"));
      else if (row.elsewhere) link.append(" ", make("span", { class: "badge", title: row.elsewhere }, "works elsewhere"));
      if (row.last > 0) link.append(" ", make("time", { datetime: new Date(row.last * 1000).toISOString() }, ago(serverTime() - row.last, row.last)));
      if (row.content) link.append(make("span", { class: "excerpt", dir: "auto" }, ...marked(row.content, words)));
      return make("li", {}, link);
    };
    const items = [];
    // What was found is in the order of the search.
    if (words !== "") items.push(...shown.map(item));
    else {
      for (const [name, some] of groups(shown, (row) => this.pins.has(row.id))) {
        items.push(make("li", { class: "day" }, make("h2", {}, name)), ...some.map(item));
      }
    }
    if (isMore) {
      const more = () => ((this.pages += 1), this.refresh());
      items.push(make("li", {}, make("button", { type: "button", class: "older", onclick: more }, "Show older")));
    }
    if (shown.length === 0) {
      items.push(make("li", { class: "small" }, words === "" ? "There are no conversations yet." : "Nothing was found."));
    }
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
    setChildren(this.element, items);
    this.mark(this.current);
    if (focused !== undefined) [...this.element.querySelectorAll("a")].find((link) => link.dataset.id === focused)?.focus();
  }

  /** Marks the open conversation. */
  mark(id) {
    this.current = id;
    for (const link of this.element.querySelectorAll("a")) {
      if (link.dataset.id === id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

/** Returns the conversations that have words. */
async function found(words) {
  const { hits } = await request("GET", `conversations?limit=50&q=${encodeURIComponent(words)}`);
  return { rows: hits, isMore: false };
}

/** Returns the conversation of a row, which is one of the list or of a search. */
const idOf = (row) => row.id ?? row.conversation;

/** The most conversations that the server returns at once. */
const PAGE = 200;

/** Says how long ago something was; for what was long ago, when. */
function ago(passed, time) {
  if (passed < 60) return "now";
  if (passed < 3_600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86_400) return `${Math.floor(passed / 3_600)} h ago`;
  return new Date(time * 1000).toLocaleDateString();
}

/** Returns the part of a text around the first word that was looked for, with the words marked. */
function marked(text, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const lower = text.toLowerCase();
  const first = Math.min(...wanted.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const from = first < 60 || first === text.length ? 0 : first - 40;
  const part = text.slice(from, from + 160);
  const nodes = from > 0 ? ["…"] : [];
  let at = 0;
  while (at < part.length) {
    const next = wanted
      .map((word) => [part.toLowerCase().indexOf(word, at), word.length])
      .filter(([found]) => found >= 0)
      .sort(([one], [other]) => one - other)[0];
    if (!next) break;
    const [found, length] = next;
    nodes.push(visible(part.slice(at, found)), make("mark", {}, visible(part.slice(found, found + length))));
    at = found + length;
  }
  nodes.push(visible(part.slice(at)));
  if (from + 160 < text.length) nodes.push("…");
  return nodes;
}
