// The page: it joins the list of conversations, the open one, and what a person does.

import { askForName, takeBack } from "./actions.js";
import { readAgain } from "./attached.js";
import { Branches, branchWith, choose } from "./branches.js";
import { Choices } from "./choices.js";
import { Composer } from "./composer.js";
import { ConnectionState } from "./connection.js";
import { byId, once, short, soon } from "./dom.js";
import { FormCards } from "./forms.js";
import { HistoryView } from "./history.js";
import { openLinked } from "./linked.js";
import { ConversationList } from "./list.js";
import { askForToken, logInByAddress, logOut } from "./login.js";
import { wordsOf } from "./media.js";
import { OthersQuestions } from "./others.js";
import { offerPalette } from "./palette.js";
import { QuestionCards } from "./questions.js";
import { RawTurns } from "./raw.js";
import { ConversationRecord } from "./record.js";
import { save } from "./saved_file.js";
import { Following, conversationPath, request } from "./server.js";
import { showSpent } from "./spent.js";
import { takeStored } from "./stored.js";
import { offerThemes } from "./theme.js";
import { later, settle } from "./toast.js";
import { TranscriptView } from "./transcript.js";
import { showWelcome } from "./welcome.js";

/** What is open: its id, whether the server has it, its record and its stream. */
let open = null;
let isLoggingIn = false;
/** Whether the server takes changes of files back, as far as it has said. */
let isUndoOffered = true;

const raw = new RawTurns();
const branches = new Branches();
const transcript = new TranscriptView(byId("transcript"), byId("latest"), {
  prompts: {
    edit, branches: (seq) => branches.around(open.id, seq), choose: chooseBranch, conversation: () => open.id,
  },
  again, retry, raw: (item) => raw.node(open.record, item),
});
const past = new HistoryView((record) => transcript.show(record));
const cards = new QuestionCards(byId("questions"), answer);
const forms = new FormCards(byId("forms"), () => announce("A call asks you something."));
const connection = new ConnectionState(byId("connection"));
const composer = new Composer({ sent, failed: notSent, position: () => open.record.last[0] });
const list = new ConversationList(byId("list"), byId("search"), {
  refused, state: (isOpen, why) => connection.set("list", isOpen, why), loaded: () => showWelcome(tries),
  refreshed: () => (others.refresh(), choices.show(open.id)), formsChanged: (id) => forms.changed(id),
});
const choices = new Choices(report);
const others = new OthersQuestions((ids) => list.setAsking(ids));

/** Opens a conversation, at its end or at the event `sought`. */
function openConversation(id, isKnown, sought = null) {
  open?.stream?.close();
  connection.set("conversation", true);
  open = { id, isKnown, record: new ConversationRecord(id), stream: null, title: null, sought };
  transcript.clear();
  raw.clear();
  branches.clear();
  past.open();
  cards.show([]);
  composer.open(id);
  // Before that nobody may be logged in.
  if (list.loaded === null) choices.show(id);
  tell("");
  list.mark(id);
  showActions();
  show();
  if (isKnown) begin();
}

/** Reads what is stored, and then follows. */
async function begin() {
  const begun = open;
  connection.set("conversation", false);
  try {
    await takeStored(begun.record, () => open === begun);
  } catch {
    // The stream has all of it, too, and says what is wrong.
  }
  if (open !== begun) return;
  for (const { seq, event } of begun.record.messages) {
    if (event.type === "user") composer.taken(wordsOf(event), seq);
  }
  show();
  if (begun.sought !== null) transcript.reveal(begun.record, begun.sought);
  follow();
  refreshState();
  readBranches();
}

async function readBranches() {
  const begun = open;
  try {
    await branches.read(begun.id);
    if (open === begun) transcript.refreshPrompts();
  } catch {
    // A conversation without branches has nothing to choose.
  }
}

function follow() {
  const { id, record } = open;
  open.stream?.close();
  open.stream = new Following({
    path: `${conversationPath(id)}/events`,
    after: record.lastId,
    take: (position, event) => {
      if (record.take(position, event)) taken(event);
    },
    state: (isOpen, why) => connection.set("conversation", isOpen, why),
    refused,
    gone: () => {
      connection.set("conversation", true);
      fail("This conversation is not there. It may have been deleted.");
    },
  });
}

const show = soon(() => {
  if (!past.isPast) transcript.show(open.record);
  past.refresh(open.record);
  showSpent(open.record.metric);
  showTitle();
  byId("welcome").hidden = open.record.items.length > 0 || open.isKnown;
  document.body.classList.toggle("first", !byId("welcome").hidden);
});

function taken(event) {
  show();
  if (["idle", "user", "parked", "approval", "reset"].includes(event.type)) refreshState();
  if (event.type === "user" && composer.taken(wordsOf(event), event.seq)) tell("");
  if (event.type === "idle") {
    setBusy(false);
    announce(ENDS[event.outcome] ?? "The run is over.");
  }
}

/**
 * Asks the server whether a run is at work and what it waits for. While a long log comes, only its
 * end matters.
 */
