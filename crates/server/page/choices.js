// What a person may choose for a conversation: the model, the effort, the mode.

import { byId, make, visible } from "./dom.js";
import { conversationPath, request } from "./server.js";

/** Lists below the prompt, each with the values of a choice. */
export class Choices {
  /** `failed` is called with an error that a person has to know. */
  constructor(failed) {
    Object.assign(this, { failed, id: null });
  }

  /** Shows the choices of a conversation, unless they are there. */
  async show(id) {
    if (id === this.id) return;
    this.id = id;
    try {
      const { choices } = await request("GET", `${conversationPath(id)}/choices`);
      if (id === this.id) this.fill(choices);
    } catch {
      // The conversation can be used without them; they are asked for again with the next one.
      if (id === this.id) this.fill([]);
      this.id = null;
    }
  }

  fill(choices) {
    byId("choices").hidden = choices.length === 0;
    byId("choices").replaceChildren(...choices.map((choice) => this.list(choice)));
  }

  list({ id, name, chosen, values }) {
    const options = values.map((value) => {
      const option = make("option", { value: value.id, title: value.description || null }, visible(value.id));
      option.selected = value.id === chosen;
      return option;
    });
    const list = make("select", {}, ...options);
    let before = chosen;
    list.addEventListener("change", async () => {
      const conversation = this.id;
      try {
        await request("POST", `${conversationPath(conversation)}/choices`, { choices: { [id]: list.value } });
        before = list.value;
      } catch (error) {
        list.value = before;
        this.failed(error);
      }
    });
    return make("label", {}, `${visible(name)} `, list);
  }
}
