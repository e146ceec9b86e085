//! For tests only: ways of cutting a text, and generators of wire text and of turns.
//!
//! ```
//! let pieces = silcrow_testkit::by_bytes("a§b", 2);
//! assert_eq!(pieces, [b"a\xc2", b"\xa7b"]);
//! ```
//!
//! It knows the words of `silcrow-event` and no wire: what it generates is text that looks like
//! it. It is not published.

mod actions;
mod cut;
mod joined;
mod oracle;
mod pieces;
mod turn;
mod wire;

pub use actions::action_turn;
pub use cut::{by_bytes, by_chars, cuts, random_bytes, random_chars, seed};
pub use joined::{Body, Joined, Unit};
pub use oracle::{Form, oracle, withheld};
pub use turn::{action_turn_from, turn_from};
pub use wire::{action_text, args, content, turn, wire_text};
