//! The parsers, grammars and encoders as WebAssembly, for browsers, node and workers.
//!
//! The package of npm, [in the folder `package`], has the interface that people use; the README in `clients/js` shows it.
//! The functions here are for `package/silcrow.js` alone.
//!
//! ```text
//! silcrow.js ── writes UTF-8 into `input` ──► push(reader, length)
//!     ▲                                          │
//!     └── reads records and texts, which the `board` says where to find ◄──┘
//! ```
//!
//! JavaScript writes into a buffer and reads from another one; both belong to this side, which never takes
//! an address from JavaScript. So there is no unsafe code, and no generated glue. A record is
//! five numbers: the kind of the event, its part, and where its two texts begin and end in the output, or in
//! the chunk that was read. Frequent kinds of events have records of their own; the others are JSON.
//!
//! Without the feature `full` the module has the parsers alone, and less than half of the size.
//!
//! # What it does not do
//!
//! It runs no agent, and does no I/O: `clients/js` talks to an agent that `silcrow serve` runs.
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
