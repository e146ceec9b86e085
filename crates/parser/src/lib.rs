//! Parses wire text into typed fragments, chunk by chunk, and writes it.
//!
//! A model writes plain text with a few delimiters in it: what it thinks, what it wants to call,
//! when it waits for results, what it answers. The text arrives in chunks that are cut anywhere.
//! The parser emits the meaning of each chunk as soon as it is certain, and calls when they are
//! complete.
//!
//! ```toml
//! [dependencies]
//! silcrow-parser = "0.1"
//! ```
//!
//! ```
//! use silcrow_parser::{Dialect, Fragment, Parser};
//!
//! let mut parser = Parser::new(Dialect::Sigil);
//! let mut log = Vec::new();
//! let mut show = |fragment: Fragment<'_>| match fragment {
//!     Fragment::Text(text) => log.push(format!("{} {:?}", text.kind.type_name(), text.text)),
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
//! A parser reads one turn, which is one answer of a model; the next turn needs a new parser. A
//! caller that runs calls stops parsing at `Execute`, and sends the results to the model. This
//! crate re-exports the types of fragments, so no second dependency is needed; [`silcrow-event`]
//! defines them, and [`silcrow-lex`] decodes bytes. Names such as P-9 and L-1 are clauses of [the
//! protocol].
//!
//! # Fragments
//!
//! | [`Fragment`] | meaning |
//! |---|---|
//! | [`Text`] | a piece of a thought or an answer, without its delimiters and escapes |
//! | [`Thought`] | the section with the texts of this `part` was a thought that the prompt had opened |
//! | [`Close`] | the end of the section with the texts of this `part` |
//! | [`CallText`] | a piece of a call that is still being written, on request |
//! | [`Call`] | a complete call, with its id, name and arguments |
//! | [`InvalidCall`] | a call that cannot run, and the reason |
//! | [`Block`] | the beginning of a control block, its other body, or its end (P-29 to P-31) |
//! | [`Execute`] | the execution point: the calls so far run |
//! | [`End`] | the model is done |
//! | [`Diagnostic`] | something odd, with its position, for a log |
//!
//! Wherever the input is cut, the joined fragments are the same, including diagnostics (L-1). Text
//! borrows from the chunk. Nothing that a model writes is an error (L-7): a malformed call is
//! content, an `InvalidCall` and a `Diagnostic`.
//!
//! [`write()`] is the inverse (L-4): it writes even a thought that is full of delimiters so that it
//! is parsed as the same thought. [`write_results`] writes the results of calls for a model,
//! [`escape_user`] escapes what a person wrote, and [`guide`] teaches a model a dialect.
//!
//! # Delimiters
//!
//! | `sigil` | meaning |
//! |---|---|
//! | `§think:` | a thought, up to the next delimiter |
//! | `§call:` | one call: `{"name": "…", "args": {…}}`, complete at its last bracket |
//! | `§respond:` | an answer, up to the next delimiter; so is text before the first delimiter |
//! | `§result:` | text that only the framework may write: a diagnostic, and not content |
//! | `§execute` | `Execute`: the calls before it are one batch |
//! | `§end` | `End`: nothing after it is parsed |
//!
//! | `phase` | meaning |
//! |---|---|
//! | `<think>` | a thought |
//! | `</think>` | the end of the thought; text outside of all tags is the answer |
//! | `<execute>` | a JSON array of calls, each complete at its last bracket |
//! | `</execute>` | `Execute`: the array is one batch |
//! | `<results>` | text that only the framework may write: a diagnostic, and not content |
//! | `</results>` | the end of such text |
//! | `<end>` | `End`: nothing after it is parsed |
//!
//! | `action` | meaning |
//! |---|---|
//! | `<thought>` | a thought |
//! | `</thought>` | the end of the thought |
//! | `<action>` | one call: `{"name": "…", "parameters": {…}}`; attributes control how it runs |
//! | `</action>` | the call is complete |
//! | `<response>` | an answer; with `final="false"`, not the last one |
//! | `</response>` | the end of the answer |
//! | `<results>` | text that only the framework may write, where the model waits for it: a diagnostic |
//! | `</results>` | the end of such text |
//! | `<!--` | a comment: a part of text that becomes the answer, and otherwise dropped |
//! | `-->` | the end of the comment |
//! | `<if>` | a choice (P-29): what is in it runs if `test` is true |
//! | `</if>` | the end of the choice |
//! | `<then>` | may be around the first body of a choice |
//! | `</then>` | its end |
//! | `<else>` | the other body of a choice, which runs if the test is false |
//! | `</else>` | may end it |
//! | `<foreach>` | a loop (P-30): what is in it runs for each item of `in` |
//! | `</foreach>` | the end of the loop |
//! | `<parallel>` | a group (P-31): what is in it runs at once |
//! | `</parallel>` | the end of the group |
//! | `<transaction>` | a transaction (P-32): what is in it succeeds as a whole, or is taken back |
//! | `</transaction>` | the end of the transaction |
//! | `<value>` | a name for the value of an expression |
//! | `</value>` | may follow it |
//!
//! The tag of a control block has attributes, such as `<foreach in="files" as="f">`, and what is between
//! it and its closing tag is in the block. Expressions in them are text here: a plan reads them.
//!
//! ```
//! use silcrow_parser::{BlockMark, Dialect, Fragment, Parser};
//!
//! let mut log = Vec::new();
//! let mut show = |fragment: Fragment<'_>| match fragment {
//!     Fragment::Block(BlockMark::Begin(block)) => log.push(format!("begin {}", block.id)),
//!     Fragment::Block(mark) => log.push(format!("end {}", mark.id())),
//!     Fragment::Call(call) => log.push(format!("call {}", call.id())),
//!     _ => {}
//! };
//! let mut parser = Parser::new(Dialect::Action);
//! parser.push(
//!     r#"<foreach id="each" in="files" as="f">
//! <action id="read">{"name": "file_read", "parameters": {"file": "$f"}}</action>
//! </foreach>"#,
//!     &mut show,
//! );
//! parser.finish(&mut show);
//! assert_eq!(log, ["begin each", "call read", "end each"]);
//! ```
//!
//! In `sigil` a delimiter counts at the start of a line, or anywhere with [`Options::inline`]. No
//! delimiter counts in a JSON string, nor in a code fence of an answer (P-34), so a quoted call
//! never runs. `§§end` is the text `§end` (P-3).
//!
//! # A terminal typewriter, from bytes
//!
//! ```
//! use silcrow_lex::{DecodedText, Utf8Decoder};
//! use silcrow_parser::{Dialect, Fragment, Parser};
//!
//! let mut utf8 = Utf8Decoder::new();
//! let mut parser = Parser::new(Dialect::Phase);
//! let mut screen = String::new();
//! let mut show = |fragment: Fragment<'_>| match fragment {
//!     // A terminal would get `print!("{}", text.text)` and a flush.
//!     Fragment::Text(text) if text.kind.is_respond() => screen.push_str(text.text),
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
//! # Calls, while they are written and when they are complete
//!
//! ```
//! use silcrow_parser::{Dialect, Fragment, Parser};
//!
//! let mut parser = Parser::new(Dialect::Sigil).with_call_text();
//! let (mut written, mut batch, mut rejected) = (0, Vec::new(), Vec::new());
//! let mut take = |fragment: Fragment<'_>| match fragment {
//!     // This is for a screen only: the text may turn out not to be a call.
//!     Fragment::CallText(piece) => written += piece.text.len(),
//!     Fragment::Call(call) => batch.push(call),
//!     Fragment::InvalidCall(bad) => rejected.push(bad.why),
//!     Fragment::Execute => println!("{} calls run now", batch.len()),
//!     _ => {}
//! };
//! for chunk in ["§call: {\"name\": \"note\", \"args\": {\"te", "xt\": \"a }\"}}\n", "§call: {}\n"] {
//!     parser.push(chunk, &mut take);
//! }
//! parser.finish(&mut take);
//! assert_eq!(written, r#"{"name": "note", "args": {"text": "a }"}}{}"#.len());
//! assert_eq!((batch[0].id(), batch[0].name()), ("a1", "note"));
//! assert_eq!(batch[0].args(), r#"{"text": "a }"}"#);
//! assert_eq!(rejected.len(), 1);
//! ```
//!
//! # A consumer of your own
//!
//! This one joins the pieces of whole sections, and trims their ends. `silcrow-accumulate` does
//! this, and also decides when calls may run.
//!
//! ```
//! use silcrow_parser::{Dialect, Fragment, Parser};
//!
//! #[derive(Default)]
//! struct Sections {
//!     done: Vec<(&'static str, String)>,
//!     open: String,
//!     kind: &'static str,
//! }
//!
//! impl Sections {
//!     fn take(&mut self, fragment: Fragment<'_>) {
//!         match fragment {
//!             Fragment::Text(text) => {
//!                 self.open += text.text;
//!                 self.kind = text.kind.type_name();
//!             }
//!             Fragment::Close { .. } => {
//!                 let whole = std::mem::take(&mut self.open);
//!                 self.done.push((self.kind, whole.trim_end().to_owned()));
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
//! let whole = |(kind, text): (&'static str, &str)| (kind, text.to_owned());
//! assert_eq!(sections.done, [("think", "well"), ("respond", "It is so.")].map(whole));
//! ```
//!
//! # What it does not do
//!
//! - It does not run calls, wait, or decide what to ask next.
//! - It knows neither tools nor their arguments: any name with any JSON object is a call.
//! - It reads these three dialects and no others: not the delimiters of a model's own template, and
//!   not the tool calls of a vendor's API.
//! - It does not constrain what a model writes: `silcrow-grammar` exports the dialects as grammars.
//! - It reads text, not token ids, and it keeps no text that it has emitted.
//!
//! [The measurements] compare it with other parsers; `examples/` contains programs that read
//! standard input.
//!
//! [`silcrow-event`]: https://docs.rs/silcrow-event
//! [`silcrow-lex`]: https://docs.rs/silcrow-lex
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md
//! [The measurements]: https://github.com/silcrow/silcrow/blob/main/docs/measurements.md#beside-other-parsers
//! [`Text`]: TextFragment
//! [`Close`]: Fragment::Close
//! [`Thought`]: Fragment::Thought
//! [`CallText`]: CallTextFragment
//! [`Block`]: Fragment::Block
//! [`Execute`]: Fragment::Execute
//! [`End`]: Fragment::End

#![warn(clippy::disallowed_types)]

mod action;
mod attempt;
mod beginning;
mod block_tag;
mod blocks;
mod body_frame;
mod call;
mod call_ids;
mod diagnostic_text;
mod element_tag;
mod escape;
mod fence;
mod guide;
mod held_end;
mod hidden;
mod name_finder;
mod open_action;
mod outside;
mod parser;
mod pending_tag;
mod phase;
mod reasoning_tag;
mod rejected_call;
mod repair;
mod results;
mod section;
mod section_text;
mod sigil;
mod thought;
mod write;

pub use silcrow_event::{
    BlockMark, Call, CallResult, CallTextFragment, ControlBlock, ControlKind, Diagnostic,
    DiagnosticKind, Event, Fragment, InvalidCall, TextFragment, TextKind,
};
pub use silcrow_lex::{Dialect, Options, UnknownDialect};

pub use attempt::{AnswerAttempt, AnswerContext, AttemptKind, find_attempt};
pub use call::MAX_BODY;
pub use fence::leaves_fence_open;
pub use guide::{block_guide, brief_guide, guide, guide_with_tools};
pub use parser::Parser;
pub use results::{escape_user, read_results, write_results};
pub use thought::OPENED_THOUGHT;
pub use write::write;
