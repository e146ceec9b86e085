//! Which call may run next.
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
//! attempt. It has two outputs, for two readers:
//!
//! - a [`PlanDecision`] is work for whatever runs the calls: start, pause or stop an attempt;
//! - a [`PlanUpdate`] is news for whatever reports them: a call has ended, an output has a name.
//!
//! Calls of `sigil` and `phase` form batches, which wait for their execution point (P-13, P-17).
//! Actions start as soon as they may: after the calls that they depend on, after the outputs whose
//! `$name` they use, and after every earlier `sync` action (P-24, P-25, P-26).
//!
//! ```text
//!            start              success, or no attempt is left
//! waiting ──────────► running ─────────────────────────────────► ended: ok, failed
//!    ▲                   │ failure, and an attempt is left
//!    └───── retry ── pausing
//!
//! any but ended ── cancel ──► ended: cancelled
//! waiting ── what it waits for ended badly ──► ended: skipped
//! ```
//!
//! Each call ends exactly once, in one of the four ways of [`CallEnd`](silcrow_event::CallEnd).
//!
//! An [`AnswerRenderer`] delays the text of an answer that waits for an action or a `$name`.
//!
//! The crate runs nothing, waits for nothing, knows neither tools nor a clock, and never fails.

mod answer;
mod arrive;
mod decision;
mod limits;
mod names;
mod node;
mod outputs;
mod plan;
mod reasons;
mod substitute;

pub use answer::{AnswerPiece, AnswerRenderer};
pub use decision::{PlanDecision, PlanUpdate, ReadyCall};
pub use limits::PlanLimits;
pub use plan::Plan;
