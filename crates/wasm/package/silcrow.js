/**
 * The parsers of silcrow, for browsers, node and workers.
 *
 * `load` reads the WebAssembly beside this file once; everything after it is synchronous. The types are in
 * `silcrow.d.ts`.
 */

import { Parsers, loader } from "./core.js";

export const load = loader(() => new URL("./silcrow.wasm", import.meta.url), Parsers);
