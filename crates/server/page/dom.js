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

/** Characters that a screen hides or obeys, which a person who decides has to see. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** Writes hidden characters as their codes. */
export function visible(text) {
  return String(text).replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0).toString(16)}}`);
}

export function seconds(time) {
  if (time >= 600) return `${Math.round(time / 60)} min`;
  return `${time.toFixed(time < 10 ? 1 : 0)} s`;
}

/** Returns the beginning of a text, with a sign if it goes on. */
export function short(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
