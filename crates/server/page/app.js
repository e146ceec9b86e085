// The page: it joins the list of conversations, the open one, and what a person does.

import { byId, soon } from "./dom.js";
import { HistoryView } from "./history.js";
import { ConversationList } from "./list.js";
import { askForToken, logInByAddress } from "./login.js";
import { QuestionCards } from "./questions.js";
import { ConversationRecord } from "./record.js";
import { Following, conversationPath, request } from "./server.js";
import { TranscriptView } from "./transcript.js";

/** What is open: its id, whether the server has it, its record and its stream. */
let open = null;
let isBusy = false;
let isLoggingIn = false;
/** Whether the server takes changes of files back, as far as it has said. */
let isUndoOffered = true;

const transcript = new TranscriptView(byId("transcript"), fork);
const past = new HistoryView((record) => transcript.show(record));
const cards = new QuestionCards(byId("questions"), answer);
const list = new ConversationList(byId("list"), byId("search"), refused);

function openConversation(id, isKnown) {
  open?.stream?.close();
  open = { id, isKnown, record: new ConversationRecord(id), stream: null, title: null };
  transcript.clear();
  past.open();
  cards.show([]);
  byId("undo").hidden = !isKnown || !isUndoOffered;
  setBusy(false);
  byId("failure").textContent = "";
  byId("prompt").value = sessionStorage.getItem(`draft ${id}`) ?? "";
  list.mark(id);
  showTitle();
  if (isKnown) follow();
}

function follow() {
  const { id, record } = open;
  open.stream?.close();
  open.stream = new Following({
    address: () => `${conversationPath(id)}/events?after=${record.lastId}`,
    take: (message) => {
      const event = JSON.parse(message.data);
      if (record.take(message.lastEventId, event)) taken(event);
    },
    state: showConnection,
    refused,
  });
  refreshState();
}

const show = soon(() => {
  if (!past.isPast) transcript.show(open.record);
  past.refresh(open.record);
  showTitle();
});

function taken(event) {
  show();
  if (["idle", "user", "parked", "approval", "reset"].includes(event.type)) refreshState();
  if (event.type === "idle") {
    setBusy(false);
    announce(ENDS[event.outcome] ?? "The run is over.");
  }
}

/** Asks the server whether a run is at work and what it waits for. */
const refreshState = soon(async () => {
  const { id } = open;
  if (!open.isKnown) return;
  try {
    const { conversation } = await request("GET", `${conversationPath(id)}?limit=0`);
    const { questions } = await request("GET", `${conversationPath(id)}/questions`);
    if (open.id !== id) return;
    open.title = conversation.title;
    setBusy(conversation.run !== null);
    const before = cards.cards.size;
    // While a run is at work nobody can answer.
    cards.show(conversation.run === null ? questions : []);
    if (before === 0 && cards.cards.size > 0) {
      announce("The run waits for your answer.");
      // What somebody types elsewhere must not become an answer.
      if (document.activeElement === document.body) cards.focus();
    }
    showTitle();
  } catch (error) {
    if (error.status === 401) refused();
    else if (error.status === 404 && open.record.messages.length > 0) fail("This conversation was deleted.");
  }
}, 60);

function showTitle() {
  const title = open.record.title ?? open.title ?? open.record.items[0]?.text ?? "New conversation";
  const short = title.length > 80 ? `${title.slice(0, 80)}…` : title;
  if (byId("title").textContent !== short) byId("title").textContent = short;
  document.title = `${short} – silcrow`;
}

function setBusy(busy) {
  isBusy = busy;
  byId("stop").hidden = !busy;
  byId("send").textContent = busy ? "Steer" : "Send";
  byId("state").textContent = busy ? "works" : "";
  byId("state").className = busy ? "badge running" : "";
}

function showConnection(isOpen) {
  byId("connection").textContent = isOpen ? "" : "Connecting…";
}

function announce(text) {
  byId("news").textContent = text;
}

function fail(text) {
  byId("failure").textContent = text;
}

async function send(event) {
  event.preventDefault();
  const prompt = byId("prompt").value;
  const { id } = open;
  if (prompt.trim() === "" || byId("send").disabled) return;
  byId("send").disabled = true;
  fail("");
  try {
    await request("POST", `${conversationPath(id)}/runs${isBusy ? "?steer=1" : ""}`, { prompt });
    sessionStorage.removeItem(`draft ${id}`);
    if (open.id !== id) return;
    byId("prompt").value = "";
    setBusy(true);
    if (!open.isKnown) {
      open.isKnown = true;
      byId("undo").hidden = !isUndoOffered;
      history.replaceState(null, "", `#c/${encodeURIComponent(id)}`);
      follow();
    }
  } catch (error) {
    report(error);
    refreshState();
  } finally {
    byId("send").disabled = false;
  }
}

async function answer(given) {
  try {
    await request("POST", `${conversationPath(open.id)}/answers`, { answers: [given] });
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

/** Begins a conversation that knows what was said before a prompt, with the prompt as a draft. */
async function fork(item) {
  if (item.seq === 1) {
    const id = newId();
    sessionStorage.setItem(`draft ${id}`, item.text);
    history.pushState(null, "", location.pathname);
    return openConversation(id, false);
  }
  try {
    const { conversation } = await request("POST", `${conversationPath(open.id)}/fork`, { seq: item.seq - 1 });
    sessionStorage.setItem(`draft ${conversation}`, item.text);
    location.hash = `#c/${encodeURIComponent(conversation)}`;
  } catch (error) {
    report(error);
  }
}

async function undo() {
  fail("");
  try {
    announce(`Taken back: ${JSON.stringify(await request("POST", `${conversationPath(open.id)}/undo`))}`);
    fail(byId("news").textContent);
  } catch (error) {
    isUndoOffered = error.code !== "not_offered";
    byId("undo").hidden = !isUndoOffered;
    report(error);
  }
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
  if (open.isKnown) follow();
}

async function moved() {
  if (await logInByAddress()) resume();
  const found = /^#c\/(.+)$/.exec(location.hash);
  const id = found ? decodeURIComponent(found[1]) : null;
  if (id !== null && id !== open?.id) openConversation(id, true);
  else if (id === null && (open === null || open.isKnown)) openConversation(newId(), false);
  showList(false);
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

byId("composer").addEventListener("submit", send);
byId("stop").addEventListener("click", stop);
byId("undo").addEventListener("click", undo);
byId("menu").addEventListener("click", () => showList(!document.body.classList.contains("listed")));
byId("new").addEventListener("click", () => {
  history.pushState(null, "", location.pathname);
  openConversation(newId(), false);
  showList(false);
  byId("prompt").focus();
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("prompt").focus();
});
byId("prompt").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) byId("composer").requestSubmit();
});
byId("prompt").addEventListener("input", () => sessionStorage.setItem(`draft ${open.id}`, byId("prompt").value));
window.addEventListener("hashchange", moved);
window.addEventListener("popstate", moved);
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
