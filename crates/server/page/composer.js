// The form for prompts: it sends one exactly once, and keeps it until it is sent.

import { AttachedFiles } from "./attached.js";
import { byId } from "./dom.js";
import { PastedTexts, joined } from "./pasted.js";
import { conversationPath, request } from "./server.js";

/** Sends prompts of the conversation that is open. */
export class Composer {
  /**
   * `sent` is called after a prompt was taken, and `failed` with the error of one that was not. `position`
   * returns that of the last event of the conversation.
   */
  constructor({ sent, failed, position }) {
    // Without an answer nobody knows whether the server has the prompt, also after the page is loaded again.
    Object.assign(this, { sent, failed, position, id: null, isBusy: false, unsure: null, inFlight: null });
    // Files stay with their conversation until they are sent, or until the page is left.
    this.kept = new Map();
    const field = byId("prompt");
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || event.shiftKey || event.altKey) return;
      // On a screen without keys, a line ends with Enter.
      if (!event.ctrlKey && !event.metaKey && matchMedia("(pointer: coarse)").matches) return;
      event.preventDefault();
      byId("composer").requestSubmit();
    });
    field.addEventListener("input", () => this.keep());
    this.pasted = new PastedTexts(byId("pasted"), () => this.keep());
    this.attached = new AttachedFiles(byId("attached"), {
      changed: () => this.kept.set(this.id, this.attached.files),
      failed: (why) => this.failed(new Error(why), this.id),
    });
    byId("attach").addEventListener("click", () => byId("files").click());
    byId("files").addEventListener("change", () => {
      this.attached.take([...byId("files").files]);
      byId("files").value = "";
    });
    const stage = field.closest("main");
    stage.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    });
    stage.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      this.attached.take([...event.dataTransfer.files]);
      field.focus();
    });
    field.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) {
        event.preventDefault();
        this.attached.take(files);
        return;
      }
      if (this.pasted.take(event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
    });
  }

  /** Begins with the draft of a conversation. */
  open(id) {
    Object.assign(this, { id, unsure: JSON.parse(sessionStorage.getItem(sending(id))) });
    byId("prompt").value = sessionStorage.getItem(draft(id)) ?? "";
    this.pasted.show(pastedFor(id));
    this.attached.show(this.kept.get(id) ?? []);
    this.fit();
    this.setBusy(false);
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    byId("stop").hidden = !isBusy;
    byId("send").textContent = isBusy ? "Steer" : "Send";
    byId("prompt").placeholder = isBusy ? "Steer it" : "What should it do?";
  }

  keep() {
    remember(draft(this.id), byId("prompt").value);
    remember(pasted(this.id), JSON.stringify(this.pasted.texts));
    this.fit();
  }

  /** Returns the prompt with all that was pasted. */
  get prompt() {
    return this.pasted.after(byId("prompt").value);
  }

  /** Makes the field as high as its text, up to a limit of the style. */
  fit() {
    const field = byId("prompt");
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  }

  async send() {
    const { id, prompt } = this;
    const files = this.attached.sent;
    if ((prompt.trim() === "" && !files) || byId("send").disabled) return;
    byId("send").disabled = true;
    const unsure = { prompt, after: this.position(), isTaken: false };
    this.inFlight = { id, unsure };
    remember(sending(id), JSON.stringify(unsure));
    try {
      await request("POST", `${conversationPath(id)}/runs${this.isBusy ? "?steer=1" : ""}`, { prompt, files });
      sessionStorage.removeItem(sending(id));
      this.clear(id, prompt);
      this.sent(id);
    } catch (error) {
      if (!error.isUnsure || unsure.isTaken) sessionStorage.removeItem(sending(id));
      if (error.isUnsure && unsure.isTaken) {
        // Its event was quicker than the error that says that there is no answer.
        this.clear(id, prompt);
        this.sent(id);
        return;
      }
      if (error.isUnsure && this.id === id) this.unsure = unsure;
      this.failed(error, id);
    } finally {
      this.inFlight = null;
      byId("send").disabled = false;
    }
  }

  /** Takes note of a prompt that the server has. It may be one for which no answer came. */
  taken(prompt, seq) {
    const isIt = (sent) => sent?.prompt === prompt && seq > sent.after;
    if (this.inFlight?.id === this.id && isIt(this.inFlight.unsure)) this.inFlight.unsure.isTaken = true;
    if (!isIt(this.unsure)) return false;
    this.giveUp();
    this.clear(this.id, prompt);
    return true;
  }

  /** Waits no more for a prompt for which no answer came. */
  giveUp() {
    this.unsure = null;
    sessionStorage.removeItem(sending(this.id));
  }

  /** Removes a prompt that was taken, unless somebody has written another one meanwhile. */
  clear(id, prompt) {
    if (stored(id) === prompt) forget(id);
    if (this.id !== id || this.prompt !== prompt) return;
    forget(id);
    byId("prompt").value = "";
    this.pasted.show([]);
    this.kept.delete(id);
    this.attached.show([]);
    this.fit();
  }
}

/** Keeps a text for the time after the page is loaded again, if the browser has room for it. */
function remember(place, text) {
  try {
    sessionStorage.setItem(place, text);
  } catch {
    sessionStorage.removeItem(place);
  }
}

/** Returns the draft of a conversation with all that was pasted. */
const stored = (id) => joined(sessionStorage.getItem(draft(id)) ?? "", pastedFor(id));

const pastedFor = (id) => JSON.parse(sessionStorage.getItem(pasted(id)) ?? "[]");

function forget(id) {
  sessionStorage.removeItem(draft(id));
  sessionStorage.removeItem(pasted(id));
}

const pasted = (id) => `pasted ${id}`;

const draft = (id) => `draft ${id}`;

const sending = (id) => `sending ${id}`;
