//! Shows an agent's run in a terminal or a pipe, and asks the person about its calls.
//!
//! ```toml
//! [dependencies]
//! silcrow-agent = "0.1"
//! silcrow-console = "0.1"
//! silcrow-event = "0.1"
//! silcrow-tool = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use std::io::Read as _;
//!
//! use silcrow_agent::Agent;
//! use silcrow_console::ConsoleOutput;
//! use silcrow_console::options::ConsoleOptions;
//! use silcrow_console::screen::Screen;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::MemoryStore;
//! use silcrow_tool::Scope;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let model = ScriptedModel::parse("§think: easy\n§respond: It is 4.\n§end", 1);
//!     let agent = Agent::new(model, MemoryStore::new());
//!
//!     // A program writes to `ConsoleOutput::of_process()`; this one reads what it has written.
//!     let (mut answer, to_answer) = std::io::pipe()?;
//!     let (mut aside, to_aside) = std::io::pipe()?;
//!     let output = ConsoleOutput::new(to_answer, to_aside);
//!     let mut screen = Screen::new(Vec::new(), output, &ConsoleOptions::new());
//!
//!     let mut show = |event: silcrow_event::RunEventRef<'_>| screen.show(event);
//!     agent.run(Scope::new("c1"), "What is 2 + 2?", &mut show).await?;
//!     screen.finish()?;
//!     drop(screen);
//!
//!     let (mut written, mut beside) = (String::new(), String::new());
//!     answer.read_to_string(&mut written)?;
//!     aside.read_to_string(&mut beside)?;
//!     assert_eq!(written, "It is 4.\n");
//!     assert!(beside.starts_with("easy\n"));
//!     Ok(())
//! }
//! ```
//!
//! ```text
//!               ┌─► Screen      lines: the answer to one stream, everything else to another
//! events ───────┼─► LiveScreen  a terminal: lines that stay, and rows below them that change
//!               └─► Printer     JSON lines, for programs
//! questions ◄───► TerminalApprover ◄─── keys or lines of the person
//! ```
//!
//! - [`screen`] writes to pipes, files and terminals that cannot move their cursor.
//! - [`live`] draws on all other terminals: Markdown, calls with their output, a status line, and
//!   the line being typed. [`attend`] is the loop that connects a run, its screen, the keys and the
//!   questions.
//! - [`edit`] edits the line that a person types between two runs, with a history and a menu.
//! - [`approve`] has the approver that asks the person, and [`question`] the wording of questions.
//! - [`printer`] prints JSON for programs, and [`pager`] pages long output.
//! - [`options`] has a person's choices as plain values.
//!
//! Screens draw on any writer, and keys may come from a channel, so tests need no terminal: this
//! crate's own tests read an emulated one. The output of models and tools is untrusted: hidden
//! characters are shown as their code points, and only the program's own rows appear left of the
//! gutter.
//!
//! # What it does not do
//!
//! It reads no arguments or settings, and no files except the history of typed lines. It does not
//! scroll: completed rows belong to the terminal. It does not decide which calls need a question;
//! `silcrow-policy` does. It supports terminals of Unix only.

pub mod approve;
mod asked_terminal;
pub mod attend;
pub mod cost;
pub mod edit;
mod edit_outside;
pub mod handover;
mod instance;
pub mod interrupt;
pub mod live;
pub mod options;
mod output;
mod output_lines;
pub mod pager;
pub mod patch;
mod person_program;
#[cfg_attr(not(unix), path = "absent_person_terminal.rs")]
mod person_terminal;
pub mod printer;
mod progress_line;
pub mod question;
pub mod screen;
mod size;
pub mod styles;
mod system;
mod told_error;
mod tool_facts;
pub mod typed;

pub use asked_terminal::AskedTerminal;
pub use output::ConsoleOutput;
pub use person_program::person_program;
pub use person_terminal::{can_share_terminal, share_terminal};
pub use progress_line::ProgressLine;
pub use silcrow_term::{plural, quantity};
pub use tool_facts::ToolFacts;
