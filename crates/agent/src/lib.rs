//! The agent's loop: ask, parse, store, run, go on.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use silcrow_agent::{Agent, RunOutcome, RunEvent};
//! use silcrow_exec::CancellationToken;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::MemoryStore;
//!
//! let agent = Agent::new(ScriptedModel::parse("§think: easy\n§respond: 4\n§end", 1), MemoryStore::new());
//! let mut said = String::new();
//! let ending = agent
//!     .run("sums", "What is 2 + 2?", &CancellationToken::new(), &mut |output| {
//!         if let RunEvent::Text(text, _) = output {
//!             said.push_str(text.text);
//!         }
//!     })
//!     .await
//!     .unwrap();
//! assert_eq!((ending, &*said), (RunOutcome::Answered, "easy4"));
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
//! step, or, where the model keeps a connection, what is new of it ([`ConnectionMode`]). A fragment is shown before anything is stored; an event is stored
//! before it is shown; a call is stored, and marked as started, before it runs; its result is
//! stored before the model sees it (P-28). Nothing is awaited between a delta and the fragment on
//! the screen, and no task outlives the run.
//!
//! An agent may call others: a [`ChildAgent`] is a tool that runs one, an [`Llm`] one that asks a model
//! once, a [`Workflow`] one that runs a plan which nobody has to write any more.
//!
//! A run and everything that its calls run share one [`Budget`](silcrow_exec::Budget)
//! ([`Agent::with_budget`]). An answer that is cut after it began is asked for again in a new step, at
//! most twice a run; one that says nothing and calls nothing is told to the model once, and is then
//! an error ([`ErrorKind::NoAnswer`]).
//!
//! It picks no vendor, no store and no face, and it repeats no request whose answer has not begun.

mod again;
mod agent;
mod ask;
mod background;
mod child;
mod clock;
mod connection;
mod drive;
mod ending;
mod error;
mod fitting;
mod inner;
mod llm;
mod log;
mod meter;
mod outbox;
mod reading;
mod recover;
mod runner;
mod silence;
mod sink;
mod turn;
mod workflow;

pub use agent::{Agent, EagerStart, RunEvent, RunOutcome};
pub use child::ChildAgent;
pub use connection::ConnectionMode;
pub use error::{Error, ErrorKind};
pub use llm::Llm;
pub use workflow::Workflow;
