// A window without a browser, in which React renders; requests and streams stay those of node.

import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/" });
const { document, navigator, HTMLElement, HTMLInputElement, HTMLTextAreaElement, Node, Element, MutationObserver, getComputedStyle } = window;
Object.assign(globalThis, { window, document, HTMLElement, HTMLInputElement, HTMLTextAreaElement, Node, Element, MutationObserver });
globalThis.getComputedStyle = getComputedStyle.bind(window);
globalThis.requestAnimationFrame = window.requestAnimationFrame.bind(window);
globalThis.cancelAnimationFrame = window.cancelAnimationFrame.bind(window);
globalThis.ResizeObserver = window.ResizeObserver;
Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
