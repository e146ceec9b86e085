//! Opens an agent session from plain options: an agent with a store, tools, MCP servers, a policy,
//! titles, a profile and telemetry.
//!
//! `silcrow run`, the terminal session, the server, the editor integration and the MCP server all
//! use this library. Your program gets the same agent in a few lines, and displays it in its own
//! way:
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-session = "0.1"
//! silcrow-tool = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use silcrow_event::{Event, RunEventRef};
//! use silcrow_session::{AgentSession, Error, SessionHost, SessionOptions};
//! use silcrow_tool::DenyAll;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Error> {
//! # let folder = std::env::temp_dir().join(format!("silcrow-first-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # std::fs::write(folder.join("notes.md"), "Buy bread.").unwrap();
//!     // The rehearsal model needs no key; a real one is `anthropic:…` or `compatible:URL#MODEL`.
//!     let root = ".";
//! # let root = &folder;
//!     let mut options = SessionOptions::new(root);
//!     options.model = Some("rehearsal".to_owned());
//!     options.store = Some("memory".into());
//!     let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
//!
//!     let mut session = AgentSession::open(options, &host).await?;
//!     // What the policy leaves open is denied here; `silcrow-console` has an approver that asks.
//!     let agent = session.agent(DenyAll);
//!     let mut answer = String::new();
//!     let mut show = |event: RunEventRef<'_>| {
//!         if let RunEventRef::Entry(entry) = event
//!             && let Event::Respond(respond) = &entry.event
//!         {
//!             answer += &respond.content;
//!         }
//!     };
//!     session.ask(&agent, "What is in this directory?", &mut show).await?;
//!     session.finish().await;
//!     println!("{answer}");
//! # assert!(answer.contains("notes.md"), "{answer}");
//! # std::fs::remove_dir_all(&folder).unwrap();
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! SessionOptions ─► SessionSetup ─► AgentSession ─► Agent ─► events
//!   plain values     checked,        an open store,   any number,
//!   (of settings)    nothing open    servers that     each with its
//!                                    run              approver
//!                         ▲
//!                    SessionHost: notices, and whether a manifest is trusted
//! ```
//!
//! - [`SessionOptions`] has every option as a plain value, and [`SessionOptions::of_settings`]
//!   takes the settings of the person and the project.
//! - [`SessionSetup::check`] finds every mistake in the options before anything is opened, so a
//!   wrong option changes nothing. [`AgentSession::open`] does both.
//! - [`AgentSession::agent`] makes agents. A session opens a conversation by a person's name for it
//!   ([`RunTarget`]) and claims it, so that two processes do not run it at once ([`claim`]).
//! - [`prompt`] collects the files and server texts that a prompt mentions, [`servers`] the MCP
//!   servers, [`tools`] the built-in tools with the person's protections, [`policy`] the rules, and
//!   [`instructions`] the `AGENTS.md` files.
//! - [`OneCall`] is a call made by a person instead of a model.
//! - [`context`] shows the messages of a conversation that a model reads, and its summary.
//! - [`StorePlace`] is where conversations are stored: memory, a folder or a database. [`Deletion`]
//!   removes a conversation with everything kept for it, and [`undo`] reverts changes of files.
//!
//! # What it does not do
//!
//! It prints nothing, has no command line or terminal, and asks nobody: your program supplies an
//! approver, an elicitor and a [`SessionHost`]. It does not render events (`silcrow-console`),
//! serve them (`silcrow-server`), or read settings files (`silcrow-settings`). Error messages name
//! options of the command `silcrow`, which most people know; use [`Error::kind`] to write your own.
//! Environment variables have the same effect as for the command: `SILCROW_MODEL`, `SILCROW_USER`,
//! vendors' keys, and OpenTelemetry's variables. All sessions of a process share telemetry and the
//! command that prints a key.

mod add_event;
mod after_run;
mod agents;
mod answer_schema;
mod built_in_prompts;
pub mod claim;
mod coding;
pub mod context;
mod conversation_media;
mod damage;
mod decoder;
mod deletion;
mod elsewhere;
mod environment;
mod error;
mod fork;
mod held_grammar;
mod hint;
mod hook_log;
mod hooks;
mod host;
pub mod instructions;
mod kept_mode;
mod kept_refusal;
mod learning;
mod listed_window;
mod machine;
pub mod manifest;
pub mod model;
mod model_facts;
mod model_senses;
mod one_call;
mod opening;
mod options;
mod plan_mode;
pub mod policy;
mod prices;
pub mod prompt;
mod retry_line;
mod running_subagents;
pub mod servers;
mod services;
mod session;
mod session_hooks;
mod session_mode;
mod setup;
mod shared_servers;
mod skills;
mod store;
mod stored_events;
mod subagents;
mod surroundings;
mod target;
mod task;
mod telemetry;
mod text_file;
mod titling;
pub mod tools;
pub mod undo;
mod user;
#[cfg_attr(not(feature = "web"), path = "web/absent.rs")]
mod web;
mod workflow;
mod worktree;

pub use after_run::AfterRun;
pub use answer_schema::AnswerSchema;
pub use coding::checked_out;
pub use damage::{ToldDamage, damage_line};
pub use decoder::{ConfinedDecoder, decode_if_asked};
pub use deletion::{Deleted, Deletion};
pub use elsewhere::{other_holder, wait_for_others};
pub use error::{Error, ErrorKind};
pub use fork::ForkName;
pub use hint::hint;
pub use hooks::{hook_counts, revoke_hooks, trust_hooks};
pub use host::SessionHost;
pub use learning::{ProfileLearner, learned_changes};
pub use one_call::OneCall;
pub use options::{
    InstructionOptions, PolicyOptions, SessionOptions, WebOptions, WindowOptions, effort_words,
};
pub use running_subagents::RunningSubagents;
pub use session::AgentSession;
pub use session_hooks::HookedPrompt;
pub use session_mode::{AcceptedPlan, ModeChanges, SessionMode};
pub use setup::SessionSetup;
pub use shared_servers::SharedServers;
pub use skills::{NamedPrompt, SessionSkills, revoke_skills, trust_skills};
pub use store::{DatabasePlace, LateStore, OTHER_STORE, OpenStore, StorePlace, new_conversation};
pub use stored_events::stored_events;
pub use subagents::add_subagents;
pub use surroundings::{shown_folder, today};
pub use target::RunTarget;
pub use task::RunTask;
pub use telemetry::{
    StoredTrace, TelemetrySettings, finish_telemetry, start_telemetry, within_caller,
};
pub use user::user;
pub use workflow::add_workflow;
pub use worktree::{Worktree, WorktreeState};
