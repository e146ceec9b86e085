// Shows Markdown while it is written.

import { make } from "./dom.js";
import { markdownBlocks } from "./markdown.js";
import { MOST_SHOWN, moreButton } from "./text.js";

/**
 * A text in Markdown that grows. What comes later changes the last two blocks at most, so all others
 * stay as they are.
 */
export class MarkdownView {
  constructor() {
    this.element = make("div", { class: "markdown", dir: "auto" });
    this.most = MOST_SHOWN;
    this.clear();
  }

  clear() {
    this.text = "";
    /** Where the blocks begin that may change, and their nodes. */
    this.from = 0;
    this.open = [];
    this.rest = null;
    this.element.replaceChildren();
  }

  show(whole) {
    const text = whole.slice(0, this.most);
    if (text !== this.text) {
      if (!text.startsWith(this.text)) this.clear();
      this.text = text;
      this.grow();
    }
    this.showRest(whole);
  }

  grow() {
    for (const node of this.open) node.remove();
    const blocks = markdownBlocks(this.text.slice(this.from));
    const nodes = blocks.map(({ node }) => node);
    this.element.insertBefore(fragment(nodes), this.rest);
    const at = Math.max(blocks.length - 2, 0);
    this.open = nodes.slice(at);
    this.from += blocks[at]?.begin ?? 0;
  }

  showRest(whole) {
    this.rest?.remove();
    this.rest = null;
    if (whole.length <= this.most) return;
    this.rest = moreButton(whole.length - this.most, () => {
      this.most += MOST_SHOWN;
      this.rest = null;
      this.show(whole);
    });
    this.element.append(this.rest);
  }
}

function fragment(nodes) {
  const fragment = document.createDocumentFragment();
  fragment.append(...nodes);
  return fragment;
}
