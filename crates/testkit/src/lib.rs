//! Cuts texts, generates wire text and turns, and has a slow reference for the parser; for tests
//! only.
//!
//! ```
//! let pieces = silcrow_testkit::by_bytes("a§b", 2);
//! assert_eq!(pieces, [b"a\xc2", b"\xa7b"]);
//! ```
//!
//! [`oracle`] parses a whole wire text directly by the clauses of the protocol, [`wire_text`] and
//! [`turn`] generate input, and [`Joined`] makes fragments comparable for different cuts of the
//! input. [`run_seed`] decides the moments of kills and faults. [`serve_mcp`] is a server with tools that dies and freezes when it is asked to.
//! [`store_methods`] writes the methods of a store that passes them on.
//!
//! This crate uses the event types, but neither the lexer nor the parser, because it judges them.
//! It is not published.

mod actions;
mod blocks;
mod cut;
mod errors;
mod joined;
mod mcp_server;
mod oracle;
mod pdf;
mod pieces;
#[cfg(unix)]
mod postgres;
mod run_seed;
mod store_methods;
mod turn;
mod wire;

pub use actions::action_turn;
pub use cut::{by_bytes, by_chars, cuts, random_bytes, random_chars, seed};
pub use errors::check_sources;
pub use joined::{Joined, Unit, WrittenBody};
pub use mcp_server::serve_mcp;
pub use oracle::{Form, oracle, pending};
pub use pdf::pdf;
#[cfg(unix)]
pub use postgres::PostgresServer;
pub use run_seed::{run_seed, run_seeds, try_run_seed};
pub use turn::{action_turn_from, turn_from};
pub use wire::{action_text, args, content, turn, wire_text};
