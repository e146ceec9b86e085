//! Fragments to complete events; says emit, run or stop, in the safe order.
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
//! use silcrow_plan::PlanDecision;
//!
//! let mut turn = Accumulator::new();
//! let mut log = Vec::new();
//! let mut take = |step: Step<'_>| log.push(match step {
//!     Step::Show(text) => format!("show {}", text.text),
//!     Step::Emit(event) => format!("emit {}", event.type_name()),
//!     Step::Plan(PlanDecision::Start(ready)) => format!("start {}", ready.id()),
//!     Step::Stop(why) => format!("stop {why:?}"),
//!     _ => String::new(),
//! });
//! let voice = TextKind::Think;
//! turn.push(Fragment::Text(TextFragment { voice, part: 1, text: "hm" }), &mut take);
//! turn.push(Fragment::Close { part: 1 }, &mut take);
//! turn.push(Fragment::Call(Call::parse("a1", r#"{"name":"ls"}"#).unwrap()), &mut take);
//! turn.push(Fragment::Execute, &mut take);
//! assert_eq!(
//!     log,
//!     ["show hm", "emit think", "emit call", "emit execute", "start a1", "stop Execute"],
//! );
//! ```
//!
//! A [`TextJoiner`] makes events and nothing else, for those who only read; a [`AnswerCap`] before it lets
//! pass what one turn may give (P-9). An [`Accumulator`] drives one turn: it shows a fragment in
//! the call that brings it, emits a call before it may run, says what the plan decides, and stops
//! at the execution point (P-13), at the end and at the cap.
//!
//! It reads no wire text, stores nothing, runs nothing, knows no clock and never fails.

mod accumulator;
mod answers;
mod cap;
mod joiner;
mod reasoning;
mod step;
mod turn;

pub use accumulator::Accumulator;
pub use cap::{AnswerCap, AnswerLimits};
pub use joiner::TextJoiner;
pub use step::{Step, StopReason};
