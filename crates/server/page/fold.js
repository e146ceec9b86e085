// Folded parts of the transcript, whose contents are made when somebody opens them.

import { make } from "./dom.js";

/** A part with a summary that stays while it changes, so who reads it keeps the place. */
export class Fold {
  /** `fill` returns the contents. `opened` is the set of the ids of open folds. */
  constructor(id, attributes, opened, fill) {
    this.fill = fill;
    this.isFilled = false;
    this.summary = make("summary");
    this.body = make("div", { class: "body" });
    this.element = make("details", attributes, this.summary, this.body);
    this.element.open = opened.has(id);
    this.element.addEventListener("toggle", () => {
      if (this.element.open) opened.add(id);
      else opened.delete(id);
      if (this.element.open && !this.isFilled) this.update();
    });
  }

  /** Makes the contents anew, if somebody sees them. */
  update() {
    this.isFilled = this.element.open;
    if (this.isFilled) this.fill(this.body);
  }
}
