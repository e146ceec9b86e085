// Shows the calls of a run as lanes over time.

import { make, seconds, setChildren, visible } from "./dom.js";
import { callsIn, standing } from "./blocks.js";
import { STATES } from "./call_view.js";
import { start } from "./run_times.js";
import { TimeScale } from "./time_scale.js";

/**
 * Draws a run. `calls` has the calls as they were at the moment that is shown, by their ids. `isOpen` says
 * whether the rows in a block are shown, and `toggle` is called with a block that a person opens or closes.
 */
export function drawTimeline({ names, chart }, times, { cursor, calls, isOpen, toggle }) {
  const width = Math.max(chart.clientWidth, 1);
  const scale = new TimeScale({ begun: times.begun, end: times.end, active: times.activeSpans() }, width);
  const shown = times.rows.filter(({ around }) => around.every(isOpen));
  const rows = shown.slice(-MOST_LANES);
  const left = shown.length - rows.length;
  const labels = rows.map((row) => (row.block ? blockLabel(row, isOpen(row.block), toggle, { calls, cursor }) : label(row, calls?.get(row.id) ?? (calls ? null : row.call))));
  const first = left > 0 ? `model, and ${left} earlier rows that are left out` : "model";
  const focused = names.contains(document.activeElement) ? document.activeElement.dataset.block : undefined;
  setChildren(names, [make("li", {}, make("span", { class: "small" }, first)), ...labels]);
  if (focused !== undefined) [...names.querySelectorAll("button")].find((button) => button.dataset.block === focused)?.focus();
  const height = (rows.length + 1) * LANE + AXIS;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  drawAxis(svg, scale, height, times.begun);
  drawModel(svg, times, scale);
  rows.forEach(({ call, block }, at) => {
    if (call) drawLane(svg, call, (at + 1) * LANE, scale, times);
    else drawBlock(svg, block, (at + 1) * LANE, scale, times, isOpen(block));
  });
  rows.forEach(({ call }, at) => {
    for (const id of call?.dependsOn ?? []) {
      const isIt = (row) => (row.call ?? row.block).id === id && (row.call ?? row.block).turn === call.turn && (row.block || row.call.scope === call.scope);
      const before = rows.findIndex(isIt);
      if (before >= 0) drawArrow(svg, spanOf(rows[before], times), before, call, at, scale, times.end);
    }
  });
  if (cursor !== null) {
    const x = scale.place(cursor);
    svg.append(
      draw("rect", { x, y: 0, width: Math.max(width - x, 0), height: height - AXIS, class: "later" }),
      draw("path", { d: `M ${x} 0 V ${height - AXIS}`, class: "cursor" }));
  }
  chart.replaceChildren(svg);
  return scale;
}

function label({ call, depth }, then) {
  const item = make("li", { class: depth > 0 ? "nested" : null },
    make("span", { class: "tool" }, visible(call.name || "…")), " ",
    make("span", { class: "small" }, then ? described(then) : "not written yet"));
  item.style.paddingInlineStart = `${depth}rem`;
  return item;
}

/** Names a block, or an item of a loop, which opens to the rows in it. */
function blockLabel({ block, depth }, isOpen, toggle, { calls, cursor }) {
  const then = (call) => (calls ? calls.get(call.item.id) ?? null : call);
  const { state, words } = standing(block, then, calls ? cursor : Infinity);
  const name = block.kind === "item" ? visible(block.id) : `${block.kind} ${visible(block.id)}`;
  const button = make("button", {
    type: "button", class: "rows", "aria-expanded": String(isOpen), "data-block": `${block.turn} ${block.id}`, onclick: () => toggle(block),
  }, make("span", { class: "tool" }, name), " ", make("span", { class: "small" }, `${STATES[state] ?? state}, ${words}`));
  const item = make("li", { class: depth > 0 ? "nested" : null }, button);
  item.style.paddingInlineStart = `${depth}rem`;
  return item;
}

/** Returns from when to when something ran. */
function spanOf({ call, block }, { end }) {
  if (call) return call;
  const calls = callsIn(block);
  const ended = calls.map((call) => call.ended ?? end);
  return { begun: block.begun, ended: block.ended ?? (ended.length > 0 ? Math.max(...ended) : null) };
}

/** Draws a block: a frame around all that it takes, and, while it is closed, what runs in it. */
function drawBlock(svg, block, top, scale, times, isOpen) {
  const { begun, ended } = spanOf({ block }, times);
  const { state } = standing(block);
  const isRunning = ["written", "asked", "running"].includes(state) && !times.isOver;
  bar(svg, `rows ${state}`, begun, isRunning ? times.end : ended ?? times.end, top, scale, WIDE);
  if (isOpen) return;
  for (const call of callsIn(block)) {
    const from = start(call);
    bar(svg, call.ended ? call.state : "running", from ?? null, call.ended ?? times.end, top, scale, THIN);
  }
}

