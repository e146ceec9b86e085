// Cards of the forms that calls let a person fill in, such as the questions of MCP servers.

import { make, visible } from "./dom.js";
import { conversationPath, request } from "./server.js";

/** Keeps a list of cards in step with the forms that a run waits for. */
export class FormCards {
  /** `appeared` is called when a form is new. */
  constructor(element, appeared) {
    Object.assign(this, { element, appeared, id: null, isBusy: false });
    this.cards = new Map();
  }

  /** Shows the forms of a conversation, whose run may be at work. */
  watch(id, isBusy) {
    if (id !== this.id || !isBusy) this.show([]);
    Object.assign(this, { id, isBusy });
    if (isBusy) this.load();
  }

  /** Takes that the forms of a conversation are others than before. */
  changed(id) {
    if (id === this.id && this.isBusy) this.load();
  }

  async load() {
    const { id } = this;
    try {
      const { forms } = await request("GET", `${conversationPath(id)}/forms`);
      if (id === this.id && this.isBusy) this.show(forms);
    } catch {
      // The stream of the conversation says what is wrong.
    }
  }

  show(forms) {
    const kept = new Set(forms.map((form) => form.id));
    for (const [id, card] of this.cards) {
      if (kept.has(id)) continue;
      card.remove();
      this.cards.delete(id);
    }
    for (const form of forms) {
      if (this.cards.has(form.id)) continue;
      const card = this.card(form);
      this.cards.set(form.id, card);
      this.element.append(card);
      this.appeared();
    }
  }

  card({ id, message, schema }) {
    const failure = make("p", { role: "alert" });
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => new Field(`form-${id}`, name, field, required.has(name)));
    const send = async (action) => {
      const values = Object.fromEntries(fields.map((field) => [field.name, field.value]).filter(([, value]) => value !== null));
      try {
        await request("POST", `${conversationPath(this.id)}/forms`, { form: id, action, ...(action === "accept" ? { values } : {}) });
        await this.load();
      } catch (error) {
        failure.textContent = error.message;
      }
    };
    const button = (action, label) => make("button", { type: "button", onclick: () => send(action) }, label);
    const title = `form-${id}-title`;
    const form = make("form", {
      class: "card", "aria-labelledby": title,
      onsubmit: (event) => {
        event.preventDefault();
        send("accept");
      },
    },
      make("h2", { id: title, dir: "auto" }, visible(message)),
      ...fields.map((field) => field.element),
      failure,
      make("div", { class: "acts" }, make("button", { type: "submit" }, "Answer"), button("decline", "Do not answer"), button("cancel", "End the call")));
    return form;
  }
}

/** A field of a form. */
class Field {
  constructor(form, name, schema, isRequired) {
    Object.assign(this, { name, schema });
    const id = `${form}-${name}`.replace(/[^\w-]/g, "_");
    this.input = this.control(id, isRequired);
    const label = `${visible(schema.title ?? name)}${isRequired || schema.type === "boolean" ? "" : " (may be empty)"}`;
    const about = schema.description ? make("p", { class: "small" }, visible(schema.description)) : null;
    this.element = make("div", { class: "field" },
      ...(schema.type === "boolean" ? [make("label", {}, this.input, ` ${label}`)] : [make("label", { for: id }, label), this.input]), about);
  }

  control(id, required) {
    const { schema } = this;
    const isList = schema.type === "array";
    const values = choices(isList ? schema.items ?? {} : schema);
    if (values.length > 0) {
      const first = required || isList ? [] : [make("option", { value: "" }, "–")];
      const chosen = [schema.default ?? []].flat();
      const options = values.map(([value, title]) => make("option", { value, selected: chosen.includes(value) }, visible(title)));
      return make("select", { id, required, multiple: isList }, ...first, ...options);
    }
    if (schema.type === "boolean") return make("input", { id, type: "checkbox", checked: schema.default === true });
    const isNumber = schema.type === "integer" || schema.type === "number";
    const type = isNumber ? "number" : KINDS[schema.format] ?? "text";
    return make("input", {
      id, type, required, autocomplete: "off", dir: "auto", value: schema.default ?? "",
      min: schema.minimum, max: schema.maximum, step: schema.type === "number" ? "any" : undefined,
      minlength: schema.minLength, maxlength: schema.maxLength,
    });
  }

  /** Returns the value; `null` for a field that is left out. */
  get value() {
    const { input, schema } = this;
    if (schema.type === "array") return [...input.selectedOptions].map(({ value }) => value);
    if (schema.type === "boolean") return input.checked;
    if (input.value === "") return null;
    return schema.type === "integer" || schema.type === "number" ? Number(input.value) : input.value;
  }
}

/** Returns the values that a field may have, each with its title. */
function choices({ enum: values, enumNames: names, oneOf, anyOf }) {
  if (values) return values.map((value, at) => [value, names?.[at] ?? value]);
  return (oneOf ?? anyOf ?? []).map((one) => [one.const, one.title ?? one.const]);
}

/** The kinds of input for formats of texts. */
const KINDS = { email: "email", uri: "url", date: "date" };
