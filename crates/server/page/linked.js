// A question that a link of another program has opened: it is all that the page shows.

import { byId } from "./dom.js";
import { QuestionCards } from "./questions.js";
import { request } from "./server.js";

/** Opens the question that the address names, if it names one; returns whether it does. */
export async function openLinked() {
  const found = /^#q\/([0-9a-fA-F]+)$/.exec(location.hash);
  if (!found) return false;
  // It works once, so nobody needs it in the history of the browser.
  history.replaceState(null, "", location.pathname + location.search);
  document.body.classList.add("linked");
  byId("title").textContent = "A question";
  try {
    const { key, title, question } = await request("POST", "questions/open", { link: found[1] });
    byId("title").textContent = title;
    document.title = `${title} – silcrow`;
    const cards = new QuestionCards(byId("questions"), async ([{ decision, reason }]) => {
      await request("POST", "questions/answer", { key, decision, reason });
      cards.show([]);
      byId("told").textContent = decision === "allow" ? "Your yes is taken. Go back to your chat." : "Your no is taken. Go back to your chat.";
    }, { isOnce: true });
    cards.show([question]);
    cards.focus();
  } catch (error) {
    byId("failure").textContent = `This question cannot be opened: ${error.message}.`;
  }
  return true;
}
