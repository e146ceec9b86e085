// The list of conversations, which follows all runs, and the search.

import { make, soon, visible } from "./dom.js";
import { Following, request } from "./server.js";

/** Keeps the list in step with the server. */
export class ConversationList {
  constructor(element, search, refused) {
    Object.assign(this, { element, search, refused, last: null, current: null });
    this.refresh = soon(() => this.load(), 100);
    search.addEventListener("input", this.refresh);
  }

  /** Follows the runs from now on. */
  follow() {
    this.close();
    this.stream = new Following({
      address: () => "events",
      take: (message) => {
        const type = JSON.parse(message.data).event?.type ?? "reset";
        if (["user", "title", "idle", "deleted", "parked", "reset"].includes(type)) this.refresh();
      },
      // What happened without a connection is in the list.
      state: (isOpen) => isOpen && this.refresh(),
      refused: this.refused,
    });
  }

  close() {
    this.stream?.close();
  }

  async load() {
    const words = this.search.value.trim();
    const query = words === "" ? "limit=200" : `limit=50&q=${encodeURIComponent(words)}`;
    try {
      const { conversations, hits } = await request("GET", `conversations?${query}`);
      if (words !== this.search.value.trim()) return;
      this.show(conversations ?? hits, words);
    } catch (error) {
      if (error.status === 401) this.refused();
    }
  }

  show(rows, words) {
    const items = rows.map((row) => {
      const id = row.id ?? row.conversation;
      const address = `#c/${encodeURIComponent(id)}`;
      const link = make("a", { href: address, "data-id": id }, make("span", { class: "title" }, visible(row.title || id)));
      if (row.run) link.append(" ", make("span", { class: "badge running" }, "works"));
      if (row.content) link.append(make("span", { class: "excerpt" }, visible(row.content.slice(0, 160))));
      return make("li", {}, link);
    });
    if (items.length === 0) {
      items.push(make("li", { class: "small" }, words === "" ? "There are no conversations yet." : "Nothing was found."));
    }
    this.element.replaceChildren(...items);
    this.mark(this.current);
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
