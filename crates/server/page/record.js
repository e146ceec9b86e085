// What a conversation shows, made of its messages. It knows no elements and no connection.
//
// Each message has an id, `SEQ.N`. A message with an `N` of 0 is stored, and all others can be
// forgotten by a reset; then everything is made again of what is left.

import { BlockRows } from "./blocks.js";
import { mediaOf, wordsOf } from "./media.js";

/** A conversation as it is known. */
export class ConversationRecord {
  constructor(conversation) {
    this.conversation = conversation;
    this.messages = [];
    this.last = [0, 0];
    this.resets = 0;
    this.clear();
  }

  clear() {
    this.items = [];
    this.calls = new Map();
    this.scopes = new Map();
    this.metric = null;
    this.outcome = null;
    this.title = null;
    this.made = 0;
  }

  get lastId() {
    return this.last.join(".");
  }

  /** Takes a message; returns whether it was new. */
  take(id, event) {
    const [seq, n] = id.split(".").map(Number);
    if (event.type === "reset") {
      this.reset(event.seq);
      return true;
    }
    const [lastSeq, lastN] = this.last;
    if (seq < lastSeq || (seq === lastSeq && n <= lastN)) return false;
    this.last = [seq, n];
    this.messages.push({ seq, n, event });
    this.show(event, seq, n === 0);
    return true;
  }

  /** Forgets all messages that are not stored, or stored after a position. */
  reset(seq) {
    this.messages = this.messages.filter((message) => message.n === 0 && message.seq <= seq);
    this.last = [seq, 0];
    this.resets += 1;
    this.clear();
    for (const message of this.messages) this.show(message.event, message.seq, true);
  }

  /** Takes note that no run is at work, so that calls without a result have none to come. */
  settle() {
    for (const call of this.calls.values()) {
      if (call.ended !== null || !["written", "allowed", "running"].includes(call.state)) continue;
      call.state = "unfinished";
      call.item.version += 1;
      this.touch(call.scope);
    }
  }

  /** Returns the prompt that an item answers. */
  promptOf(item) {
    const before = this.items.slice(0, this.items.indexOf(item));
    return before.findLast(({ kind, steer }) => kind === "user" && !steer);
  }

  /** Returns the times of the prompts that began runs. */
  runTimes() {
    return this.items.filter((item) => item.kind === "user" && !item.steer).map(({ time }) => time);
  }

  /** Returns the conversation as it was at a time. */
  until(time) {
    const record = new ConversationRecord(this.conversation);
    record.resets = this.resets;
    for (const { seq, n, event } of this.messages) {
      if ((event.timestamp ?? 0) > time) break;
      record.show(event, seq, n === 0);
    }
    return record;
  }

  show(event, seq, isStored) {
    const scope = this.scope(event);
    const place = { scope, turn: event.turn, time: event.timestamp, seq: isStored ? seq : null };
    switch (event.type) {
      case "user":
        if (scope.name === "") {
          this.outcome = null;
          // Nothing will continue what an earlier run has left.
          if (!event.steer) this.settle();
        }
        this.push(place, "user", {
          text: wordsOf(event), media: mediaOf(event), steer: event.steer === true, isTask: scope.name !== "",
        });
        break;
      case "think":
      case "respond":
        if (event.malformed) this.dropUnwritten(scope, event);
        this.text(event, place);
        break;
      case "call_text":
        this.callText(event, place);
        break;
      case "call":
        this.written(event, place);
        break;
      case "block":
        // The calls for the items of a loop follow the one that the model has written.
        if (event.part === "call") this.dropUnwritten(scope, event);
        scope.blocks.mark(event);
        break;
      case "started":
      case "recorded":
        this.change(event, scope, (call) => {
          call.starts.push(event.timestamp);
          call.state = "running";
        });
        break;
      case "progress":
        this.change(event, scope, (call) => {
          call.output = (call.output + event.content).slice(-OUTPUT);
        });
        break;
      case "changes":
        this.change(event, scope, (call) => {
          call.changes = event.files;
        });
        break;
      case "approval":
        // A call that asks for a door runs, whatever the answer is.
        if (event.grants?.length && event.target === event.grants.join(", ")) break;
        this.change(event, scope, (call) => {
          call.state = event.state === "asked" ? "asked" : event.state === "allowed" ? "allowed" : "denied";
          call.approvals.push({ state: event.state, time: event.timestamp, reason: event.reason });
        });
        break;
      case "result":
        this.ended(event, place);
        break;
      case "metric":
        if (!scope.call) this.metric = event;
        break;
      case "title":
        this.title = event.content;
        break;
      case "idle":
        this.outcome = event;
        if (event.outcome === "failed") this.failed(event, place);
        break;
      case "error":
        this.push(place, "note", { label: event.code, text: event.content, isBad: true });
        break;
      case "failed":
        this.failed(event, place);
        break;
      case "notice":
      case "cancelled":
      case "summary":
        this.push(place, "note", { label: event.type, text: event.content });
        break;
      case "person_command":
        this.push(place, "note", { label: `! ${event.command}`, text: event.content });
        break;
      case "hook":
        if (event.effect === "passed") break;
        this.push(place, "note", { label: `hook ${event.effect}`, text: `${event.command}: ${event.content ?? ""}` });
        break;
      case "parked":
        this.push(place, "wire", { text: event.wire });
        break;
      default:
    }
  }

