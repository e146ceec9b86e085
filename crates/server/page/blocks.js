// The rows of control blocks: each block, and each item of a loop, with the calls in it.
//
// It reads the events of a turn as `BlockTracker` of silcrow-event does.

/** The blocks of the turns of one log. */
export class BlockRows {
  constructor() {
    /** All rows, in the order in which they began. */
    this.rows = [];
    this.begin(null);
  }

  begin(turn) {
    this.turn = turn;
    /** The blocks that are being written, the outermost first, each with whether it is a loop or in one. */
    this.written = [];
    this.loops = [];
    this.known = new Map();
  }

  /** Takes a part of a block. */
  mark({ part, id, block, turn, timestamp }) {
    if (turn !== this.turn) this.begin(turn);
    if (part === "begin" && block !== "value") {
      const outer = this.written.at(-1);
      const isLoop = block === "foreach";
      if (isLoop) this.loops.push(id);
      if (!outer?.isInside) this.row(id, block, this.known.get(outer?.id) ?? null, timestamp);
      this.written.push({ id, isInside: isLoop || outer?.isInside === true });
    } else if (part === "end") {
      while (this.written.length > 0) {
        const ended = this.written.pop().id;
        const row = this.known.get(ended);
        if (row) row.isComplete = true;
        if (ended === id) break;
      }
    }
  }

  /** Puts a call into the row that it belongs to, and returns that; `null` if it is in none. */
  place({ id, instance, action, turn, timestamp }, call) {
    if (turn !== this.turn) this.begin(turn);
    let row = null;
    if (instance) row = this.item(id, timestamp);
    else if (!action?.undoes) row = this.known.get(this.written.at(-1)?.id) ?? null;
    row?.calls.push(call);
    return row;
  }

  /** Takes the result of a block, and returns its row; `null` if it is the result of something else. */
  ended({ id, content, payload = {}, turn, timestamp }) {
    const row = turn === this.turn ? this.known.get(id) : null;
    if (!row) return null;
    Object.assign(row, { ended: timestamp, result: { text: content, ...payload } });
    return row;
  }

  /** Returns the row of the item that a call is for, and makes those around it, from the outermost. */
  item(call, time) {
    let [row, at] = [null, 0];
    for (;;) {
      const rest = call.slice(at);
      const found = this.loops
        .filter((id) => rest.startsWith(`${id}[`))
        .map((id) => [id, /^\[\d+\](?=\.)/.exec(rest.slice(id.length))?.[0]])
        .find(([, number]) => number !== undefined);
      if (!found) return row;
      const [id, number] = found;
      const loop = call.slice(0, at + id.length);
      row = this.known.get(loop) ?? this.row(loop, "foreach", row, time);
      at += id.length + number.length;
      row = this.known.get(call.slice(0, at)) ?? this.row(call.slice(0, at), "item", row, time);
      at += 1;
    }
  }

  row(id, kind, parent, begun) {
    const row = { id, kind, parent, turn: this.turn, begun, ended: null, result: null, isComplete: false, calls: [], rows: [] };
    (parent?.rows ?? this.rows).push(row);
    this.known.set(id, row);
    return row;
  }
}

/** Returns all calls of a row and of the rows in it. */
export function callsIn(row) {
  return [...row.calls, ...row.rows.flatMap(callsIn)];
}

/**
 * Returns how a row stands at a time, and in a few words how far it is. `then` returns a call as it was at that
 * time, and `null` if it was not written.
 */
export function standing(row, then = (call) => call, time = Infinity) {
  const calls = callsIn(row).map(then).filter((call) => call !== null);
  const count = (...states) => calls.filter(({ state }) => states.includes(state)).length;
  const failed = count("failed", "denied");
  const words = row.kind === "foreach" ? itemWords(row, then) : callWords(calls);
  const isOver = row.ended !== null && row.ended <= time;
  return { state: isOver ? ended(row.result) : state(calls, count, failed), words: failed > 0 ? `${words}, ${failed} failed` : words };
}

function ended({ error, outcome }) {
  if (!error) return "done";
  return outcome === "skipped" ? "skipped" : "failed";
}

function state(calls, count, failed) {
  if (count("asked") > 0) return "asked";
  if (count("running") > 0) return "running";
  if (calls.length === 0 || count("writing", "written", "allowed") > 0) return "written";
  if (count("skipped") === calls.length) return "skipped";
  if (failed > 0) return "failed";
  return count("unfinished") > 0 ? "unfinished" : "done";
}

function itemWords(row, then) {
  const items = row.rows.map((item) => callsIn(item).map(then).filter((call) => call !== null));
  const begun = items.filter((calls) => calls.length > 0);
  const over = begun.filter((calls) => calls.every(({ ended }) => ended !== null)).length;
  return `${over} of ${begun.length} ${begun.length === 1 ? "item" : "items"}`;
}

function callWords(calls) {
  const over = calls.filter(({ ended }) => ended !== null).length;
  return `${over} of ${calls.length} ${calls.length === 1 ? "call" : "calls"}`;
}
