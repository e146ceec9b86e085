// Shows Markdown by nodes. It knows the blocks and marks that models write, and no HTML.

import { make } from "./dom.js";

/** Returns the nodes of a text. */
export function markdown(text) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])( +|$)/;
const MOST_NESTED = 12;

function blocks(lines, depth) {
  if (depth > MOST_NESTED) return [make("p", {}, lines.join("\n"))];
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const found = fence(lines, at) ?? heading(lines, at) ?? quote(lines, at, depth) ??
      list(lines, at, depth) ?? table(lines, at);
    if (found) {
      nodes.push(found.node);
      at = found.end;
      continue;
    }
    const from = at;
    do at += 1;
    while (at < lines.length && lines[at].trim() !== "" && !begins(lines, at));
    nodes.push(make("p", {}, ...inline(lines.slice(from, at).join("\n"), 0)));
  }
  return nodes;
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
  const code = make("code", {}, lines.slice(at + 1, end).join("\n"));
  return { node: make("pre", { tabindex: "0" }, code), end: end + 1 };
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
  const level = Math.min(found[1].length + 3, 6);
  return { node: make(`h${level}`, {}, ...inline(found[2], 0)), end: at + 1 };
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  if (end === at) return null;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { node: make("blockquote", {}, ...blocks(inner, depth + 1)), end };
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
    const inner = [lines[end].slice(item[0].length)];
    end += 1;
    while (end < lines.length && belongs(lines, end, item[1].length)) {
      inner.push(lines[end].replace(new RegExp(`^ {0,${item[0].length}}`), ""));
      end += 1;
    }
    const children = blocks(inner, depth + 1);
    const isTight = children[0]?.tagName === "P";
    node.append(make("li", {}, ...(isTight ? [...children[0].childNodes, ...children.slice(1)] : children)));
  }
  return { node, end };
}

function belongs(lines, at, indent) {
  const isIndented = (line) => line !== undefined && /^ */.exec(line)[0].length > indent;
  if (lines[at].trim() === "") return lines[at + 1]?.trim() !== "" && isIndented(lines[at + 1]);
  return isIndented(lines[at]) || (!begins(lines, at) && lines[at - 1].trim() !== "");
}

function table(lines, at) {
  const isRule = /^ *\|?( *:?-+:? *\|)+ *:?-*:? *$/.test(lines[at + 1] ?? "");
  if (!lines[at].includes("|") || !isRule) return null;
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const row = (line, tag) => make("tr", {}, ...cells(line).map((cell) => make(tag, {}, ...inline(cell, 0))));
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  const node = make("table", {}, make("thead", {}, row(lines[at], "th")), make("tbody", {}, ...body));
  return { node: make("div", { class: "wide", tabindex: "0" }, node), end };
}

const MARKS = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\*\*(?=\S)([\s\S]*?\S)\*\*|(?<![\w*])[*_](?=[^\s*_])([^*_\n]*[^\s*_])[*_](?![\w*])|~~(?=\S)([^~\n]*\S)~~|\[([^\]\n]+)\]\(([^\s()]+)\)|(https?:\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?])|\\([!-/:-@[-`{-~])/g;

/** Returns the nodes of text with marks. */
function inline(text, depth) {
  if (depth > MOST_NESTED) return [text];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(MARKS)) {
    const [all, , code, bold, emphasis, struck, label, target, address, escaped] = found;
    if (found.index > at) nodes.push(text.slice(at, found.index));
    at = found.index + all.length;
    if (code !== undefined) nodes.push(make("code", {}, code));
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
