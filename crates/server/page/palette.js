// The palette: everything that the page can do, and every conversation of the list, by some letters of its name.

import { byId, make, visible } from "./dom.js";

/** Opens with Ctrl+K or Command+K. `commands` returns pairs of a name and what it does. */
export function offerPalette(commands) {
  const dialog = byId("palette");
  const field = byId("command");
  const rows = byId("commands");
  let chosen = 0;

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    const fits = ([name]) => words.every((word) => name.toLowerCase().includes(word));
    const found = commands().filter(fits).slice(0, MOST);
    chosen = Math.min(chosen, Math.max(found.length - 1, 0));
    rows.replaceChildren(...found.map(([name, act], at) => {
      const run = () => {
        dialog.close();
        act();
      };
      const state = { role: "option", id: `command-${at}`, "aria-selected": String(at === chosen) };
      return make("li", { ...state, onclick: run }, visible(name));
    }));
    byId("no-command").hidden = found.length > 0;
    mark();
  };
  const mark = () => {
    for (const [at, row] of [...rows.children].entries()) row.setAttribute("aria-selected", String(at === chosen));
    const row = rows.children[chosen];
    if (row) field.setAttribute("aria-activedescendant", row.id);
    else field.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  };

  field.addEventListener("input", () => {
    chosen = 0;
    show();
  });
  field.addEventListener("keydown", (event) => {
    const count = rows.children.length;
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      rows.children[chosen]?.click();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0) {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      mark();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    field.value = "";
    chosen = 0;
    show();
    dialog.showModal();
  });
}

/** The most rows that are shown. */
const MOST = 50;