  /** Returns where an event belongs: the conversation, or a call that an agent works for. */
  scope(event) {
    const name = event.agent_path ? event.conversation : "";
    let scope = this.scopes.get(name);
    if (scope) return scope;
    if (name === "") {
      scope = { name, items: this.items, blocks: new BlockRows(), call: null, open: [], written: new Map() };
    } else {
      const parts = name.split("/");
      const [turn, id] = parts.slice(-2);
      const outer = parts.slice(0, -2).join("/");
      const call = this.calls.get(`${outer === this.conversation ? "" : outer}|${turn}|${id}`);
      scope = { name, items: [], blocks: new BlockRows(), call, open: [], written: new Map() };
      if (call) call.items = scope.items;
    }
    this.scopes.set(name, scope);
    return scope;
  }

  push({ scope, turn, time, seq }, kind, more) {
    this.made += 1;
    // The same messages make the same items, so what is shown of one can be shown of the other.
    const id = `${this.resets}.${this.made}`;
    const item = { id, kind, turn, time, seq, version: 0, ...more };
    scope.items.push(item);
    this.touch(scope);
    return item;
  }

  /** Marks a scope, and all calls around it, as changed. */
  touch(scope) {
    for (let call = scope.call; call; call = call.scope.call) call.item.version += 1;
  }

  /** Takes why a run failed, which its error, the log and its end say. It is shown once. */
  failed(event, place) {
    const isIt = (item) => item.kind === "note" && item.label === event.code && item.text === event.content;
    const item = place.scope.items.slice(-3).find(isIt) ??
      this.push(place, "note", { label: event.code, text: event.content, isBad: true });
    item.isFailure = place.scope.name === "";
    item.version += 1;
    this.touch(place.scope);
  }

  text(event, place) {
    const { scope, turn } = place;
    const isPiece = event.part !== undefined;
    const isIt = (item) => item.kind === event.type && item.turn === turn && (!isPiece || item.part === event.part);
    let item = scope.open.find(isIt);
    if (!item) {
      item = this.push(place, event.type, { text: "", part: event.part, isOpen: true, ticks: [] });
      scope.open.push(item);
    }
    if (isPiece) {
      item.text += event.content;
    } else {
      scope.open.splice(scope.open.indexOf(item), 1);
      item.text = event.content;
      item.isOpen = false;
      item.seq = place.seq;
      item.wire = event.wire;
    }
    item.isMalformed = event.malformed === true;
    item.ticks.push(event.timestamp);
    item.version += 1;
    this.touch(scope);
  }

  callText(event, place) {
    const { written } = place.scope;
    const number = `${place.turn}|${event.call}`;
    if (!written.has(number)) written.set(number, this.newCall(place));
    const item = written.get(number);
    const { call } = item;
    call.name = event.name ?? call.name;
    call.body += event.content;
    if (event.id !== undefined) this.name(call, event.id);
    item.version += 1;
    this.touch(place.scope);
  }

  newCall(place) {
    const call = {
      id: null, name: "", body: "", args: null, state: "writing", begun: place.time, written: null,
      starts: [], ended: null, approvals: [], dependsOn: [], result: null, output: "", changes: [], items: [],
      block: null,
      scope: place.scope, turn: place.turn,
    };
    call.item = this.push(place, "call", { call });
    return call.item;
  }

  name(call, id) {
    call.id = id;
    this.calls.set(`${call.scope.name}|${call.turn}|${id}`, call);
  }

  find(event, scope) {
    return this.calls.get(`${scope.name}|${event.turn}|${event.id}`);
  }

  change(event, scope, act) {
    const call = this.find(event, scope);
    if (!call) return;
    act(call);
    call.item.version += 1;
    this.touch(scope);
  }

  written(event, place) {
    let call = this.find(event, place.scope);
    if (!call) {
      ({ call } = this.newCall(place));
      this.name(call, event.id);
    }
    const content = parsed(event.content);
    call.name = content?.name ?? call.name;
    call.args = content?.args ?? event.content;
    call.kind = event.action?.type ?? "tool";
    call.dependsOn = event.action?.depends_on ?? [];
    call.written = event.timestamp;
    call.item.seq = place.seq;
    call.block ??= place.scope.blocks.place(event, call);
    if (call.state === "writing") call.state = "written";
    call.item.version += 1;
    this.touch(place.scope);
  }

  /** Drops a call that was shown while it was written and cannot be read. */
  dropUnwritten(scope, event) {
    const at = scope.items.findIndex(
      ({ kind, call }) => kind === "call" && call.turn === event.turn && call.written === null && (call.id ?? event.id) === event.id,
    );
    if (at >= 0) scope.items.splice(at, 1);
    this.touch(scope);
  }

  ended(event, place) {
    const { payload = {} } = event;
    const call = this.find(event, place.scope);
    if (!call) {
      // What a block has made goes to the calls after it. Only why it failed is for a person.
      if (place.scope.blocks.ended(event) && !payload.error) return;
      const label = [payload.tool ?? "result", event.id].filter(Boolean).join(" ");
      this.push(place, "note", { label, text: event.content, isBad: payload.error });
      return;
    }
    call.result = { text: event.content, media: mediaOf(event), conversation: this.conversation, ...payload };
    if (!payload.error) call.state = "done";
    else if (call.state !== "denied") call.state = isSkipped(payload) ? "skipped" : "failed";
    call.ended = event.timestamp;
    call.item.version += 1;
    this.touch(place.scope);
  }
}

/** Whether a call never ran, because another one did not succeed or the answer was final. */
function isSkipped({ origin, outcome }) {
  return origin === "framework" && outcome === "skipped";
}

/** Reads JSON that may be none. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The end of what a running call printed that is kept, in characters. */
const OUTPUT = 16 << 10;
