// Shows Markdown by nodes. It knows the blocks and marks that models write, and no HTML.

import { coloured } from "./colours.js";
import { copyButton } from "./copy_button.js";
import { make } from "./dom.js";
import { formula } from "./math.js";

/** Returns the blocks of a text: the node of each, and where it begins in the text. */
export function markdownBlocks(text) {
  const lines = text.split("\n");
  const begins = [0];
  for (const line of lines) begins.push(begins.at(-1) + line.length + 1);
  return blocks(lines.map((line) => line.replace(/\r$/, "")), 0).map(({ node, at }) => ({ node, begin: begins[at] }));
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])( +|$)/;
const TASK = /^\[([ xX])\] /;
const TASK_LENGTH = 4;
const MOST_NESTED = 12;
/** The characters of a paragraph up to which marks in it are looked for. */
const MOST_MARKED = 50_000;

function blocks(lines, depth) {
  if (depth > MOST_NESTED) return [{ node: make("p", {}, lines.join("\n")), at: 0 }];
  const found = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const { node, end } = fence(lines, at) ?? heading(lines, at) ?? quote(lines, at, depth) ??
      list(lines, at, depth) ?? table(lines, at) ?? paragraph(lines, at);
    found.push({ node, at });
    at = end;
  }
  return found;
}

const nodes = (lines, depth) => blocks(lines, depth).map(({ node }) => node);

function paragraph(lines, at) {
  let end = at;
  do end += 1;
  while (end < lines.length && lines[end].trim() !== "" && !begins(lines, end));
  return { node: make("p", { dir: "auto" }, ...inline(lines.slice(at, end).join("\n"), 0)), end };
}

function begins(lines, at) {
  const line = lines[at];
  return FENCE.test(line) || /^ {0,3}(#{1,6} |>)/.test(line) || ITEM.test(line);
}

function fence(lines, at) {
  const open = FENCE.exec(lines[at]);
  if (!open) return null;
  let end = at + 1;
  while (end < lines.length && !closes(lines[end], open[1])) end += 1;
  const code = make("code", {}, ...coloured(lines.slice(at + 1, end).join("\n"), open[2]));
  const label = open[2] ? `Code: ${open[2]}` : "Code";
  const pre = make("pre", { tabindex: "0", dir: "ltr", role: "group", "aria-label": label }, code);
  const copy = copyButton("Copy the code", () => code.textContent);
  const head = make("figcaption", {}, make("span", {}, open[2] ?? ""), copy);
  return { node: make("figure", { class: "code" }, head, pre), end: Math.min(end + 1, lines.length) };
}

function closes(line, mark) {
  const text = line.trim();
  return text.length >= mark.length && text === mark[0].repeat(text.length);
}

function heading(lines, at) {
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(lines[at])) return { node: make("hr"), end: at + 1 };
  const found = /^ {0,3}(#{1,6}) +(.*?)#* *$/.exec(lines[at]);
  if (!found) return null;
  // The headings of the page itself come before those of a text.
  const level = Math.min(found[1].length + 2, 6);
  return { node: make(`h${level}`, { dir: "auto" }, ...inline(found[2], 0)), end: at + 1 };
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  if (end === at) return null;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { node: make("blockquote", { dir: "auto" }, ...nodes(inner, depth + 1)), end };
}

function list(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const isOrdered = /\d/.test(first[2]);
  const number = Number.parseInt(first[2], 10);
  const node = make(isOrdered ? "ol" : "ul", { start: isOrdered && number !== 1 ? number : null });
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length !== first[1].length || /\d/.test(item[2]) !== isOrdered) break;
    const [, task] = TASK.exec(lines[end].slice(item[0].length)) ?? [];
    const inner = [lines[end].slice(item[0].length + (task === undefined ? 0 : TASK_LENGTH))];
    end += 1;
    while (end < lines.length && belongs(lines, end, item[1].length)) {
      inner.push(lines[end].replace(new RegExp(`^ {0,${item[0].length}}`), ""));
      end += 1;
    }
    const children = nodes(inner, depth + 1);
    const isTight = children[0]?.tagName === "P";
    const box = task === undefined ? null : taskBox(task !== " ");
    node.append(make("li", { dir: "auto", class: box ? "task" : null }, box, ...(isTight ? [...children[0].childNodes, ...children.slice(1)] : children)));
  }
  return { node, end };
}

