//! The parsers, grammars and encoders as WebAssembly, for browsers, node and workers.
//!
//! People use the npm package [in the folder `package`]; the README in `clients/js` documents it.
//! The functions here serve only `package/silcrow.js`.
//!
//! ```text
//! silcrow.js ── writes UTF-8 into `input` ──► push(reader, length)
//!     ▲                                          │
//!     └── reads records and texts, which the `board` says where to find ◄──┘
//! ```
//!
//! JavaScript writes into one buffer and reads from another. Both belong to this side, which never
//! accepts an address from JavaScript, so there is no unsafe code and no generated glue. A record
//! is five numbers: the kind of the event, its part, and the start and end of its two texts, in the
//! output or in the chunk. Frequent events have their own kinds of records; the others are JSON.
//!
//! Without the feature `full` the module contains only the parsers and is less than half the size.
//!
//! # What it does not do
//!
//! It runs no agent and does no I/O: `clients/js` talks to an agent that `silcrow serve` runs.
//!
//! [in the folder `package`]: https://github.com/silcrow/silcrow/tree/main/crates/wasm/package

#[cfg(feature = "full")]
mod encoders;
mod exports;
#[cfg(feature = "full")]
mod full;
#[cfg(feature = "full")]
mod full_exports;
mod output;
mod workbench;
