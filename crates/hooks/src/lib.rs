//! Runs a person's hooks: commands that run before and after calls, at prompts, at stops and at the
//! ends of sessions, with JSON on standard input and output.
//!
//! The file format, the names of events and the fields are shared with several other tools, so
//! existing hooks keep working.
//!
//! ```toml
//! [dependencies]
//! silcrow-hooks = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_hooks::{Hook, HookCall, HookVerdict, Hooks};
//!
//! # #[cfg(unix)]
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), String> {
//!     let file = r#"{"hooks": {"PreToolUse": [
//!     {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}
//! ]}}"#;
//!     let (hooks, _) = Hook::read(file, true)?;
//!     let hooks = Hooks::new(hooks, ".");
//!     let verdict = hooks.run(&HookCall::before_tool("c1", "shell", r#"{"command":"ls"}"#)).await;
//!     let HookVerdict::Block(why) = verdict.verdict else { panic!("the hook says no") };
//!     assert!(why.ends_with("not today"), "{why}");
//!     Ok(())
//! }
//! # #[cfg(not(unix))]
//! # fn main() {}
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
//! - A [`Hook`] is read from a file: an event, a [matcher](HookMatcher), a command and a time
//!   limit.
//! - [`Hooks`] runs the hooks of an event, one after the other, until one blocks.
//! - A [`HookObserver`] receives each run, such as to store it.
//! - A hook that runs before something is a guard and fails closed: any exit status but 0 and 2,
//!   output that is not a hook's JSON, and a timeout all block, unless the hook says `"on_failure":
//!   "continue"`.
//!
//! # What it does not do
//!
//! A hook can only narrow: it cannot allow a call that would need a question, or change its
//! arguments. This crate reads no files and does not record trust; the caller does. It does not
//! confine hooks; the caller's [`HookProcess`] can.

mod hook;
mod hook_call;
mod hooked_source;
mod hooked_tool;
mod hooks;
mod matcher;
mod observer;
mod process;
mod shared_names;
mod verdict;

pub use hook::{Hook, HookEvent};
pub use hook_call::HookCall;
pub use hooked_source::HookedSource;
pub use hooked_tool::HookedTool;
pub use hooks::{HookReport, Hooks};
pub use matcher::HookMatcher;
pub use observer::HookObserver;
pub use process::{HookOutput, HookProcess, PersonProcess};
pub use verdict::{HookOutcome, HookVerdict};
