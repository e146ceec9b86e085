//! Parses wire text into typed fragments, chunk by chunk, and writes it.
//!
//! The model writes plain text in which a few delimiters mark thoughts, calls and answers. The text
//! arrives in chunks that may be cut anywhere, even inside a delimiter. The parser emits text as soon
//! as its meaning is certain, and each call as soon as it is complete.
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
//!     Fragment::Text(text) => log.push(format!("{:?} {:?}", text.kind, text.text)),
//!     Fragment::Call(call) => log.push(format!("call {} {}", call.name(), call.args())),
//!     Fragment::Execute => log.push("execute".to_owned()),
//!     _ => {}
//! };
//! for chunk in ["§thi", "nk: look\n§call: {\"name\": \"l", "s\"}\n§exec", "ute\n"] {
//!     parser.push(chunk, &mut show);
//! }
//! parser.finish(&mut show);
//! assert_eq!(log, [r#"Think "look""#, "call ls {}", "execute"]);
//! ```
//!
//! Create one parser for each turn, that is, for each answer of the model. To run the calls, stop
//! parsing at `Execute` and send their results with the next request. The types of fragments are
//! re-exported from [`silcrow-event`], so this crate is the only dependency you need; it has no
//! features. Labels such as P-9 and L-1 refer to clauses of [the protocol].
//!
//! To read the tool calls that a model was trained to write, such as `<tool_call>` or
//! `[TOOL_CALLS]`, use [`silcrow-native`], which emits the same fragments.
//!
//! # Fragments
//!
//! | [`Fragment`] | meaning |
//! |---|---|
//! | [`Text`] | a piece of a thought or an answer, without its delimiters and escapes; of kind [`Malformed`](TextKind::Malformed), a call that cannot be read, which is never shown as an answer |
//! | [`Thought`] | a correction, with [`with_reasoning_tags`](Parser::with_reasoning_tags) only: section `part`, perhaps shown as an answer meanwhile, was a thought, so take it back |
//! | [`Close`] | the end of the section numbered `part` |
//! | [`CallText`] | a piece of a call that is still being written, on request |
//! | [`Call`] | a complete call, with its id, name and arguments |
//! | [`InvalidCall`] | a call that cannot run, and the reason |
//! | [`Block`] | the beginning of a control block, its `else` branch, or its end (P-29 to P-32) |
//! | [`Execute`] | the execution point: run the calls so far |
//! | [`End`] | the model is done |
//! | [`Diagnostic`] | something odd in the text, with its position, for a log |
//!
//! However the input is cut into chunks, the joined fragments are the same, including diagnostics
//! (L-1). The parser never fails (L-7): a malformed call gives `Text` of kind `Malformed`, an
//! `InvalidCall` and a `Diagnostic`.
//!
//! [`write()`] is the inverse (L-4): even a thought full of delimiters is written so that it parses as
//! the same thought. [`write_results`] writes the results of calls for the model, [`escape_user`]
//! escapes a person's text, and [`guide`] returns the instructions that teach a model a dialect;
//! your list of tools follows them in the system prompt. [`guide_with_tools`] does not name tools you
//! lack, and [`brief_guide`] suits a small window.
//!
//! # In a gateway
//!
//! - **Which dialect.** [`Sigil`](Dialect::Sigil) streams all text at once and is the usual choice;
//!   [`Phase`](Dialect::Phase) suits models that write `<think>` by themselves;
//!   [`Action`](Dialect::Action) has attributes and control blocks, and holds text outside of its tags
//!   until it is clear whether it is the answer. Names such as `$sum` are replaced by
//!   `silcrow-accumulate`, not here.
//! - **Reasoning models.** If the prompt ends with `<think>`, start with
//!   [`with_open_thought`](Parser::with_open_thought); if you do not know, use
//!   [`with_reasoning_tags`](Parser::with_reasoning_tags). Otherwise the reasoning is an answer (P-38).
//! - **Bytes.** In server-sent events, decode the framing and the JSON first; the text in it is whole
//!   characters. For raw bytes use [`silcrow-lex`]'s `Utf8Decoder`, as below. Its
//!   `DecodedText::invalid` counts what became U+FFFD, and reporting that is up to you.
//! - **A broken connection.** Call [`finish_cut`](Parser::finish_cut): half a delimiter is dropped, and
//!   no `Execute` comes for calls that wait.
//! - **The execution point.** Text in the same chunk continues to the sink after `Execute`. To stop
//!   there, ignore what follows and drop the parser.
//! - **Limits.** Calls, tags and held text are bounded (see below). The length of the answer, the
//!   number of fragments, and the length of a name or an id below 1 MiB are not: the 16 MiB and 100,000
//!   events of P-9 are enforced by `silcrow_accumulate::AnswerCap`.
//! - **Diagnostics.** Their `content` quotes the model, so treat it like the answer in your log.
//!
//! # Keeping fragments
//!
//! Text borrows from the chunk, so copy the text you want to keep beyond the call of `push`. All other
//! fragments own their contents and can be moved. A parser is `Send`: it can live in a task or move to
//! another thread.
//!
//! ```
//! use std::sync::mpsc;
//! use std::thread;
//!
//! use silcrow_parser::{Dialect, Fragment, Parser};
//!
//! let (sender, pieces) = mpsc::channel();
//! let mut parser = Parser::new(Dialect::Sigil);
//! let reader = thread::spawn(move || {
//!     let mut keep = |fragment: Fragment<'_>| match fragment {
//!         Fragment::Text(text) => sender.send((text.text.to_owned(), None)).unwrap(),
//!         Fragment::Call(call) => sender.send((String::new(), Some(call))).unwrap(),
//!         _ => {}
//!     };
//!     for chunk in ["I loo", "k.\n§call: {\"name\": \"ls\"}\n"] {
//!         parser.push(chunk, &mut keep);
//!     }
//!     parser.finish(&mut keep);
//! });
//! reader.join().unwrap();
//! let (texts, calls): (Vec<String>, Vec<_>) = pieces.into_iter().unzip();
//! assert_eq!(texts.concat().trim_end(), "I look.");
//! assert_eq!(calls.into_iter().flatten().next().unwrap().name(), "ls");
//! ```
//!
//! # Memory
//!
//! Emitted text is never kept, so memory does not grow with the length of an answer. A parser holds:
//!
//! - the body of the call that is being written, up to [`MAX_BODY`] (1 MiB); a longer call is an
//!   `InvalidCall`;
//! - in `action`, text outside of all tags until it is clear whether it is the answer, up to 64 KiB;
//! - a piece of text for a diagnostic, up to 64 KiB, and an unfinished tag, up to 1 KiB;
//! - the ids that the model has given to calls in this turn.
//!
//! # Delimiters
//!
//! | `sigil` | meaning |
//! |---|---|
//! | `§think:` | a thought, up to the next delimiter |
//! | `§call:` | one call: `{"name": "…", "args": {…}}`, complete at its last bracket |
//! | `§respond:` | an answer, up to the next delimiter; so is text before the first delimiter |
//! | `§result:` | reserved for results: if the model writes it, you get a diagnostic and no text |
//! | `§execute` | `Execute`: the calls before it are one batch |
//! | `§end` | `End`: nothing after it is parsed |
//!
//! | `phase` | meaning |
//! |---|---|
//! | `<think>` | a thought |
//! | `</think>` | the end of the thought; text outside of all tags is the answer |
//! | `<execute>` | a JSON array of calls, each complete at its last bracket |
//! | `</execute>` | `Execute`: the array is one batch |
//! | `<results>` | reserved for results: if the model writes it, you get a diagnostic and no text |
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
//! | `<results>` | reserved for results, for which the model waits: a diagnostic and no text |
//! | `</results>` | the end of such text |
//! | `<!--` | a comment: a part of text that becomes the answer, and otherwise dropped |
//! | `-->` | the end of the comment |
//! | `<if>` | a choice (P-29): its contents run if `test` is true |
//! | `</if>` | the end of the choice |
//! | `<then>` | may be around the first body of a choice |
//! | `</then>` | its end |
//! | `<else>` | the other body of a choice, which runs if the test is false |
//! | `</else>` | may end it |
//! | `<foreach>` | a loop (P-30): its contents run for each item of `in` |
//! | `</foreach>` | the end of the loop |
//! | `<parallel>` | a group (P-31): its contents run at once |
//! | `</parallel>` | the end of the group |
//! | `<transaction>` | a transaction (P-32): its contents succeed as a whole, or are undone |
//! | `</transaction>` | the end of the transaction |
//! | `<value>` | a name for the value of an expression |
//! | `</value>` | may follow it |
//!
//! A control block contains everything up to its closing tag. The parser passes the expressions in its
//! attributes, such as `<foreach in="files" as="f">`, on as text; `silcrow-plan` evaluates them.
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
//! In `sigil` a delimiter counts at the start of a line, or anywhere with [`Options::inline`].
//! Delimiters inside a JSON string, or in a code fence of an answer (P-34), are text, so a quoted call
//! never runs. To write the text `§end`, double the first character: `§§end` (P-3).
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
//! // The network may cut a character in two.
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
//!     // For display only: the text may turn out not to be a call.
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
//! This consumer joins the pieces of each section and trims the end, without calls that cannot be read. `silcrow-accumulate` does the
//! same, and also decides when calls may run.
//!
//! ```
//! use silcrow_parser::{Dialect, Fragment, Parser, TextKind};
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
//!             Fragment::Text(text) if text.kind != TextKind::Malformed => {
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
//! - It does not run calls, wait, or decide about the next request.
//! - It does not check names and arguments against your tools: any name but an empty one, with any
//!   JSON object, is a call.
//! - It reads only these three dialects. [`silcrow-native`] reads the forms that models were trained
//!   on; the tool calls of a vendor's API arrive as JSON and need no parser.
//! - It does not constrain the model: `silcrow-grammar` exports the dialects as grammars.
//! - It reads text, not token ids.
//!
//! Two examples read standard input: `answer` shows an answer as it arrives, and `calls` prints the
//! calls of each batch. [The measurements] compare the parser with others.
//!
//! [`silcrow-event`]: https://docs.rs/silcrow-event
//! [`silcrow-lex`]: https://docs.rs/silcrow-lex
//! [`silcrow-native`]: https://docs.rs/silcrow-native
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
    ActionAttributes, BlockMark, Call, CallResult, CallTextFragment, ControlBlock, ControlKind,
    Diagnostic, DiagnosticKind, Event, Fragment, InvalidCall, LogPosition, TextFragment, TextKind,
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
