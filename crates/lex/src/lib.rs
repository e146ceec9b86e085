//! Finds the markers of a streamed wire protocol across chunk boundaries; `no_std`, no allocation.
//!
//! ```
//! use silcrow_lex::{Dialect, Lexer, Marker, Token};
//!
//! let mut lexer = Lexer::new(Dialect::Sigil, false);
//! let mut said = String::new();
//! for mut chunk in ["§resp", "ond: done §e", "arly\n§e", "nd"] {
//!     while let Some(token) = lexer.next(&mut chunk) {
//!         match token {
//!             Token::Text(text) => said.push_str(text),
//!             Token::Marker(Marker::Respond, _) => said.clear(),
//!             _ => {}
//!         }
//!     }
//! }
//! // The end of the input settles what was withheld.
//! assert!(matches!(lexer.finish(), Some(Token::Marker(Marker::End, "§end"))));
//! assert_eq!(said, " done §early\n");
//! ```
//!
//! ```text
//!             chunk 1        chunk 2          chunk 3
//! input     … done §e     arly\n§e         nd␄
//! tokens    Text(" done ")  Text("§e")        Marker(End)
//!                           Text("arly\n")
//! withheld  "§e"            "§e"              nothing
//! ```
//!
//! What must be withheld at a chunk's end is always a prefix of a known literal, so the state is a
//! few words and holds no text: withheld text that turns out to be content is given out as a slice
//! of the literal. Tokens borrow from the chunk. The concatenation of all token texts is the input
//! (L-2), however it is cut (L-1).
//!
//! A tag with attributes is the one marker that shows what it is worth only at its end: its name is
//! a [`Token::Tag`], its attributes stream as tokens of their own, and then a [`Token::Marker`]
//! covers its `>`, or a [`Token::TagEnd`] says that all of it was text (P-19).
//!
//! It does not trim, unescape, follow code fences, or read JSON values: `silcrow-parser` does. It
//! never fails.
#![no_std]

mod block;
mod body;
mod comment;
mod dialect;
mod find;
mod held;
mod index;
mod lexer;
mod recognise;
mod string;
mod table;
mod tag;
mod utf8;
mod word;

pub use dialect::Dialect;
pub use lexer::{Close, Lexer, Token};
pub use table::Marker;
pub use tag::{MAX_TAG, TagEnd};
pub use utf8::{Piece, Utf8};
