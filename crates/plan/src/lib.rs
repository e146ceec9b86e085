//! Decides which calls of a turn may run: batches, modes, dependencies, control blocks, and
//! retries.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-plan = "0.1"
//! ```
//!
//! ```
//! use silcrow_event::{ActionAttributes, Call, CallEnd, CallMode, CallResult};
//! use silcrow_plan::{Plan, PlanDecision, PlanUpdate};
//!
//! let asynchronous = |id: &str, content: &str| {
//!     let action = ActionAttributes { mode: CallMode::Async, ..ActionAttributes::default() };
//!     Call::parse(id, content).unwrap().with_action(action)
//! };
//! let mut plan = Plan::new();
//! plan.push(asynchronous("wiki", r#"{"name":"fetch","args":{"url":"https://example.com"}}"#));
//! plan.push(asynchronous("sum", r#"{"name":"summarize","args":{"text":"$wiki"}}"#));
//!
//! // The second call waits for the first, whose output it uses.
//! let Some(PlanDecision::Start(fetch)) = plan.decide() else { panic!() };
//! assert_eq!((fetch.id(), plan.decide()), ("wiki", None));
//!
//! plan.finish("wiki", CallResult::success("wiki", "fetch", "1 page", "All about it."));
//! let ended = PlanUpdate::End { id: "wiki".to_owned(), how: CallEnd::Ok };
//! assert_eq!(plan.next_update(), Some(ended));
//! let Some(PlanDecision::Start(sum)) = plan.decide() else { panic!() };
//! assert_eq!(sum.args(), r#"{"text":"All about it."}"#);
//! ```
//!
//! A [`Plan`] takes the calls of one turn as the model completes them, and the outcome of each
//! attempt. It has two outputs:
//!
//! - a [`PlanDecision`] tells the runner to start, pause or stop an attempt;
//! - a [`PlanUpdate`] reports that a call has ended, or that a name is bound to an output.
//!
//! In the dialects `sigil` and `phase`, calls form batches that wait for their execution point
//! (P-13, P-17). In `action`, a call starts as early as possible: after the calls it depends on,
//! after the calls whose outputs it uses by `$name`, and after every earlier `sync` action (P-24,
//! P-25, P-26). Labels such as P-13 refer to clauses of [the protocol].
//!
//! ```text
//!            start              success, or no attempt is left
//! waiting ──────────► running ─────────────────────────────────► ended: ok, failed
//!    ▲                   │ failure, and an attempt is left
//!    └───── retry ── pausing
//!
//! waiting ── it can never start ──► ended: failed
//! waiting ── a call that it waits for did not succeed ──► ended: skipped
//! any except ended ── cancel ──► ended: cancelled
//! ```
//!
//! Each call ends exactly once, in one of the four ways listed in
//! [`CallEnd`](silcrow_event::CallEnd).
//!
//! # Control blocks
//!
//! A block chooses, repeats or groups calls (P-29 to P-32). [`Plan::open_block`] begins one as the
//! model writes it, and [`Plan::push_step`] takes a complete one, as a program declares it. Each
//! body is a plan inside this plan: it sees the names around it, and the names it binds are visible
//! after the block, except in a loop. The calls of a loop get ids such as `each[0].read`.
//!
//! ```text
//! Plan ─┬─ call                 each body:   if ──────── then, else   the other one is skipped
//!       ├─ call                              foreach ─── one plan for each item
//!       └─ block ─── bodies ─── Plan ─ …     parallel ── one plan without barriers
//!                                            transaction ── one plan, and one of what takes it back
//! ```
//!
//! If a part of a transaction fails, nothing new starts in it, and running calls are stopped and
//! awaited ([`PlanDecision::Await`]). Then every call that has, or may have, completed is undone in
//! reverse order: by its `compensate`, or by its tool ([`UndoCoverage`]). A cancellation does not
//! stop the undoing.
//!
//! An [`AnswerRenderer`] delays the text of an answer that waits for an action or a `$name`.
//!
//! # What it does not do
//!
//! - It runs nothing and waits for nothing: `silcrow-exec` runs calls and times the pauses.
//! - It has no clock, no I/O and no tools: its caller times pauses and blocks.
//! - It undoes nothing itself: compensating calls run like all others (P-32).
//! - It never fails: a call that cannot run gets a result with the reason, for the model.
//!
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md

#![warn(clippy::disallowed_types)]

mod answer;
mod control;
mod decision;
mod limits;
mod outputs;
mod plan;
mod substitute;
mod undo;

pub use answer::{AnswerPiece, AnswerRenderer};
pub use control::{ControlStep, expression_flaw};
pub use decision::{PlanDecision, PlanUpdate, ReadyCall};
pub use limits::PlanLimits;
pub use plan::{Plan, RollbackCall, SKIPPED};
pub use silcrow_event::{ControlBlock, ControlKind, ParallelJoin};
pub use undo::{CallUndo, UndoCover, UndoCoverage, UndoneCall, undo_id};
