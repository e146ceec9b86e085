//! Turns the fragments of one answer into complete events, in an order that is safe to act on.
//!
//! ```toml
//! [dependencies]
//! silcrow-accumulate = "0.1"
//! silcrow-event = "0.1"
//! silcrow-plan = "0.1"
//! ```
//!
//! ```
//! use silcrow_accumulate::{Accumulator, Step};
//! use silcrow_event::{Call, Fragment, TextFragment, TextKind};
//! use silcrow_plan::{Plan, PlanDecision};
//!
//! let (mut turn, mut plan) = (Accumulator::new(), Plan::new());
//! let mut log = Vec::new();
//! let mut take = |step: Step<'_>| log.push(match step {
//!     Step::Show(text) => format!("show {}", text.text),
//!     Step::Emit(event) => format!("emit {}", event.type_name()),
//!     Step::Stop(why) => format!("stop {why:?}"),
//!     _ => String::new(),
//! });
//! let kind = TextKind::Think;
//! let text = TextFragment { kind, part: 1, id: None, text: "hm" };
//! turn.push(Fragment::Text(text), &mut plan, &mut take);
//! turn.push(Fragment::Close { part: 1 }, &mut plan, &mut take);
//! let call = Call::parse("a1", r#"{"name":"ls"}"#).unwrap();
//! turn.push(Fragment::Call(call), &mut plan, &mut take);
//! assert_eq!(plan.decide(), None);
//! turn.push(Fragment::Execute, &mut plan, &mut take);
//! assert_eq!(log, ["show hm", "emit think", "emit call", "emit execute", "stop Execute"]);
//! // Once these events are stored, the call may run.
//! let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
//! assert_eq!(ready.id(), "a1");
//! ```
//!
//! ```text
//!                              ┌─► output: show, emit, report, stop ─► the screen, the store
//! fragments ──► Accumulator ───┤
//!                              └─► Plan ──► decisions: start, retry, stop ─► a runner
//! ```
//!
//! An [`Accumulator`] reads one turn. It tells the caller to show each piece of text at once and to
//! emit each event when it is complete, and pushes each call into the caller's
//! [`Plan`](silcrow_plan::Plan). It never starts a call: the caller first stores the emitted
//! events, then asks the plan what to start (P-28). The accumulator also says when to stop reading:
//! at the execution point (P-14), at the end of the answer, and at the limits of a turn (P-9).
//! Labels such as P-28 refer to clauses of [the protocol].
//!
//! In the dialect `action` an answer may use the outputs of calls. Text after such a name waits for
//! the call:
//!
//! ```
//! use silcrow_accumulate::{Accumulator, Step};
//! use silcrow_event::{ActionAttributes, Call, CallResult, Fragment, TextFragment, TextKind};
//! use silcrow_plan::Plan;
//!
//! let (mut turn, mut plan) = (Accumulator::new().with_names(), Plan::new());
//! let mut shown = Vec::new();
//! let mut take = |step: Step<'_>| {
//!     if let Step::Show(text) = step {
//!         shown.push(text.text.to_owned());
//!     }
//! };
//! let action = ActionAttributes { output_key: Some("sum".to_owned()), ..Default::default() };
//! let call = Call::parse("a1", r#"{"name":"add"}"#).unwrap().with_action(action);
//! turn.push(Fragment::Call(call), &mut plan, &mut take);
//! plan.decide();
//! let kind = TextKind::Respond { last: true };
//! let text = TextFragment { kind, part: 1, id: None, text: "It is $sum." };
//! turn.push(Fragment::Text(text), &mut plan, &mut take);
//!
//! plan.finish("a1", CallResult::success("a1", "add", "", "4"));
//! turn.report(&mut plan, &mut take);
//! turn.resume(&mut plan, &mut take);
//! assert_eq!(shown.concat(), "It is 4.");
//! ```
//!
//! To read without running calls, you need no plan: a [`TextJoiner`] turns fragments into complete
//! events. An [`AnswerCap`] ends a turn at its limits (P-9): [`admit`](AnswerCap::admit) shortens the text
//! before the parser reads it, and [`push`](AnswerCap::push) counts the fragments after it.
//!
//! This crate parses no wire text: `silcrow-parser` does. It stores nothing, runs nothing, has no
//! clock, and never fails.
//!
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md

#![warn(clippy::disallowed_types)]

mod accumulator;
mod answers;
mod block_nesting;
mod block_result;
mod cap;
mod joiner;
mod reasoning;
mod step;

pub use accumulator::Accumulator;
pub use block_result::kept_block_result;
pub use cap::{AnswerCap, AnswerLimits};
pub use joiner::TextJoiner;
pub use step::{Step, StopReason};
