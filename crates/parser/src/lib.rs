//! Wire text to typed fragments and back, one file per dialect, chunk by chunk.
//!
//! ```
//! use silcrow_event::Fragment;
//! use silcrow_parser::{Dialect, Parser};
//!
//! let mut parser = Parser::new(Dialect::Sigil);
//! let mut log = Vec::new();
//! let mut show = |fragment: Fragment<'_>| match fragment {
//!     Fragment::Text(text) => log.push(format!("{} {:?}", text.voice.type_name(), text.text)),
//!     Fragment::Call(call) => log.push(format!("call {} {}", call.name(), call.args())),
//!     Fragment::Execute => log.push("execute".to_owned()),
//!     _ => {}
//! };
//! for chunk in ["§thi", "nk: look\n§call: {\"name\": \"ls", "\", \"args\": {}}\n§exec", "ute\n"] {
//!     parser.push(chunk, &mut show);
//! }
//! parser.finish(&mut show);
//! assert_eq!(log, [r#"think "look""#, "call ls {}", "execute"]);
//! ```
//!
//! Any way of cutting the input gives the same fragments after joining, notes included (L-1). Text
//! is given out in the push that makes its meaning certain (L-3), borrowed from the chunk.
//! [`write()`] is the inverse (L-4). Malformed output of a model is content, a
//! [`BadCall`](silcrow_event::BadCall) and a [`Note`](silcrow_event::Note), never an error (L-7).
//!
//! It does not run calls, wait, or decide what to ask next; it knows neither tools nor their
//! arguments. Bytes that may be no UTF-8 go through [`silcrow_lex::Utf8`] first.

mod action;
mod aside;
mod call;
mod escape;
mod fence;
mod flow;
mod grammar;
mod guide;
mod ids;
mod list;
mod name;
mod options;
mod outside;
mod parser;
mod phase;
mod repair;
mod results;
mod section;
mod sigil;
mod tag;
mod write;

pub use silcrow_lex::Dialect;

pub use fence::leaves_fence_open;
pub use grammar::{Form, grammar};
pub use guide::guide;
pub use options::{MAX_BODY, Options};
pub use parser::Parser;
pub use results::{escape_user, read_results, write_results};
pub use write::write;