/** Makes the box of a task, which shows whether it is done. */
function taskBox(isDone) {
  return make("input", { type: "checkbox", disabled: true, checked: isDone, "aria-label": isDone ? "Done" : "To do" });
}

function belongs(lines, at, indent) {
  const isIndented = (line) => line !== undefined && /^ */.exec(line)[0].length > indent;
  if (lines[at].trim() === "") return lines[at + 1]?.trim() !== "" && isIndented(lines[at + 1]);
  return isIndented(lines[at]) || (!begins(lines, at) && lines[at - 1].trim() !== "");
}

function table(lines, at) {
  if (!lines[at].includes("|") || !isRule(lines[at + 1] ?? "")) return null;
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const row = (line, tag) => make("tr", {}, ...cells(line).map((cell) => make(tag, {}, ...inline(cell, 0))));
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  const node = make("table", {}, make("thead", {}, row(lines[at], "th")), make("tbody", {}, ...body));
  return { node: make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" }, node), end };
}

/** Whether a line has nothing but the dashes, colons and bars below the head of a table. */
function isRule(line) {
  return line.includes("-") && line.includes("|") && /^[ |:-]+$/.test(line) && line.length < 1_000;
}

// The lengths are bounded, because a mark that is never closed is looked for from each beginning.
const MARKS = /\$\$([^$]{1,500})\$\$|\\\[([^]{1,500}?)\\\]|\\\(([^]{1,500}?)\\\)|(?<![\w$])\$(?=[^\s$])([^$\n]{0,300}[^\s$\\])\$(?![\w$])|(`+)([^`]|[^`][\s\S]{0,500}?[^`])\5(?!`)|\*\*(?=\S)([\s\S]{0,500}?\S)\*\*|(?<![\w*])[*_](?=[^\s*_])([^*_\n]{0,500}[^\s*_])[*_](?![\w*])|~~(?=\S)([^~\n]{0,500}\S)~~|\[([^\]\n]{1,500})\]\(([^\s()]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?])|\\([!-/:-@[-`{-~])/g;

/** Returns the nodes of text with marks. */
function inline(text, depth) {
  if (depth > MOST_NESTED || text.length > MOST_MARKED) return [text];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(MARKS)) {
    const [all, wide, wideToo, inLine, inLineToo, , code, bold, emphasis, struck, label, target, address, escaped] = found;
    const maths = wide ?? wideToo ?? inLine ?? inLineToo;
    if (found.index > at) nodes.push(text.slice(at, found.index));
    at = found.index + all.length;
    if (maths !== undefined) nodes.push(formula(maths, wide !== undefined || wideToo !== undefined) ?? make("code", {}, all));
    else if (code !== undefined) nodes.push(make("code", {}, code));
    else if (bold !== undefined) nodes.push(make("strong", {}, ...inline(bold, depth + 1)));
    else if (emphasis !== undefined) nodes.push(make("em", {}, ...inline(emphasis, depth + 1)));
    else if (struck !== undefined) nodes.push(make("s", {}, ...inline(struck, depth + 1)));
    else if (address !== undefined) nodes.push(link(address, [address]) ?? address);
    else if (escaped !== undefined) nodes.push(escaped);
    else nodes.push(link(target, [label]) ?? all);
  }
  if (at < text.length) nodes.push(text.slice(at));
  return nodes;
}

/** Makes a link to another page; `null` for an address that is none. */
function link(address, children) {
  if (!/^(https?:\/\/|mailto:)/i.test(address)) return null;
  // The address is shown, because the text of a link may say another one.
  return make("a", { href: address, title: address, target: "_blank", rel: "noopener noreferrer" }, ...children);
}
