//! Finds the delimiters of a streamed wire protocol across chunk boundaries; `no_std`, no allocation.
//!
//! A model writes plain text with a few delimiters in it: what it thinks, what it wants to call, what
//! it answers. The text comes in chunks that are cut anywhere, in the middle of a delimiter too. The
//! lexer says of every piece at once what it is, and withholds only what may still become a delimiter.
//!
//! ```toml
//! [dependencies]
//! silcrow-lex = "0.1"
//! ```
//!
//! ```
//! use silcrow_lex::{Dialect, Lexer, Delimiter, Token};
//!
//! let mut lexer = Lexer::new(Dialect::Sigil, false);
//! let mut said = String::new();
//! for mut chunk in ["§resp", "ond: done §e", "arly\n§e", "nd"] {
//!     while let Some(token) = lexer.next(&mut chunk) {
//!         match token {
//!             Token::Text(text) => said.push_str(text),
//!             Token::Delimiter(Delimiter::Respond, _) => said.clear(),
//!             _ => {}
//!         }
//!     }
//! }
//! // The end of the input settles what was withheld.
//! assert!(matches!(lexer.finish(), Some(Token::Delimiter(Delimiter::End, "§end"))));
//! assert_eq!(said, " done §early\n");
//! ```
//!
//! ```text
//!             chunk 2            chunk 3            chunk 4            finish
//! input     … ond: done §e     arly\n§e           nd
//! tokens    Marker(Respond)    Text("arly\n")                        Marker(End)
//!           Text(" done §e")
//! withheld  nothing            "§e"               "§end"             nothing
//! ```
//!
//! In the middle of a line `§e` begins no delimiter, so it is given out at once; at a line's start it
//! may. What is withheld is always a prefix of a literal that the lexer knows, so its state is a few
//! words and holds no text: withheld text that turns out to be content is given out as a slice of
//! the literal. All other tokens borrow from the chunk.
//!
//! If what you want is whole thoughts, calls and answers, take [`silcrow-parser`], which rests on
//! this crate. Names such as P-11 are clauses of [the protocol].
//!
//! # Tokens
//!
//! | [`Token`] | what it is |
//! |---|---|
//! | `Text` | text of a thought or an answer, with its white space |
//! | `Delimiter` | what begins or ends here, and its literal |
//! | `Body` | text of a call: JSON, as the model wrote it |
//! | `Close` | the call is over, complete or not; covers no text |
//! | `Glue` | what stands around calls and attributes: commas, blanks, code fences |
//! | `Escape` | the one first character that is doubled: no content (P-3) |
//! | `Tag` `Name` `Value` `TagEnd` | a tag with attributes, piece by piece (P-19) |
//!
//! The texts of all tokens, joined, are the input, byte for byte, and however it is cut the joined
//! tokens are the same. A consumer may pass over every kind that it does not need.
//!
//! # Delimiters
//!
//! A dialect is chosen where a lexer is made; [`Dialect::delimiters`] lists what is told here.
//!
//! | `sigil` | [`Delimiter`] | where it counts |
//! |---|---|---|
//! | `§think:` | `Think` | at a line's start |
//! | `§call:` | `Call` | at a line's start; a JSON object follows |
//! | `§respond:` | `Respond` | at a line's start |
//! | `§result:` | `Results` | at a line's start; models do not write it (P-10) |
//! | `§execute` | `Execute` | at a line's start, and the word ends there |
//! | `§end` | `End` | at a line's start, and the word ends there; nothing counts behind it |
//!
//! | `phase` | [`Delimiter`] | where it counts |
//! |---|---|---|
//! | `<think>` | `Think` | in text |
//! | `</think>` | `ThinkEnd` | in a thought |
//! | `<execute>` | `Calls` | in text; a JSON array of calls follows |
//! | `</execute>` | `Execute` | behind or between the calls |
//! | `<results>` | `Results` | in text; models do not write it (P-10) |
//! | `</results>` | `ResultsEnd` | in what claims to be results |
//! | `<end>` | `End` | in text; nothing counts behind it |
//!
//! | `action` | [`Delimiter`] | where it counts |
//! |---|---|---|
//! | `<thought>` | `Think` | in text |
//! | `</thought>` | `ThinkEnd` | in a thought |
//! | `<action>` | `Call` | in text and in a thought, also with attributes; a JSON object follows |
//! | `</action>` | `CallEnd` | behind the call |
//! | `<response>` | `Respond` | in text, and at a line's start in a thought; also with attributes |
//! | `</response>` | `RespondEnd` | in an answer |
//! | `<!--` | `Comment` | in text |
//! | `-->` | `CommentEnd` | in a comment |
//!
//! In `sigil`, blanks may stand before a delimiter where it follows `§execute` or a complete call on
//! the same line, and `inline`, the second argument of [`Lexer::new`], lets delimiters count anywhere.
//! Inside a JSON string nothing counts, so a call may write a file that is full of delimiters.
//! A doubled first character makes a delimiter plain text: `§§end` says `§end` (P-3).
//!
//! # A terminal typewriter, from bytes
//!
//! A network cuts characters, too. [`Utf8Decoder`] makes text of bytes, and withholds at most 3 of them.
//! What is no UTF-8 becomes U+FFFD, and [`DecodedText::invalid`] says so.
//!
//! ```
//! use silcrow_lex::{Dialect, Lexer, Delimiter, DecodedText, Token, Utf8Decoder};
//!
//! let mut utf8 = Utf8Decoder::new();
//! let mut lexer = Lexer::new(Dialect::Phase, false);
//! let mut thinking = false;
//! let mut screen = String::new();
//! let mut show = |token: Token<'_>| match token {
//!     Token::Delimiter(Delimiter::Think, _) => thinking = true,
//!     Token::Delimiter(Delimiter::ThinkEnd, _) => thinking = false,
//!     // A terminal would get `print!("{text}")` and a flush.
//!     Token::Text(text) if !thinking => screen.push_str(text),
//!     _ => {}
//! };
//! let mut take = |piece: DecodedText<'_>| {
//!     let mut text = piece.text;
//!     while let Some(token) = lexer.next(&mut text) {
//!         show(token);
//!     }
//! };
//! for bytes in [&b"<think>hm</thi"[..], b"nk>a caf\xc3", b"\xa9, <b", b">new</b>"] {
//!     utf8.push(bytes, &mut take);
//! }
//! utf8.finish(&mut take);
//! while let Some(token) = lexer.finish() {
//!     show(token);
//! }
//! assert_eq!(screen, "a café, <b>new</b>");
//! ```
//!
//! # Calls, collected
//!
//! The lexer follows a call's JSON as far as strings and brackets go, so it knows the byte that
//! completes it. Whether it is a call is for a reader of JSON to say.
//!
//! ```
//! use silcrow_lex::{BodyEnd, Dialect, Lexer, Token};
//!
//! let mut lexer = Lexer::new(Dialect::Sigil, false);
//! let (mut body, mut calls) = (String::new(), Vec::new());
//! let mut take = |token: Token<'_>| match token {
//!     Token::Body(text) => body.push_str(text),
//!     Token::Close(BodyEnd::Complete) => calls.push(std::mem::take(&mut body)),
//!     // The end of the input or a marker cut it off.
//!     Token::Close(_) => body.clear(),
//!     _ => {}
//! };
//! let call = "§call: {\"name\": \"note\", \"args\": {\"text\": \"a } and §end\"}}\n";
//! for mut chunk in [call, "§call: {\"name\": \"no", "te\", \"args\": {\"text\": \"cut o"] {
//!     while let Some(token) = lexer.next(&mut chunk) {
//!         take(token);
//!     }
//! }
//! while let Some(token) = lexer.finish() {
//!     take(token);
//! }
//! assert_eq!(calls, [r#"{"name": "note", "args": {"text": "a } and §end"}}"#]);
//! ```
//!
//! # A consumer of your own
//!
//! Anything that takes tokens will do; here, one that marks up what it is shown.
//!
//! ```
//! use silcrow_lex::{Dialect, Lexer, Delimiter, Token};
//!
//! #[derive(Default)]
//! struct Html(String);
//!
//! impl Html {
//!     fn take(&mut self, token: Token<'_>) {
//!         match token {
//!             Token::Text(text) | Token::Body(text) | Token::Glue(text) => self.0 += text,
//!             Token::Delimiter(Delimiter::End, _) => self.0 += "<hr>",
//!             Token::Delimiter(_, literal) => self.0 += &format!("<b>{literal}</b>"),
//!             _ => {}
//!         }
//!     }
//! }
//!
//! let mut html = Html::default();
//! let mut lexer = Lexer::new(Dialect::Sigil, false);
//! for mut chunk in ["§think: we", "ll\n§respond: yes\n§end", "\n"] {
//!     while let Some(token) = lexer.next(&mut chunk) {
//!         html.take(token);
//!     }
//! }
//! while let Some(token) = lexer.finish() {
//!     html.take(token);
//! }
//! assert_eq!(html.0, "<b>§think:</b> well\n<b>§respond:</b> yes\n<hr>\n");
//! ```
//!
//! `<action>` and `<response>` may hold attributes, so they show only at their end that they are
//! tags, and always come in pieces: the name is a [`Token::Tag`], attributes stream as
//! [`Token::Name`] and [`Token::Value`], with [`Token::Glue`] between them, and then a
//! [`Token::Delimiter`] covers the `>`, or a [`Token::TagEnd`] says that all of it was text.
//!
//! A consumer who thinks that a delimiter does not count where it stands, because a code fence quotes
//! it, says [`Lexer::dismiss`] right behind it.
//!
//! # What it does not do
//!
//! - It does not trim, unescape, follow code fences or read JSON values: `silcrow-parser` does.
//! - It knows these three dialects and takes no others: the delimiters of a model's own template,
//!   such as `<tool_call>`, are text to it.
//! - It takes no token ids and makes none.
//! - It never fails: what is no delimiter is text, and there is nothing to recover from.
//!
//! [How it compares] with other parsers is measured; `examples/` holds programs that read standard
//! input.
//!
//! [`silcrow-parser`]: https://docs.rs/silcrow-parser
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md
//! [How it compares]: https://github.com/silcrow/silcrow/blob/main/docs/measurements.md#beside-other-parsers
#![no_std]

mod block;
mod body;
mod comment;
mod dialect;
mod find;
mod index;
mod lexer;
mod pending;
mod recognise;
mod string;
mod table;
mod tag;
mod track;
mod utf8;
mod word;

pub use dialect::Dialect;
pub use lexer::{BodyEnd, Lexer, Token};
pub use table::Delimiter;
pub use tag::{MAX_TAG, TagEnd};
pub use utf8::{DecodedText, Utf8Decoder};
