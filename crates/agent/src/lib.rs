//! The loop of an agent: ask a model, parse and store the answer, run its calls, and ask again
//! until the model has answered.
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
//! use silcrow_agent::Agent;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::MemoryStore;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let model = ScriptedModel::parse("§think: easy\n§respond: It is 4.\n§end", 1);
//!     let agent = Agent::new(model, MemoryStore::new()).with_instructions("Be brief.");
//!     let answer = agent.ask("What is 2 + 2?").await.unwrap();
//!     assert_eq!(answer.text, "It is 4.");
//! }
//! ```
//!
//! A tool is an async function with a name, a description and a schema. The agent runs the calls,
//! and the log records everything that happened (this program also uses `futures-util` and
//! `silcrow-exec`):
//!
//! ```
//! use std::sync::Arc;
//!
//! use futures_util::future::BoxFuture;
//! use silcrow_agent::Agent;
//! use silcrow_exec::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::{MemoryStore, Store as _};
//!
//! struct Clock;
//!
//! impl Tool for Clock {
//!     fn name(&self) -> &str {
//!         "clock"
//!     }
//!     fn description(&self) -> &str {
//!         "Tells the time."
//!     }
//!     fn schema(&self) -> &str {
//!         r#"{"type":"object"}"#
//!     }
//!     fn call<'a>(
//!         &'a self,
//!         _: ToolArgs<'a>,
//!         _: &'a CallContext,
//!     ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
//!         Box::pin(async { Ok(ToolOutput::new("", "12:00")) })
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let script = "§call: {\"name\": \"clock\"}\n§execute\n%%\n§respond: It is noon.\n§end";
//!     let store = Arc::new(MemoryStore::new());
//!     let agent =
//!         Agent::new(ScriptedModel::parse(script, 1), store.clone()).with_tool(Clock).unwrap();
//!     assert_eq!(agent.ask_in("talk", "How late is it?").await.unwrap().text, "It is noon.");
//!
//!     let log = store.read("talk", 1..=4).await.unwrap();
//!     let kinds: Vec<_> = log.iter().map(|entry| entry.event.type_name()).collect();
//!     assert_eq!(kinds, ["user", "call", "result", "respond"]);
//! }
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
//! [`Agent::ask`] returns an [`Answer`]. [`Agent::run`] calls a function with each event.
//! [`Agent::stream`] returns a [`RunStream`] of events and a [`RunHandle`] that steers the run. All
//! three run the same loop.
//!
//! The loop guarantees an order. Text is emitted before anything is stored, so a screen never waits
//! for a disk; a log entry is stored before it is emitted; a call is stored and marked as started
//! before it runs; and its result is stored before the model reads it (P-28). State changes of a
//! call, such as a pause, are emitted as they happen and never stored
//! ([`CallTransition`](silcrow_event::CallTransition)). Between receiving a delta, which is a piece
//! of the answer, and emitting its text, the loop awaits nothing. A slow receiver slows down the
//! reading of deltas. Labels such as P-28 refer to clauses of [the protocol].
//!
//! Before each request, a [`ContextAssembler`](silcrow_context::ContextAssembler) builds the
//! model's messages from the log. If the model keeps a connection, only new messages are sent
//! ([`ConnectionMode`]).
//!
//! Agents can call other agents: a [`ChildAgent`] is a tool that runs one, an [`Llm`] asks a model
//! once, and a [`Workflow`] runs prepared actions. A run shares one
//! [`Budget`](silcrow_exec::Budget) with everything its calls run.
//!
//! If an answer breaks off, the model is asked again, at most twice in a run. A message that is not
//! an answer, because it has no text, hides or misspells a call, or only announces one, gets a
//! notice; the third such message in a row ends the run with [`ErrorKind::NoAnswer`]. Calls that
//! are repeated again and again end it with [`ErrorKind::Repetition`].
//!
//! This crate does not choose a model, a store or a front end: your program passes in a
//! [`Provider`](silcrow_provider::Provider) and a [`Store`](silcrow_store::Store), and a front end
//! reads the events of a run. It does not repeat a request that fails before the answer begins;
//! wrap the model in `silcrow_provider::Retry` for that. The
//! [glossary](https://github.com/silcrow/silcrow/blob/main/docs/glossary.md) explains the terms.
//!
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md

mod accounts;
mod admission;
mod after_end;
mod agent;
mod answer;
mod background;
mod builder;
mod call_forms;
mod child;
mod clock;
mod connection;
mod current_tools;
mod draft;
mod drive;
mod ending;
mod error;
mod fault;
mod fork;
mod given_answer;
mod given_up;
mod inbox;
mod inner;
mod interrupted_loop;
mod kept_outputs;
mod llm;
mod log;
mod marks;
mod mention;
mod meter;
mod metered;
mod model_limits;
mod model_media;
mod model_summary;
mod names;
mod native_forms;
mod native_wire;
mod next_context;
mod observer;
mod options;
mod outbox;
mod outcome;
mod outlet;
mod parked_answer;
mod parked_run;
mod parts;
mod profile;
mod prompts;
mod question_group;
mod questions;
mod reader;
mod recover;
mod refused_media;
mod repeat;
mod repetition;
mod replay;
mod request;
mod request_media;
mod review;
mod rollback;
mod run_order;
mod runner;
mod sink;
mod spawned_run;
mod steer_message;
mod steer_stored;
mod step_kind;
mod stored_turn;
mod stream;
mod template;
mod trace;
mod transition;
mod turn;
mod turn_replay;
mod watch;
mod window;
mod with_profile;
mod workflow;

pub use accounts::StoredAccounts;
pub use agent::Agent;
pub use answer::{Answer, AnsweredCall};
pub use call_forms::CallForms;
pub use child::ChildAgent;
pub use error::{Error, ErrorKind};
pub use fork::begin_fork;
pub use given_up::give_up;
pub use llm::Llm;
pub use next_context::NextContext;
pub use observer::{EventWatch, ObservedRun, RunObserver};
pub use options::{AgentOptions, AgentRoot, ConnectionMode, EagerStart};
pub use outcome::RunOutcome;
pub use parked_run::ParkedRun;
pub use question_group::QuestionGroup;
pub use questions::{ParkedQuestion, QuestionAnswer};
pub use refused_media::RefusalMemory;
pub use run_order::RunOrder;
pub use spawned_run::SpawnedRun;
pub use steer_message::SteerMessage;
pub use steer_stored::steer_stored;
pub use stream::{Approvals, OnDrop, RunHandle, RunStream, StreamOptions};
pub use workflow::{InlineWorkflow, Workflow};
