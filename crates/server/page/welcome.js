// The first screen: what answers here, where, with which rights, and three things to try.

import { byId, make, visible } from "./dom.js";
import { request } from "./server.js";

/** Fills the first screen. `tries` is called with a prompt that a person has chosen. */
export async function showWelcome(tries) {
  let about = {};
  try {
    about = await request("GET", "about");
  } catch {
    // A server that says nothing about itself has a first screen, too.
  }
  const rows = [["Model", about.model], ["Folder", about.folder], ["Mode", about.mode]];
  const facts = rows.filter(([, text]) => text).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, visible(text))]);
  const rehearsal = about.rehearsal
    ? make("p", { class: "small" }, "This is a rehearsal: simple rules answer, and no model.") : null;
  byId("about").replaceChildren(...[facts.length > 0 ? make("dl", {}, ...facts) : null, rehearsal].filter(Boolean));
  const prompts = about.tries ?? TRIES;
  byId("tries").replaceChildren(...prompts.map((prompt) =>
    make("button", { type: "button", onclick: () => tries(prompt) }, visible(prompt))));
}

/** What can be tried anywhere. */
const TRIES = ["What can you do here?", "Which files are in this folder?", "Explain what this project is about."];
