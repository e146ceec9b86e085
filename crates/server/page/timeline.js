// Shows the calls of a run as lanes over time, and what was saved because they overlapped.

import { make, seconds, visible } from "./dom.js";
import { STATES } from "./transcript.js";

/** Draws the last run of a record into an element. Returns the seconds that were saved. */
export function drawTimeline(element, record, now) {
  const from = record.items.findLastIndex((item) => item.kind === "user" && !item.steer);
  const items = record.items.slice(Math.max(from, 0));
  const lanes = laneList(items, 0);
  const texts = items.filter((item) => item.kind === "respond" && !item.isMalformed);
  const begun = items[0]?.time;
  if (begun === undefined || lanes.length === 0) {
    element.replaceChildren();
    return 0;
  }
  const ticks = texts.flatMap((item) => item.ticks);
  const isOver = record.outcome !== null || lanes.every(({ call }) => call.ended !== null);
  const known = lanes.flatMap(({ call }) => [call.written, call.ended, ...call.starts]);
  const last = Math.max(...known.filter((time) => time !== null), ...ticks, isOver ? 0 : now);
  const scale = (time) => (WIDTH * (time - begun)) / Math.max(last - begun, 0.001);
  const height = (lanes.length + 1) * LANE;
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true", height });
  for (const time of ticks) svg.append(draw("path", { d: `M ${scale(time)} 4 V ${LANE - 4}`, class: "tick" }));
  lanes.forEach(({ call }, at) => drawLane(svg, call, (at + 1) * LANE, scale, isOver ? null : last));
  for (const [at, { call }] of lanes.entries()) {
    for (const id of call.dependsOn) {
      const before = lanes.findIndex((lane) => lane.call.id === id && lane.call.scope === call.scope && lane.call.turn === call.turn);
      if (before >= 0) drawArrow(svg, lanes[before].call, before, call, at, scale, last);
    }
  }
  const labels = lanes.map(({ call, depth }) => {
    const label = make("li", { class: depth > 0 ? "nested" : null },
      make("span", { class: "tool" }, visible(call.name)), " ",
      make("span", { class: "small" }, described(call)));
    label.style.paddingInlineStart = `${depth}rem`;
    return label;
  });
  const names = make("ol", {}, make("li", {}, make("span", { class: "small" }, "text of the answer")), ...labels);
  const chart = make("div", { class: "chart" }, svg, make("p", { class: "small" }, `0 – ${seconds(last - begun)}`));
  element.replaceChildren(names, chart);
  return saved(items, lanes, last);
}

/** Lists calls, each before those that its agent makes. */
function laneList(items, depth) {
  return items.filter((item) => item.kind === "call").flatMap(({ call }) => [{ call, depth }, ...laneList(call.items, depth + 1)]);
}

function described(call) {
  const begun = call.starts[0] ?? call.written;
  const took = call.ended && begun ? `, ${seconds(call.ended - begun)}` : "";
  const after = call.dependsOn.length > 0 ? `, after ${call.dependsOn.join(", ")}` : "";
  return `${visible(call.id ?? "")} ${STATES[call.state] ?? call.state}${took}${after}`;
}

/** Draws the times in which a call was written, waited, was asked about, and ran. */
function drawLane(svg, call, top, scale, last) {
  const asked = call.approvals.find(({ state }) => state === "asked")?.time;
  const decided = call.approvals.find(({ state }) => state !== "asked")?.time;
  const end = call.ended ?? last ?? call.written ?? call.begun;
  // The log does not have the start of a call, so an old one runs from when it could.
  const start = call.starts[0] ?? (call.ended ? decided ?? asked ?? call.written : null);
  const bars = [
    ["writing", call.begun, call.written ?? end],
    ["waiting", call.written, asked ?? start ?? end],
    ["asked", asked, decided ?? start ?? end],
    ["waiting", decided, start ?? end],
    [call.ended ? call.state : "running", start, end],
  ];
  for (const [state, from, to] of bars) {
    if (from === null || from === undefined || to < from) continue;
    const width = Math.max(scale(to) - scale(from), state === "waiting" ? 0 : 2);
    const isThin = state === "waiting" || state === "writing";
    const inset = isThin ? 9 : 5;
    svg.append(draw("rect", { x: scale(from), y: top + inset, width, height: LANE - 2 * inset, class: `bar ${state}` }));
  }
}

function drawArrow(svg, before, from, after, to, scale, last) {
  const x = scale(before.ended ?? last);
  const target = Math.max(scale(after.starts[0] ?? after.ended ?? last), x);
  const down = to > from ? -1 : 1;
  const y = (to + 1.5) * LANE + down * 7;
  svg.append(draw("path", { d: `M ${x} ${(from + 1.5) * LANE} L ${target} ${y}`, class: "arrow" }));
  svg.append(draw("path", { d: `M ${target - 4} ${y + down * 6} L ${target} ${y} L ${target + 4} ${y + down * 6}`, class: "arrow" }));
}

/** Returns the time by which all parts one after the other would have taken longer. */
function saved(items, lanes, last) {
  const spans = lanes
    .filter(({ call }) => call.items.length === 0)
    .map(({ call }) => [call.starts[0] ?? call.written, call.ended ?? last])
    .filter(([from, to]) => from !== null && to > from);
  for (const turn of new Set(items.map((item) => item.turn))) {
    const written = items.filter((item) => item.turn === turn).flatMap((item) => [item.call?.begun, item.call?.written, ...(item.ticks ?? [])]);
    const times = written.filter((time) => time !== null && time !== undefined);
    if (times.length > 1) spans.push([Math.min(...times), Math.max(...times)]);
  }
  spans.sort(([one], [other]) => one - other);
  let [alone, together, until] = [0, 0, 0];
  for (const [from, to] of spans) {
    alone += to - from;
    together += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return alone - together;
}

function draw(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const WIDTH = 1000;
const LANE = 28;
