//! Hooks of an agent: commands of a person that run before and after calls, at prompts, at stops and at the ends
//! of sessions, with JSON at their standard input and JSON at their standard output.
//!
//! The form of the file, the names of events and the fields are those that several tools share, so that commands
//! move over.
//!
//! ```toml
//! [dependencies]
//! silcrow-hooks = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! # #[cfg(unix)] {
//! use silcrow_hooks::{Hook, HookCall, HookVerdict, Hooks};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let file = r#"{"hooks": {"PreToolUse": [
//!     {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}
//! ]}}"#;
//! let (hooks, _) = Hook::read(file, true)?;
//! let hooks = Hooks::new(hooks, ".");
//! let verdict = hooks.run(&HookCall::before_tool("c1", "shell", r#"{"command":"ls"}"#)).await;
//! let HookVerdict::Block(why) = verdict.verdict else { panic!("the hook says no") };
//! assert!(why.ends_with("not today"), "{why}");
//! # Ok::<_, String>(())
//! # }).unwrap();
//! # }
//! ```
//!
//! ```text
//! hooks.json ─► Hook ─┐
//!                     ├─► Hooks::run ─► HookOutcome: go on, ask, or block; words for the model
//! HookCall (JSON) ────┘       │
//!                       HookProcess: the shell of the person, or a sandbox
//! HookedTool, HookedSource: a tool, and tools of others, with their hooks
//! ```
//!
//! - [`Hook`] is read from a file, and has an event, a [matcher](HookMatcher), a command and a time limit.
//! - [`Hooks`] runs those that an event concerns, one after the other, until one blocks.
//! - A hook before something is a guard, and fails closed: an exit status other than 0 and 2, output that is no
//!   JSON of a hook, and a time limit that is over block, unless the hook says `"on_failure": "continue"`.
//!
//! # What it does not do
//!
//! A hook only narrows: it cannot allow a call that would be asked about, nor change its arguments. This crate
//! reads no files and keeps no record of what is trusted: the caller does. It does not confine hooks; a
//! [`HookProcess`] of the caller can.

mod hook;
mod hook_call;
mod hooked_source;
mod hooked_tool;
mod hooks;
mod matcher;
mod process;
mod shared_names;
mod verdict;

pub use hook::{Hook, HookEvent};
pub use hook_call::HookCall;
pub use hooked_source::HookedSource;
pub use hooked_tool::HookedTool;
pub use hooks::{HookReport, Hooks};
pub use matcher::HookMatcher;
pub use process::{HookOutput, HookProcess, PersonProcess};
pub use verdict::{HookOutcome, HookVerdict};
