// Colours the words of code: comments, texts, numbers and keywords, in the languages that models write most.

import { make } from "./dom.js";

/** Returns the nodes of code in a language; the code itself if the language is not known. */
export function coloured(code, language) {
  const { comment, words, isLoud } = LANGUAGES.get(language.toLowerCase()) ?? {};
  if (!comment || code.length > MOST_COLOURED) return [code];
  const nodes = [];
  let at = 0;
  const parts = new RegExp(`(${comment})|(${TEXTS})|(\\b\\d[\\w.]*)|([A-Za-z_][\\w-]*)`, "gm");
  for (const found of code.matchAll(parts)) {
    const [all, note, text, number, word] = found;
    const isKeyword = word !== undefined && words.has(isLoud ? word.toLowerCase() : word);
    const kind = note !== undefined ? "note" : text !== undefined ? "text" : number !== undefined ? "number" : isKeyword ? "word" : null;
    if (kind === null) continue;
    if (found.index > at) nodes.push(code.slice(at, found.index));
    nodes.push(make("span", { class: `code-${kind}` }, all));
    at = found.index + all.length;
  }
  if (at < code.length) nodes.push(code.slice(at));
  return nodes;
}

// Lengths are bounded, because a mark that is never closed is looked for from each beginning.
const TEXTS = String.raw`"(?:[^"\\\n]|\\.){0,2000}"|'(?:[^'\\\n]|\\.){0,2000}'|${"`"}(?:[^${"`"}\\]|\\[^]){0,5000}${"`"}`;
const HASH = "#.*$";
const SLASHES = String.raw`\/\/.*$|\/\*[^]{0,5000}?\*\/`;
const DASHES = "--.*$";

const LANGUAGES = new Map();

/** Adds a language under all its names. */
function add(names, comment, words, isLoud = false) {
  const language = { comment, words: new Set(words.split(" ")), isLoud };
  for (const name of names.split(" ")) LANGUAGES.set(name, language);
}

add("rust rs", SLASHES, "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while");
add("js javascript jsx mjs ts typescript tsx", SLASHES, "abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private public readonly return set static super switch this throw true try type typeof undefined var void while yield");
add("python py", `${HASH}|"""[^]{0,5000}?"""`, "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield");
add("go", SLASHES, "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var");
add("c h cpp c++ cc hpp cs csharp java kotlin kt swift scala dart php", SLASHES, "abstract auto bool boolean break case catch char class const continue data default delete do double else enum extends extern false final finally float for fun func function goto if implements import in include inline int interface internal is let long namespace new null nullptr object override package private protected public return short signed sizeof static struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when while");
add("sh bash shell zsh console", HASH, "case do done elif else esac export fi for function if in local return set then unset until while");
add("json jsonc", SLASHES, "true false null");
add("toml yaml yml ini dockerfile make makefile ruby rb perl r", HASH, "and begin case class def do else elsif end ensure false for if in module next nil not null or rescue return self sub then true unless until use when while yield ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR");
add("sql", `${DASHES}|${SLASHES}`, "add all alter and as asc between by case create delete desc distinct drop else end exists foreign from full group having in index inner insert into is join key left like limit not null offset on or order outer primary references returning right select set table then union unique update values view when where with", true);
add("lua haskell hs", DASHES, "and break case class data do else elseif end false for function if import in instance let local module nil not of or repeat return then true type until where while");
add("css scss", String.raw`\/\*[^]{0,5000}?\*\/`, "important media supports import from to");

/** The characters of code up to which it is coloured. */
const MOST_COLOURED = 30_000;
