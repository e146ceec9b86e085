// Shows what changes in files: the lines that go, those that come, and those around them.

import { make, visible } from "./dom.js";

/** Shows the difference that a question has: the hunks of each file. */
export function differenceNodes({ files }) {
  return files.map(({ path, hunks }) => figure(path, numbered(hunks)));
}

/** Shows the hunks of a file whose name stands above them. */
export function hunksNode({ path, hunks }) {
  const element = figure(path, numbered(hunks));
  element.querySelector("figcaption").remove();
  return element;
}

/** Shows arguments that replace one text by another. Other arguments give no nodes. */
export function editNodes(args) {
  const edits = Array.isArray(args?.edits) ? args.edits : [args];
  const pairs = edits.filter((edit) => typeof edit?.old === "string" && typeof edit?.new === "string");
  if (pairs.length === 0) return [];
  const lines = pairs.flatMap((edit) => [...marked("-", edit.old), ...marked("+", edit.new)]);
  return [figure(null, lines)];
}

function marked(mark, text) {
  return text.split("\n").map((line) => ({ mark, text: line }));
}

/** Reads the lines of hunks, with their numbers. */
function numbered(hunks) {
  let [old, next] = [0, 0];
  return hunks.replace(/\n$/, "").split("\n").map((line) => {
    const begins = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (begins) {
      [old, next] = [Number(begins[1]), Number(begins[2])];
      return { mark: "@", text: line };
    }
    const mark = line[0] ?? " ";
    const number = mark === "-" ? old : next;
    if (mark !== "+" && mark !== "\\") old += 1;
    if (mark !== "-" && mark !== "\\") next += 1;
    return { mark, number: mark === "\\" ? null : number, text: line.slice(1) };
  });
}

function figure(path, lines) {
  const count = (sign) => lines.filter(({ mark }) => mark === sign).length;
  const counts = make("span", { class: "small" },
    make("ins", {}, `+${count("+")}`), " ", make("del", {}, `−${count("-")}`), " lines");
  const rows = lines.map(({ mark, number, text }) => {
    const tag = { "+": "ins", "-": "del" }[mark] ?? "span";
    // What is copied has the lines, and neither numbers nor marks.
    const row = make(tag, { class: mark === "@" ? "hunk" : null, "data-number": number ?? "", "data-mark": mark.trim() });
    row.append(mark === "@" ? visible(text) : `${visible(text)}\n`);
    return row;
  });
  const label = path === null ? "Change" : `Change of ${visible(path)}`;
  return make("figure", { class: "diff" },
    make("figcaption", {}, path === null ? null : make("code", {}, visible(path)), path === null ? null : " ", counts),
    make("pre", { tabindex: "0", role: "group", "aria-label": label }, ...rows));
}