const refreshState = once(async () => {
  const { id, record } = open;
  if (!open.isKnown) return;
  try {
    const { conversation } = await request("GET", `${conversationPath(id)}?limit=0`);
    const { questions } = await request("GET", `${conversationPath(id)}/questions`);
    if (open.id !== id) return;
    open.title = conversation.title;
    const isBusy = conversation.run !== null;
    setBusy(isBusy);
    const before = cards.cards.size;
    // While a run is at work nobody can answer.
    cards.show(isBusy ? [] : questions);
    if (!isBusy && questions.length === 0 && conversation.elsewhere === null) {
      record.settle();
      show();
    }
    if (before === 0 && cards.cards.size > 0) {
      announce("The run waits for your answer.");
      // What somebody types elsewhere must not become an answer.
      if (document.activeElement === document.body) cards.focus();
    }
    showBadge(conversation.elsewhere);
    showTitle();
  } catch (error) {
    if (error.status === 401) refused();
  }
}, 60);

function showTitle() {
  const title = open.record.title ?? open.title ?? open.record.items[0]?.text ?? "New conversation";
  const shown = short(title, 80);
  if (byId("title").textContent !== shown) byId("title").textContent = shown;
  document.title = `${shown} – silcrow`;
}

function setBusy(isBusy) {
  composer.setBusy(isBusy);
  past.isBusy = isBusy;
  forms.watch(open.id, isBusy);
  showBadge(null);
}

function showBadge(elsewhere) {
  const [word, kind] = composer.isBusy ? ["works", "running"] : cards.cards.size > 0 ? ["asks you", "asked"] : elsewhere ? ["works elsewhere", ""] : ["", ""];
  byId("state").textContent = word;
  byId("state").title = elsewhere ?? "";
  byId("state").className = word === "" ? "" : `badge ${kind}`;
}

function showActions() {
  byId("actions").hidden = !open.isKnown;
  byId("pin").setAttribute("aria-pressed", String(list.pins.has(open.id)));
  byId("undo").hidden = !isUndoOffered;
}

function announce(text) {
  byId("news").textContent = text;
}

function tell(...parts) {
  byId("failure").replaceChildren();
  byId("told").replaceChildren(...parts);
}

function fail(text) {
  byId("told").replaceChildren();
  byId("failure").textContent = text;
}

function sent(id) {
  if (open.id !== id) return;
  tell("");
  setBusy(true);
  if (!open.isKnown) known(id);
}

function known(id) {
  open.isKnown = true;
  showActions();
  history.replaceState(null, "", `#c/${encodeURIComponent(id)}`);
  follow();
}

/** Says why a prompt was not taken. If it may have been, the conversation shows it once it is there. */
async function notSent(error, id) {
  report(error);
  refreshState();
  if (!error.isUnsure || open.isKnown) return;
  for (let unknown = 0; open.id === id && !open.isKnown && composer.unsure !== null; ) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    try {
      await request("GET", `${conversationPath(id)}?limit=0`);
      if (open.id === id && !open.isKnown) known(id);
    } catch (why) {
      // The server is there again and still knows nothing of it, so it can be sent again.
      if (why.status === 404 && (unknown += 1) === 3) return composer.giveUp();
      if (why.status === 401) return refused();
    }
  }
}

async function answer(given) {
  try {
    await request("POST", `${conversationPath(open.id)}/answers`, { answers: given });
  } catch (error) {
    if (error.status === 401) refused();
    throw error;
  } finally {
    refreshState();
  }
}

async function stop() {
  try {
    await request("POST", `${conversationPath(open.id)}/stop`, {});
  } catch (error) {
    report(error);
    refreshState();
  }
}

/** Sends another prompt in place of one; the chat goes on in a branch. */
async function edit(item, text) {
  const files = await readAgain(open.id, item.media);
  const id = await branchWith(open.id, item.seq, text, files);
  location.hash = `#c/${encodeURIComponent(id)}`;
  list.refresh();
}

/** Asks for another answer to the prompt of an item. */
async function again(item) {
  const prompt = open.record.promptOf(item);
  if (!prompt || prompt.seq === null) return;
  try {
    await edit(prompt, prompt.text);
  } catch (error) {
    report(error);
  }
}

/** Sends the prompt of a run that has failed once more. It counts once if nothing has followed it. */
async function retry(item) {
  const { id } = open;
  const prompt = open.record.promptOf(item);
  if (!prompt) return;
  try {
    const files = await readAgain(id, prompt.media);
    await request("POST", `${conversationPath(id)}/runs`, { prompt: prompt.text, files });
    sent(id);
  } catch (error) {
    report(error);
  }
}

async function chooseBranch(id) {
  location.hash = `#c/${encodeURIComponent(id)}`;
  try {
    await choose(id);
    list.refresh();
  } catch (error) {
    report(error);
  }
}

async function rename() {
  byId("actions").open = false;
  const { id } = open;
  const title = await askForName(byId("title").textContent);
  if (title === "") return;
  try {
    await request("POST", `${conversationPath(id)}/title`, { title });
    list.refresh();
    refreshState();
  } catch (error) {
    report(error);
  }
}

