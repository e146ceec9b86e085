//! Finds the delimiters of a streamed wire protocol across chunk boundaries; `no_std`, no
//! allocation.
//!
//! The model writes plain text in which a few delimiters mark thoughts, calls and answers. The text
//! arrives in chunks that may be cut anywhere, even inside a delimiter. The lexer returns every piece
//! as a token at once; only text that may still become a delimiter is pending until the next chunk.
//!
//! ```toml
//! [dependencies]
//! silcrow-lex = "0.1"
//! ```
//!
//! ```
//! use silcrow_lex::{Delimiter, Dialect, Lexer, Token};
//!
//! let mut lexer = Lexer::new(Dialect::Sigil);
//! let mut answer = String::new();
//! for mut chunk in ["§resp", "ond: done §e", "arly\n§e", "nd"] {
//!     while let Some(token) = lexer.next(&mut chunk) {
//!         match token {
//!             Token::Text(text) => answer.push_str(text),
//!             Token::Delimiter(Delimiter::Respond, _) => answer.clear(),
//!             _ => {}
//!         }
//!     }
//! }
//! // The end of the input decides what the pending text is.
//! assert!(matches!(lexer.finish(), Some(Token::Delimiter(Delimiter::End, "§end"))));
//! assert_eq!(answer, " done §early\n");
//! ```
//!
//! ```text
//!             chunk 2            chunk 3            chunk 4            finish
//! input     … ond: done §e     arly\n§e           nd
//! tokens    Respond            Text("arly\n")                        End
//!           Text(" done §e")
//! pending   nothing            "§e"               "§end"             nothing
//! ```
//!
//! In the middle of a line `§e` cannot begin a delimiter, so it is emitted at once; at the start of
//! a line it can, so it is pending. Pending text is always the beginning of a known literal, so the
//! lexer does not have to store it: if it turns out to be content, it is emitted as a slice of the
//! literal. A [`Lexer`] is `Copy`, `Send` and at most 32 bytes long for any input. All other tokens
//! borrow from the chunk; copy their text to keep it longer.
//!
//! For whole thoughts, calls and answers, use [`silcrow-parser`], which is built on this crate. For
//! the tool calls that models were trained to write, such as `<tool_call>`, use [`silcrow-native`].
//! Labels such as P-11 refer to clauses of [the protocol].
//!
//! # Tokens
//!
//! | [`Token`] | meaning |
//! |---|---|
//! | `Text` | text of a thought or an answer, with its white space |
//! | `Delimiter` | a delimiter and its literal |
//! | `Body` | text of a call: JSON, as the model wrote it |
//! | `Close` | the end of a call, complete or not; it covers no text |
//! | `Glue` | text around calls and attributes: commas, blanks, code fences |
//! | `Escape` | the surplus first character of a doubled one: not content (P-3) |
//! | `Tag` `Name` `Value` `TagEnd` | a tag with attributes, piece by piece (P-19) |
//!
//! The texts of all tokens, joined, are the input, byte for byte. Wherever the input is cut, the
//! joined tokens are the same. A consumer may ignore every kind that it does not need.
//!
//! # Delimiters
//!
//! A lexer reads one dialect. [`Dialect::delimiters`] returns the delimiters of these tables.
//!
//! | `sigil` | [`Delimiter`] | where it counts |
//! |---|---|---|
//! | `§think:` | `Think` | at a line's start |
//! | `§call:` | `Call` | at a line's start; a JSON object follows |
//! | `§respond:` | `Respond` | at a line's start |
//! | `§result:` | `Results` | at a line's start; models do not write it (P-10) |
//! | `§execute` | `Execute` | at a line's start, and the word ends there |
//! | `§end` | `End` | at a line's start, and the word ends there; nothing counts after it |
//!
//! | `phase` | [`Delimiter`] | where it counts |
//! |---|---|---|
//! | `<think>` | `Think` | in text |
//! | `</think>` | `ThinkEnd` | in a thought |
//! | `<execute>` | `Calls` | in text; a JSON array of calls follows |
//! | `</execute>` | `Execute` | after or between the calls |
//! | `<results>` | `Results` | in text; models do not write it (P-10) |
//! | `</results>` | `ResultsEnd` | in text that claims to be results |
//! | `<end>` | `End` | in text; nothing counts after it |
//!
//! | `action` | [`Delimiter`] | where it counts |
//! |---|---|---|
//! | `<thought>` | `Think` | in text |
//! | `</thought>` | `ThinkEnd` | in a thought |
//! | `<action>` | `Call` | in text and in a thought, also with attributes; a JSON object follows |
//! | `</action>` | `CallEnd` | after the call |
//! | `<response>` | `Respond` | in text, and at a line's start in a thought; also with attributes |
//! | `</response>` | `RespondEnd` | in an answer |
//! | `<results>` | `Results` | in text; models do not write it (P-10) |
//! | `</results>` | `ResultsEnd` | in text that claims to be results |
//! | `<!--` | `Comment` | in text |
//! | `-->` | `CommentEnd` | in a comment |
//! | `<if>` | `Block(If)` | in text, also with attributes; a control block follows (P-29) |
//! | `</if>` | `BlockEnd(If)` | in text |
//! | `<then>` | `Block(Then)` | in text, also with attributes; a body of a choice follows |
//! | `</then>` | `BlockEnd(Then)` | in text |
//! | `<else>` | `Block(Else)` | in text, also with attributes; the other body of a choice follows |
//! | `</else>` | `BlockEnd(Else)` | in text |
//! | `<foreach>` | `Block(ForEach)` | in text, also with attributes; a control block follows (P-30) |
//! | `</foreach>` | `BlockEnd(ForEach)` | in text |
//! | `<parallel>` | `Block(Parallel)` | in text, also with attributes; a control block follows (P-31) |
//! | `</parallel>` | `BlockEnd(Parallel)` | in text |
//! | `<transaction>` | `Block(Transaction)` | in text, also with attributes; a control block follows (P-32) |
//! | `</transaction>` | `BlockEnd(Transaction)` | in text |
//! | `<value>` | `Block(Value)` | in text, also with attributes; it has no content |
//! | `</value>` | `BlockEnd(Value)` | in text |
//!
//! In `sigil`, blanks may precede a delimiter that follows `§execute` or a complete call on the
//! same line, and with [`Options::inline`] delimiters count anywhere. Inside a JSON string nothing
//! counts, so a call may write a file that is full of delimiters. A doubled first character makes a
//! delimiter plain text: `§§end` means the text `§end` (P-3).
//!
//! # A terminal typewriter, from bytes
//!
//! A chunk of bytes may end inside a character. [`Utf8Decoder`] turns bytes into text and keeps at
//! most 3 bytes pending. Invalid bytes become U+FFFD, and [`DecodedText::invalid`] counts them.
//!
//! ```
//! use silcrow_lex::{DecodedText, Delimiter, Dialect, Lexer, Token, Utf8Decoder};
//!
//! let mut utf8 = Utf8Decoder::new();
//! let mut lexer = Lexer::new(Dialect::Phase);
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
//! The lexer tracks the strings and brackets of a call's JSON, so it finds the byte that completes
//! it. A JSON parser has to decide whether the JSON is a call.
//!
//! ```
//! use silcrow_lex::{BodyEnd, Dialect, Lexer, Token};
//!
//! let mut lexer = Lexer::new(Dialect::Sigil);
//! let (mut body, mut calls) = (String::new(), Vec::new());
//! let mut take = |token: Token<'_>| match token {
//!     Token::Body(text) => body.push_str(text),
//!     Token::Close(BodyEnd::Complete) => calls.push(std::mem::take(&mut body)),
//!     // The end of the input or a delimiter cut it off.
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
//! A consumer is any code that takes tokens. This one writes HTML.
//!
//! ```
//! use silcrow_lex::{Delimiter, Dialect, Lexer, Token};
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
//! let mut lexer = Lexer::new(Dialect::Sigil);
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
//! `<action>` and `<response>` may have attributes, so they always arrive in pieces. The name is a
//! [`Token::Tag`], and attributes stream as [`Token::Name`] and [`Token::Value`] with [`Token::Glue`]
//! between them. A [`Token::Delimiter`] for the `>` completes the tag; a [`Token::TagEnd`] instead
//! means that all of it was text.
//!
//! If a delimiter turns out to be quoted, for example in a code fence, call [`Lexer::treat_as_text`]
//! right after its token.
//!
//! # What it does not do
//!
//! - It does not trim or unescape text, follow code fences or parse JSON: `silcrow-parser` does.
//! - It reads only these three dialects. Each is a table in `src/table.rs`, and callers cannot add
//!   their own delimiters.
//! - It reads text, not token ids.
//! - It never fails: everything that is not a delimiter is text.
//!
//! Two examples read standard input: `tokens` prints every token with its position, and `typewriter`
//! shows an answer as it arrives. [The measurements] compare the lexer with other parsers.
//!
//! [`silcrow-native`]: https://docs.rs/silcrow-native
//! [`silcrow-parser`]: https://docs.rs/silcrow-parser
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md
//! [The measurements]: https://github.com/silcrow/silcrow/blob/main/docs/measurements.md#beside-other-parsers
#![warn(clippy::disallowed_types)]
#![no_std]

#[cfg(test)]
extern crate std;

mod block;
mod body;
mod comment;
mod delimiter;
mod dialect;
mod find;
mod index;
mod item;
mod lexer;
mod line;
mod machine;
mod options;
mod pending;
mod recognise;
mod string;
mod table;
mod tag;
mod token;
mod utf8;
mod word;

pub use delimiter::{BlockTag, Delimiter};
pub use dialect::{Dialect, UnknownDialect};
pub use lexer::Lexer;
pub use options::Options;
pub use tag::MAX_TAG;
pub use token::{BodyEnd, TagEnd, Token};
pub use utf8::{DecodedText, Utf8Decoder};
