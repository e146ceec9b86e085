// The times of one run: when the model wrote, when calls ran, and what was saved because they overlapped.

/** A run of a record, which begins with a prompt. */
export class RunTimes {
  /** `now` is the time up to which a run at work has come, and `null` for one that is over. */
  constructor(record, run, now) {
    const prompts = record.items.flatMap((item, at) => (item.kind === "user" && !item.steer ? [at] : []));
    this.items = record.items.slice(prompts[run] ?? 0, prompts[run + 1]);
    this.begun = this.items[0]?.time ?? 0;
    this.lanes = laneList(this.items, 0);
    this.rows = rowList(this.items, 0);
    this.ticks = this.items.flatMap((item) => (item.kind === "respond" && !item.isMalformed ? item.ticks : []));
    this.isOver = now === null;
    const calls = this.lanes.flatMap(({ call }) => [call.begun, call.written, call.ended, ...call.starts, ...call.approvals.map(({ time }) => time)]);
    const texts = this.items.flatMap((item) => [item.time, ...(item.ticks ?? [])]);
    this.points = [...calls, ...texts, now].filter((time) => Number.isFinite(time));
    this.end = this.points.reduce((one, other) => Math.max(one, other), this.begun);
    this.writing = this.writingSpans();
    this.running = this.lanes.map(({ call }) => [start(call), call.ended ?? (call.state === "running" ? this.end : null)]);
  }

  /** Returns for each turn when the model wrote. */
  writingSpans() {
    const turns = new Map();
    for (const { turn, kind, time, call, ticks } of this.items) {
      if (!["think", "respond", "call"].includes(kind)) continue;
      for (const point of call ? [call.begun, call.written] : [time, ...ticks]) {
        if (!Number.isFinite(point)) continue;
        const [from, to] = turns.get(turn) ?? [point, point];
        turns.set(turn, [Math.min(from, point), Math.max(to, point)]);
      }
    }
    return [...turns.values()];
  }

  /** Returns the time by which everything one after the other would have taken longer. */
  get saved() {
    const calls = this.running.filter((_, at) => this.lanes[at].call.items.length === 0);
    const spans = merged([...calls, ...this.writing]);
    return spans.alone - spans.together;
  }

  /** Returns the spans in which something happened, without the times in which all of it waited. */
  activeSpans() {
    const points = this.points.map((time) => [time - 0.25, time + 0.25]);
    return merged([...this.running, ...this.writing, ...points, [this.begun, this.begun]]).spans;
  }
}

/**
 * Lists what the timeline shows, each row before those in it: calls, and blocks with the calls in them.
 * `around` has the rows of blocks around one.
 */
function rowList(items, depth, around = []) {
  const seen = new Set();
  const ofCall = ({ id, call }, depth, around) =>
    [{ id, call, depth, around }, ...rowList(call.items, depth + 1, around)];
  const ids = new Map(items.flatMap((item) => (item.kind === "call" ? [[item.call, item]] : [])));
  const ofBlock = (block, depth, around) => {
    const inside = [...around, block];
    const calls = block.calls.filter((call) => ids.has(call));
    return [{ block, depth, around },
      ...calls.flatMap((call) => ofCall(ids.get(call), depth + 1, inside)),
      ...block.rows.flatMap((row) => ofBlock(row, depth + 1, inside))];
  };
  return items.filter((item) => item.kind === "call").flatMap((item) => {
    let block = item.call.block;
    if (!block) return ofCall(item, depth, around);
    while (block.parent) block = block.parent;
    if (seen.has(block)) return [];
    seen.add(block);
    return ofBlock(block, depth, around);
  });
}

/** Lists calls, each before those that its agent makes. */
function laneList(items, depth) {
  return items.filter((item) => item.kind === "call").flatMap(({ id, call }) => [{ id, call, depth }, ...laneList(call.items, depth + 1)]);
}

/** Returns when a call began to run. The log does not have it, so an old one runs from when it could. */
export function start(call) {
  if (call.starts.length > 0) return call.starts[0];
  return call.ended === null || ["denied", "skipped"].includes(call.state) ? null : call.approvals.at(-1)?.time ?? call.written;
}

/** Joins spans that overlap, and sums them up. */
function merged(all) {
  const known = all.filter(([from, to]) => Number.isFinite(from) && Number.isFinite(to) && to >= from);
  known.sort(([one], [other]) => one - other);
  const spans = [];
  let alone = 0;
  for (const [from, to] of known) {
    alone += to - from;
    const last = spans.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else spans.push([from, to]);
  }
  return { spans, alone, together: spans.reduce((sum, [from, to]) => sum + to - from, 0) };
}
