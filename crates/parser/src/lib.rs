//! Wire text to typed fragments and back, one file per dialect, chunk by chunk.
//!
//! A model writes plain text with a few delimiters in it: what it thinks, what it wants to call, when
//! it waits for results, what it answers. The text comes in chunks that are cut anywhere. The parser
//! gives out what each chunk means, as soon as that is certain, and reads calls when they are
//! complete.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-parser = "0.1"
//! ```
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
//! for chunk in ["§thi", "nk: look\n§call: {\"name\": \"l", "s\"}\n§exec", "ute\n"] {
//!     parser.push(chunk, &mut show);
//! }
//! parser.finish(&mut show);
//! assert_eq!(log, [r#"think "look""#, "call ls {}", "execute"]);
//! ```
//!
//! A parser reads one turn, which is one answer of a model; the next turn takes a new one. Whoever
//! runs calls stops reading at `Execute`, and sends the model what came of them. Besides this crate,
//! depend on [`silcrow-event`], which holds the fragments, and on [`silcrow-lex`] where text comes
//! as bytes. Names such as P-9 and L-1 are clauses of [the protocol].
//!
//! # Fragments
//!
//! | [`Fragment`] | what it is |
//! |---|---|
//! | [`Text`] | a piece of a thought or an answer, without its delimiters and escapes |
//! | [`Close`] | the section with the texts of this `part` is over |
//! | [`CallText`] | a piece of a call that is still written, on request |
//! | [`Call`] | a complete call, with its id, name and arguments |
//! | [`InvalidCall`] | a call that cannot be run, and why |
//! | [`Execute`] | the calls so far are to be run |
//! | [`End`] | the model is done |
//! | [`Diagnostic`] | something odd, for who reads a log |
//!
//! Any way of cutting the input gives the same fragments after joining, notes included (L-1). Text
//! borrows from the chunk. What a model writes never makes an error (L-7): a malformed call is
//! content, a `InvalidCall` and a `Diagnostic`.
//!
//! [`write()`] is the inverse (L-4): it writes a thought that is full of delimiters so that it is read
//! as a thought. [`write_results`] writes what tools gave for a model to read, [`escape_user`] what
//! a person wrote, [`guide`] tells a model how to write a dialect, and `silcrow-grammar` holds it to
//! that.
//!
//! # Delimiters
//!
//! | `sigil` | what it begins or ends |
//! |---|---|
//! | `§think:` | a thought, up to the next delimiter |
//! | `§call:` | one call: `{"name": "…", "args": {…}}`, complete at its last bracket |
//! | `§respond:` | an answer, up to the next delimiter; so is text before the first delimiter |
//! | `§result:` | what only the framework writes: a note, and no content |
//! | `§execute` | `Execute`: the calls before it are one batch |
//! | `§end` | `End`: nothing behind it is read |
//!
//! | `phase` | what it begins or ends |
//! |---|---|
//! | `<think>` | a thought |
//! | `</think>` | the thought is over; text outside of all tags is the answer |
//! | `<execute>` | a JSON array of calls, each complete at its last bracket |
//! | `</execute>` | `Execute`: the array is one batch |
//! | `<results>` | what only the framework writes: a note, and no content |
//! | `</results>` | that is over |
//! | `<end>` | `End`: nothing behind it is read |
//!
//! | `action` | what it begins or ends |
//! |---|---|
//! | `<thought>` | a thought |
//! | `</thought>` | the thought is over |
//! | `<action>` | one call: `{"name": "…", "parameters": {…}}`; attributes say how it runs |
//! | `</action>` | the call is complete |
//! | `<response>` | an answer; with `final="false"`, not the last one |
//! | `</response>` | the answer is over |
//! | `<!--` | a comment: dropped |
//! | `-->` | the comment is over |
//!
//! In `sigil` a delimiter counts at the start of a line, or anywhere with [`Options::inline`]. No
//! delimiter counts in a JSON string, nor in a code fence of an answer (P-34), so a quoted call never
//! runs. `§§end` is the text `§end` (P-3).
//!
//! # A terminal typewriter, from bytes
//!
//! ```
//! use silcrow_event::{Fragment, TextKind};
//! use silcrow_lex::{DecodedText, Utf8Decoder};
//! use silcrow_parser::{Dialect, Parser};
//!
//! let mut utf8 = Utf8Decoder::new();
//! let mut parser = Parser::new(Dialect::Phase);
//! let mut screen = String::new();
//! let mut show = |fragment: Fragment<'_>| match fragment {
//!     // A terminal would get `print!("{}", text.text)` and a flush.
//!     Fragment::Text(text) if text.voice != TextKind::Think => screen.push_str(text.text),
//!     Fragment::Call(call) => screen.push_str(&format!("[{}] ", call.name())),
//!     _ => {}
//! };
//! let bytes = "<think>hm</think>A café: <execute>[{\"name\": \"look\"}]</execute>".as_bytes();
//! // The network cuts characters, too.
//! for chunk in bytes.chunks(3) {
//!     utf8.push(chunk, &mut |piece: DecodedText<'_>| parser.push(piece.text, &mut show));
//! }
//! utf8.finish(&mut |piece: DecodedText<'_>| parser.push(piece.text, &mut show));
//! parser.finish(&mut show);
//! assert_eq!(screen, "A café: [look] ");
//! ```
//!
//! # Calls, as they grow and when they are complete
//!
//! ```
//! use silcrow_event::Fragment;
//! use silcrow_parser::{Dialect, Parser};
//!
//! let mut parser = Parser::new(Dialect::Sigil).with_call_text();
//! let (mut grown, mut batch, mut refused) = (0, Vec::new(), Vec::new());
//! let mut take = |fragment: Fragment<'_>| match fragment {
//!     // To be shown, never to be run: it may yet turn out to be no call.
//!     Fragment::CallText(piece) => grown += piece.text.len(),
//!     Fragment::Call(call) => batch.push(call),
//!     Fragment::InvalidCall(bad) => refused.push(bad.why),
//!     Fragment::Execute => println!("{} calls are to be run now", batch.len()),
//!     _ => {}
//! };
//! for chunk in ["§call: {\"name\": \"note\", \"args\": {\"te", "xt\": \"a }\"}}\n", "§call: {}\n"] {
//!     parser.push(chunk, &mut take);
//! }
//! parser.finish(&mut take);
//! assert_eq!(grown, r#"{"name": "note", "args": {"text": "a }"}}{}"#.len());
//! assert_eq!((batch[0].id(), batch[0].name()), ("a1", "note"));
//! assert_eq!(batch[0].args(), r#"{"text": "a }"}"#);
//! assert_eq!(refused.len(), 1);
//! ```
//!
//! # A consumer of your own
//!
//! Whole sections, from their pieces: the texts of one part are joined, and the end of the whole is
//! trimmed. `silcrow-accumulate` does this, and says when calls may run.
//!
//! ```
//! use silcrow_event::{Fragment, TextKind};
//! use silcrow_parser::{Dialect, Parser};
//!
//! #[derive(Default)]
//! struct Sections {
//!     done: Vec<(&'static str, String)>,
//!     open: String,
//!     voice: &'static str,
//! }
//!
//! impl Sections {
//!     fn take(&mut self, fragment: Fragment<'_>) {
//!         match fragment {
//!             Fragment::Text(text) => {
//!                 self.open += text.text;
//!                 self.voice = text.voice.type_name();
//!             }
//!             Fragment::Close { .. } => {
//!                 let whole = std::mem::take(&mut self.open);
//!                 self.done.push((self.voice, whole.trim_end().to_owned()));
//!             }
//!             _ => {}
//!         }
//!     }
//! }
//!
//! let mut sections = Sections::default();
//! let mut parser = Parser::new(Dialect::Sigil);
//! for chunk in ["§think: we", "ll\n\n§respond: It is ", "so.\n§end\n"] {
//!     parser.push(chunk, &mut |fragment| sections.take(fragment));
//! }
//! parser.finish(&mut |fragment| sections.take(fragment));
//! let whole = |(voice, text): (&'static str, &str)| (voice, text.to_owned());
//! assert_eq!(sections.done, [("think", "well"), ("respond", "It is so.")].map(whole));
//! ```
//!
//! # What it does not do
//!
//! - It does not run calls, wait, or decide what to ask next.
//! - It knows neither tools nor their arguments: any name and any JSON object make a call.
//! - It reads these three dialects and no others: not the delimiters of a model's own template, and
//!   not the tool calls of a vendor's API.
//! - It takes no token ids, and it keeps no text that it has given out.
//!
//! [How it compares] with other parsers is measured; `examples/` holds programs that read standard
//! input.
//!
//! [`silcrow-event`]: https://docs.rs/silcrow-event
//! [`silcrow-lex`]: https://docs.rs/silcrow-lex
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md
//! [How it compares]: https://github.com/silcrow/silcrow/blob/main/docs/measurements.md#beside-other-parsers
//! [`Fragment`]: silcrow_event::Fragment
//! [`Text`]: silcrow_event::TextFragment
//! [`Close`]: silcrow_event::Fragment::Close
//! [`CallText`]: silcrow_event::CallTextFragment
//! [`Call`]: silcrow_event::Call
//! [`InvalidCall`]: silcrow_event::InvalidCall
//! [`Execute`]: silcrow_event::Fragment::Execute
//! [`End`]: silcrow_event::Fragment::End
//! [`Diagnostic`]: silcrow_event::Diagnostic

mod action;
mod aside;
mod call;
mod escape;
mod fence;
mod flow;
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
pub use guide::guide;
pub use options::{MAX_BODY, Options};
pub use parser::Parser;
pub use results::{escape_user, read_results, write_results};
pub use write::write;
