// Makes elements. Texts only ever become text nodes, so nothing that is shown can run.

/** Makes an element with attributes, and with children that are nodes or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/**
 * Calls a function soon, once for all wishes until then. What takes long is called less often, so a
 * person can always use the page.
 */
export function soon(act, delay = 30) {
  let timer = null;
  let took = 0;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      const begun = performance.now();
      act();
      took = performance.now() - begun;
    }, Math.max(delay, 3 * took));
  };
}

/** Calls a function once nobody has wished for it for a while. */
export function once(act, delay) {
  let timer = null;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, delay);
  };
}

/** Makes children the only ones of an element, and leaves alone those that are where they belong. */
export function setChildren(element, children) {
  const kept = new Set(children);
  for (const child of [...element.childNodes]) if (!kept.has(child)) child.remove();
  let at = element.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else element.insertBefore(child, at);
  }
}

/**
 * Characters that a screen hides or obeys, which a person who decides has to see: those of
 * silcrow-sanitize, except for tab and line break. A test compares them.
 */
const HIDDEN = /[\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{34f}\u{61c}\u{115f}-\u{1160}\u{17b4}-\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{2800}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{fff0}-\u{fffb}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Writes hidden characters as their codes. */
export function visible(text) {
  return String(text).replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0).toString(16)}}`);
}

/** Blanks other than the usual one, which do not end a word of a command. */
const OTHER_BLANKS = /[\t\u{a0}\u{1680}\u{2000}-\u{200a}\u{202f}\u{205f}\u{3000}]/gu;

/** Writes hidden characters, and blanks other than the usual one, as their codes. */
export function exact(text) {
  return visible(text).replace(OTHER_BLANKS, (blank) => `\\u{${blank.codePointAt(0).toString(16)}}`);
}

export function seconds(time) {
  if (time >= 600) return `${Math.round(time / 60)} min`;
  return `${time.toFixed(time < 10 ? 1 : 0)} s`;
}

/** Returns the beginning of a text, with a sign if it goes on. */
export function short(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
