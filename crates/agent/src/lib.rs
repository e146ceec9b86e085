//! The agent's loop: ask, parse, store, run, go on.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use silcrow_agent::{Agent, Ending, Output};
//! use silcrow_exec::Cancel;
//! use silcrow_provider::Script;
//! use silcrow_store::Memory;
//!
//! let agent = Agent::new(Script::parse("§think: easy\n§respond: 4\n§end", 1), Memory::new());
//! let mut said = String::new();
//! let ending = agent
//!     .run("sums", "What is 2 + 2?", &Cancel::new(), &mut |output| {
//!         if let Output::Text(text, _) = output {
//!             said.push_str(text.text);
//!         }
//!     })
//!     .await
//!     .unwrap();
//! assert_eq!((ending, &*said), (Ending::Answered, "easy4"));
//! # });
//! ```
//!
//! ```text
//!            ┌────────── results ◄──────────┐
//! log ─► messages ─► provider ─► parser ─► accumulator ─► store ─► screen
//!  ▲                                │                       │
//!  └────────────────────────────────┼───────────────────────┘
//!                                   └─ fragments ─► screen, at once
//! ```
//!
//! One loop over the machines. What the model is sent is rebuilt from the log alone: in a request a
//! step, or, where the model keeps a connection, what is new of it ([`Mode`]). A fragment is shown before anything is stored; an event is stored
//! before it is shown; a call is stored, and marked as started, before it runs; its result is
//! stored before the model sees it (P-28). Nothing is awaited between a delta and the fragment on
//! the screen, and no task outlives the run.
//!
//! An agent may call others: a [`Child`] is a tool that runs one, an [`Llm`] one that asks a model
//! once, a [`Workflow`] one that runs a plan which nobody has to write any more.
//!
//! A run and everything that its calls run share one [`Budget`](silcrow_exec::Budget)
//! ([`Agent::budget`]). An answer that is cut after it began is asked for again in a new step, at
//! most twice a run; one that says nothing and calls nothing is told to the model once, and is then
//! an error ([`ErrorKind::NoAnswer`]).
//!
//! It picks no vendor, no store and no face, and it repeats no request whose answer has not begun.

mod again;
mod agent;
mod ask;
mod child;
mod clock;
mod drive;
mod ending;
mod error;
mod fitting;
mod inner;
mod line;
mod llm;
mod log;
mod meter;
mod recover;
mod runner;
mod silence;
mod step;
mod tap;
mod turn;
mod workflow;

pub use agent::{Agent, Eager, Ending, Output};
pub use child::Child;
pub use error::{Error, ErrorKind};
pub use line::Mode;
pub use llm::Llm;
pub use workflow::Workflow;
