// Shows the files that a call has changed: a line for each, and below it the lines of the file, folded.

import { hunksNode } from "./difference.js";
import { make, setChildren, visible } from "./dom.js";
import { Fold } from "./fold.js";

/** The files that a call has changed. */
export class ChangesView {
  /** `opened` has the ids of open folds. */
  constructor(id, opened) {
    Object.assign(this, { id, opened, rows: new Map() });
    this.element = make("div", { class: "changes", hidden: true });
  }

  /** Shows these files. What somebody has opened stays open. */
  update(files) {
    this.element.hidden = files.length === 0;
    setChildren(this.element, files.map((file) => this.row(file)));
  }

  row(file) {
    const known = this.rows.get(file.path);
    if (known?.file === file) return known.element;
    const element = file.hunks ? this.fold(file) : make("p", { class: "change" }, ...words(file));
    this.rows.set(file.path, { file, element });
    return element;
  }

  fold(file) {
    const id = `${this.id} changes ${file.path}`;
    const fold = new Fold(id, { class: "change" }, this.opened, (body) => body.replaceChildren(hunksNode(file)));
    fold.summary.append(...words(file));
    fold.update();
    return fold.element;
  }
}

function words({ path, kind, added, removed }) {
  const counts = [];
  if (added > 0) counts.push(make("ins", {}, `+${added}`), " ");
  if (removed > 0) counts.push(make("del", {}, `−${removed}`), " ");
  const name = make("code", {}, visible(path));
  // A file that was changed without a count of lines is no text, or only its permissions differ.
  const isNamed = kind !== "changed" || counts.length === 0;
  return [name, " ", ...counts, ...(isNamed ? [make("span", { class: "small" }, visible(kind))] : [])];
}
