//! Which call may run next.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-plan = "0.1"
//! ```
//!
//! ```
//! use silcrow_event::{ActionAttributes, Call, CallMode, CallResult};
//! use silcrow_plan::{PlanDecision, Plan};
//!
//! let asynchronous = |id: &str, content: &str| {
//!     let action = ActionAttributes { mode: CallMode::Async, ..ActionAttributes::default() };
//!     Call::parse(id, content).unwrap().with_action(action)
//! };
//! let mut plan = Plan::new();
//! plan.push(asynchronous("wiki", r#"{"name":"fetch","args":{"url":"https://example.com"}}"#));
//! plan.push(asynchronous("sum", r#"{"name":"summarize","args":{"text":"$wiki"}}"#));
//!
//! // The second waits for the first, whose output it uses.
//! let Some(PlanDecision::Start(fetch)) = plan.decide() else { panic!() };
//! assert_eq!((fetch.id(), plan.decide()), ("wiki", None));
//!
//! plan.finish("wiki", CallResult::success("wiki", "fetch", "1 page", "All about it."));
//! let Some(PlanDecision::End { .. }) = plan.decide() else { panic!() };
//! let Some(PlanDecision::Start(sum)) = plan.decide() else { panic!() };
//! assert_eq!(sum.args(), r#"{"text":"All about it."}"#);
//! ```
//!
//! Calls and outcomes in, decisions out: a [`Plan`] takes the calls of one turn as the model
//! completes them, and what came of each attempt, and gives out what to start, to stop and to
//! tell. Calls of `sigil` and `phase` are batches, held back until their execution point (P-13,
//! P-17). Actions start as soon as they may: after what they depend on, after the outputs whose
//! `$name` they use, and after every earlier `sync` action (P-24, P-25, P-26). Each call ends
//! exactly once, in one of four ways: [`CallEnd`].
//!
//! An [`AnswerRenderer`] holds back the response text that waits for an action or a `$name`.
//!
//! It runs nothing, waits for nothing, knows neither tools nor a clock, and never fails.

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
pub use decision::{CallEnd, PlanDecision, ReadyCall};
pub use limits::PlanLimits;
pub use plan::Plan;
