//! The loop of an agent: it asks a model, parses and stores the answer, runs its calls, and asks
//! again until the model has answered.
//!
//! ```toml
//! [dependencies]
//! silcrow-agent = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use silcrow_agent::Agent;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::MemoryStore;
//!
//! let model = ScriptedModel::parse("§think: easy\n§respond: It is 4.\n§end", 1);
//! let agent = Agent::new(model, MemoryStore::new()).with_instructions("Be brief.");
//! let answer = agent.ask("What is 2 + 2?").await.unwrap();
//! assert_eq!(answer.text, "It is 4.");
//! # });
//! ```
//!
//! ```text
//!            ┌────────── results ◄──────────┐
//! log ─► messages ─► provider ─► parser ─► accumulator ─► store ─► events
//!  ▲                                │                       │
//!  └────────────────────────────────┼───────────────────────┘
//!                                   └─ pieces of text ─► events, at once
//! ```
//!
//! [`Agent::ask`] returns an [`Answer`], [`Agent::run`] calls a function with each event, and
//! [`Agent::stream`] returns a [`RunStream`] of events that its [`RunHandle`] steers. All three are
//! the same loop.
//!
//! The loop keeps an order. A piece of text is emitted before anything is stored, and an entry is
//! stored before it is emitted. A call is stored and marked as started before it runs, and its
//! result is stored before the model reads it (P-28). What happens to a call in between is emitted
//! in its place and never stored ([`CallTransition`](silcrow_event::CallTransition)). Nothing is
//! awaited between a delta and the piece of text that it becomes. While a receiver is behind, the
//! loop reads no more deltas.
//!
//! In every step a [`ContextAssembler`](silcrow_context::ContextAssembler) makes the messages for
//! the model from the log. Where the model keeps a connection, only what is new is sent
//! ([`ConnectionMode`]).
//!
//! An agent may call others: a [`ChildAgent`] is a tool that runs an agent, an [`Llm`] asks a model
//! once, and a [`Workflow`] runs a plan that is written beforehand. A run and everything that its
//! calls run share one [`Budget`](silcrow_exec::Budget).
//!
//! An answer that is cut after it began is asked for again in a new step, at most twice in a run.
//! An answer that says nothing and calls nothing is reported to the model once, and is then an
//! error ([`ErrorKind::NoAnswer`]).
//!
//! This crate chooses no model, store or front end: a program passes in a
//! [`Provider`](silcrow_provider::Provider) and a [`Store`](silcrow_store::Store), and a front end
//! reads the events of a run. The crate does not repeat a request that failed before its answer
//! began; the wrappers of providers in `silcrow-provider` do. The
//! [glossary](https://github.com/silcrow/silcrow/blob/main/docs/glossary.md) explains the words
//! used here.

mod admission;
mod again;
mod agent;
mod answer;
mod background;
mod builder;
mod child;
mod clock;
mod connection;
mod drive;
mod ending;
mod error;
mod inbox;
mod inner;
mod llm;
mod log;
mod meter;
mod names;
mod options;
mod outbox;
mod outcome;
mod outlet;
mod parts;
mod prompts;
mod reader;
mod recover;
mod request;
mod runner;
mod silence;
mod sink;
mod stream;
mod transition;
mod turn;
mod workflow;

pub use agent::Agent;
pub use answer::{Answer, AnsweredCall};
pub use child::ChildAgent;
pub use error::{Error, ErrorKind};
pub use llm::Llm;
pub use options::{AgentOptions, AgentRoot, ConnectionMode, EagerStart};
pub use outcome::RunOutcome;
pub use stream::{Approvals, OnDrop, RunHandle, RunStream, StreamOptions};
pub use workflow::Workflow;
