// The pictures, documents and sounds that go with a prompt, and how those of an event are shown.

import { make, visible } from "./dom.js";
import { conversationPath } from "./server.js";

/** The files that wait beside a prompt. */
export class AttachedFiles {
  /** `changed` is called after a file came or went, and `failed` with why one was not taken. */
  constructor(element, { changed, failed }) {
    Object.assign(this, { element, changed, failed, files: [] });
  }

  /** Takes files that somebody chose, dropped or pasted. */
  async take(files) {
    for (const file of files) {
      if (file.size > LARGEST) {
        this.failed(`${file.name} has ${size(file.size)}; at most ${size(LARGEST)} can be sent.`);
        continue;
      }
      const data = await base64(file);
      this.show([...this.files, { name: file.name, data, size: file.size }]);
      this.changed();
    }
  }

  show(files) {
    this.files = files;
    this.element.hidden = files.length === 0;
    this.element.replaceChildren(...files.map((file) => this.row(file)));
  }

  row(file) {
    const remove = () => {
      this.show(this.files.filter((other) => other !== file));
      this.changed();
    };
    const name = `${visible(file.name)}, ${size(file.size)}`;
    return make("li", {}, name, " ",
      make("button", { type: "button", class: "quiet", "aria-label": `Remove: ${name}`, onclick: remove }, "Remove"));
  }

  /** Returns the files as a request has them; undefined without any. */
  get sent() {
    return this.files.length === 0 ? undefined : this.files.map(({ name, data }) => ({ name, data }));
  }
}

/** Shows media of a conversation: pictures to look at, and all others as files to save. */
export function mediaNodes(conversation, media) {
  if (media.length === 0) return [];
  const list = make("ul", { class: "media", "aria-label": "Files" }, ...media.map((medium) => {
    const address = `${conversationPath(conversation)}/media/${encodeURIComponent(medium.hash)}`;
    const name = visible(medium.name || medium.type);
    if (!PICTURES.includes(medium.type)) return make("li", {}, make("a", { href: address, download: name }, name));
    const alt = visible(medium.alt || medium.name || "A picture");
    const { width, height } = medium;
    const picture = make("img", { src: address, alt, width, height, loading: "lazy", decoding: "async" });
    const look = make("button", { type: "button", "aria-label": `Look at ${alt}`, onclick: () => view(address, alt) }, picture);
    return make("li", {}, look);
  }));
  return [list];
}

/** Reads media again, so that a prompt can be sent once more with them. */
export function readAgain(conversation, media) {
  return Promise.all(media.map(async ({ hash, name }) => {
    const answer = await fetch(`${conversationPath(conversation)}/media/${encodeURIComponent(hash)}`);
    if (!answer.ok) throw new Error(`${visible(name || "A file")} cannot be read any more.`);
    return { name, data: await base64(await answer.blob()) };
  }));
}

/** Shows a picture as large as the window allows, until somebody closes it. */
function view(address, alt) {
  const dialog = make("dialog", { class: "viewer", "aria-label": alt }, make("img", { src: address, alt }),
    make("form", { method: "dialog" }, make("button", {}, "Close")));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}

function size(bytes) {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The largest file that a server takes, in bytes. */
const LARGEST = 20 << 20;

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