async function undo() {
  byId("actions").open = false;
  tell("");
  try {
    tell(...(await takeBack(open.id)));
  } catch (error) {
    isUndoOffered = error.code !== "not_offered";
    showActions();
    report(error);
  }
}

/** Deletes the open conversation, unless a person takes that back in time. */
function remove() {
  byId("actions").open = false;
  const { id } = open;
  const title = byId("title").textContent;
  list.hide(id);
  newConversation();
  later(`“${title}” is deleted.`, async () => {
    try {
      await request("DELETE", conversationPath(id));
    } catch (error) {
      list.hide(null);
      report(error);
    }
    list.refresh();
  }, () => {
    list.hide(null);
    location.hash = `#c/${encodeURIComponent(id)}`;
  });
}

/** Sends a prompt of the first screen. */
function tries(prompt) {
  byId("prompt").value = prompt;
  composer.keep();
  byId("composer").requestSubmit();
}

function pin() {
  list.pin(open.id);
  showActions();
  byId("actions").open = false;
}

function showRaw() {
  raw.isOn = !raw.isOn;
  byId("raw").setAttribute("aria-pressed", String(raw.isOn));
  byId("actions").open = false;
  show();
}

function report(error) {
  if (error.status === 401) refused();
  else fail(error.message);
}

/** Asks for the token, and continues where the page was. */
async function refused() {
  if (isLoggingIn) return;
  isLoggingIn = true;
  await askForToken();
  isLoggingIn = false;
  resume();
}

function resume() {
  list.follow();
  if (!open.isKnown) return;
  follow();
  refreshState();
}

async function moved() {
  if (location.hash.startsWith("#q/")) return location.reload();
  if (await logInByAddress()) resume();
  const found = /^#c\/([^/]+)(?:\/(\d+))?$/.exec(location.hash);
  const id = found ? decodeURIComponent(found[1]) : null;
  const sought = found?.[2] ? Number(found[2]) : null;
  if (id !== null && id !== open?.id) openConversation(id, true, sought);
  else if (id !== null && sought !== null) transcript.reveal(open.record, sought);
  else if (id === null && (open === null || open.isKnown)) openConversation(newId(), false);
  showList(false);
}

function newConversation() {
  history.pushState(null, "", location.pathname);
  openConversation(newId(), false);
  showList(false);
  byId("prompt").focus();
}

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function showList(isShown) {
  byId("menu").setAttribute("aria-expanded", String(isShown));
  document.body.classList.toggle("listed", isShown);
}

const ENDS = {
  answered: "The answer is complete.", stopped: "The run was stopped.",
  waiting: "The run waits for your answer.", failed: "The run has failed.",
};

offerThemes(byId("theme"));
byId("stop").addEventListener("click", stop);
byId("undo").addEventListener("click", undo);
byId("delete").addEventListener("click", remove);
byId("rename").addEventListener("click", rename);
byId("pin").addEventListener("click", pin);
byId("save").addEventListener("click", () => {
  byId("actions").open = false;
  save(byId("title").textContent, open.record.items);
});
byId("raw").addEventListener("click", showRaw);
byId("new").addEventListener("click", newConversation);
byId("log-out").addEventListener("click", () => logOut().catch((error) => fail(error.message)));
byId("menu").addEventListener("click", () => showList(!document.body.classList.contains("listed")));
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("prompt").focus();
});
document.addEventListener("keydown", (event) => {
  // It also ends what an input method composes, and empties the search.
  if (event.key !== "Escape" || event.isComposing) return;
  if (byId("actions").open) {
    byId("actions").open = false;
    byId("actions").querySelector("summary").focus();
  } else if (document.body.classList.contains("listed")) {
    showList(false);
    byId("menu").focus();
  } else if (composer.isBusy && event.target !== byId("search") && !document.querySelector("dialog[open]")) {
    stop();
  }
});
window.addEventListener("pagehide", settle);
document.addEventListener("click", (event) => {
  if (!byId("actions").contains(event.target)) byId("actions").open = false;
});

/** Begins with the conversation that the address names. */
async function start() {
  offerPalette(() => {
    const press = (id) => [byId(id).textContent, () => byId(id).click()];
    const some = open.isKnown ? ["rename", "pin", "save", "raw", "undo", "delete"].filter((id) => !byId(id).hidden) : [];
    const stops = composer.isBusy ? ["stop"] : [];
    const links = [...byId("list").querySelectorAll("a")].map((link) => [link.querySelector(".title").textContent, () => link.click()]);
    return [...["new", ...stops, ...some, "theme", "log-out"].map(press), ...links];
  });
  window.addEventListener("hashchange", moved);
  window.addEventListener("popstate", moved);
  // A hit that is chosen again is shown again, although the address stays the same.
  byId("list").addEventListener("click", (event) => {
    if (event.target.closest("a")?.hash === location.hash) moved();
  });
  // A browser opens six connections to a server, so a window that nobody sees holds none.
  document.addEventListener("visibilitychange", () => {
    if (isLoggingIn) return;
    if (document.hidden) {
      list.close();
      open.stream?.close();
    } else {
      resume();
    }
  });
  openConversation(newId(), false);
  await moved();
  list.follow();
}

if (!(await openLinked())) await start();