function described(call) {
  const begun = start(call);
  const took = call.ended && begun ? `, ${seconds(call.ended - begun)}` : "";
  const after = call.dependsOn.length > 0 ? `, after ${visible(call.dependsOn.join(", "))}` : "";
  return `${visible(call.id ?? "")} ${STATES[call.state] ?? call.state}${took}${after}`;
}

function drawAxis(svg, scale, height, begun) {
  for (const time of scale.marks(64)) {
    const x = scale.place(time);
    svg.append(draw("path", { d: `M ${x} 0 V ${height - AXIS}`, class: "mark" }));
    const isLast = x > scale.width - 40;
    const text = draw("text", { x, y: height - 4, "text-anchor": x < 20 ? "start" : isLast ? "end" : "middle" });
    text.append(clock(time - begun));
    svg.append(text);
  }
  for (const { left, right, from, to } of scale.gaps) {
    svg.append(draw("rect", { x: left, y: 0, width: right - left, height: height - AXIS, class: "gap" }));
    if (right - left < 30) continue;
    const text = draw("text", { x: (left + right) / 2, y: LANE - 9, "text-anchor": "middle" });
    text.append(seconds(to - from));
    svg.append(text);
  }
}

/** Writes a time since the beginning. */
function clock(time) {
  if (time < 120) return `${Number(time.toFixed(2))} s`;
  const [minutes, rest] = [Math.floor(time / 60), Math.round(time % 60)];
  return rest === 0 ? `${minutes} min` : `${minutes}:${String(rest).padStart(2, "0")}`;
}

/** Draws when the model wrote, and where text of the answer came. */
function drawModel(svg, { writing, ticks }, scale) {
  for (const [from, to] of writing) bar(svg, "writing", from, to, 0, scale, THIN);
  const places = new Set(ticks.map((time) => Math.round(scale.place(time))));
  const lines = [...places].map((x) => `M ${Math.min(Math.max(x, 1), scale.width - 1)} 5 V ${LANE - 5}`);
  if (lines.length > 0) svg.append(draw("path", { d: lines.join(" "), class: "tick" }));
}

/** Draws the times in which a call was written, waited, was asked about, and ran. */
function drawLane(svg, call, top, scale, { end, isOver }) {
  const asked = call.approvals.find(({ state }) => state === "asked")?.time;
  const decided = call.approvals.find(({ state }) => state !== "asked")?.time;
  const last = call.ended ?? (isOver ? decided ?? asked ?? call.starts[0] ?? call.written ?? call.begun : end);
  const begun = start(call);
  bar(svg, "writing", call.begun, call.written ?? last, top, scale, THIN);
  bar(svg, "waiting", call.written, asked ?? begun ?? last, top, scale, THIN);
  bar(svg, "asked", asked, decided ?? begun ?? last, top, scale, WIDE);
  bar(svg, "waiting", decided, begun ?? last, top, scale, THIN);
  const state = call.ended ? call.state : "running";
  bar(svg, state, begun ?? (call.ended ? call.ended : null), last, top, scale, WIDE);
  const sign = SIGNS[call.state];
  if (sign && call.ended) {
    const x = scale.place(call.ended);
    const text = draw("text", { x: x > scale.width - 16 ? x - 4 : x + 4, y: top + LANE - 9, class: `sign ${call.state}`, "text-anchor": x > scale.width - 16 ? "end" : "start" });
    text.append(sign);
    svg.append(text);
  }
}

function bar(svg, state, from, to, top, scale, inset) {
  if (!Number.isFinite(from) || !Number.isFinite(to) || to < from) return;
  const [left, right] = [scale.place(from), scale.place(to)];
  const least = state === "waiting" ? 0 : 3;
  const x = Math.min(left, scale.width - least);
  svg.append(draw("rect", { x, y: top + inset, width: Math.max(right - x, least), height: LANE - 2 * inset, rx: 2, class: `bar ${state}` }));
}

function drawArrow(svg, before, from, after, to, scale, end) {
  const x = scale.place(before.ended ?? end);
  const target = Math.min(Math.max(scale.place(start(after) ?? after.ended ?? end), x), scale.width - 4);
  const down = to > from ? -1 : 1;
  const y = (to + 1.5) * LANE + down * 7;
  svg.append(draw("path", { d: `M ${x} ${(from + 1.5) * LANE} L ${target} ${y}`, class: "arrow" }));
  svg.append(draw("path", { d: `M ${target - 4} ${y + down * 6} L ${target} ${y} L ${target + 4} ${y + down * 6}`, class: "arrow" }));
}

function draw(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** What is beside the end of a call, for those who do not see its colour. */
const SIGNS = { failed: "✗", denied: "✗", skipped: "–" };
const LANE = 28;
const AXIS = 20;
const [THIN, WIDE] = [10, 5];
const MOST_LANES = 200;
