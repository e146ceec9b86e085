//! An agent's session with a person at a terminal: one run that is shown and asks, or a chat with slash
//! commands, completion and a history of lines.
//!
//! `silcrow-session` makes the agent and `silcrow-console` draws screens and questions; this crate
//! connects the two. `silcrow run` and `silcrow chat` are built on it, and your program gets the
//! same chat in a few lines:
//!
//! ```toml
//! [dependencies]
//! silcrow-interactive = "0.1"
//! silcrow-session = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use silcrow_interactive::chat::{ChatOptions, ChatTerminal, chat};
//! use silcrow_interactive::{AskOptions, Error};
//! use silcrow_session::{SessionHost, SessionOptions};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Error> {
//!     // The rehearsal model needs no key; a real one is `anthropic:…` or `compatible:URL#MODEL`.
//!     let mut options = AskOptions::new(SessionOptions::new("."));
//!     options.session.model = Some("rehearsal".to_owned());
//!     let named = ChatOptions { name: "my-agent".to_owned(), ..ChatOptions::default() };
//!     let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
//!     chat(options, named, ChatTerminal::of_process(), &host).await
//! }
//! ```
//!
//! Anything that can be drawn on serves as a terminal, with keys from a channel and lines from a
//! function, so tests need no terminal:
//!
//! ```
//! use std::io;
//! use std::sync::Arc;
//!
//! use silcrow_console::live::{Keyboard, LiveTerminal, TerminalSize};
//! use silcrow_interactive::chat::{ChatOptions, ChatTerminal, PromptReader, TypedPrompt, chat};
//! use silcrow_interactive::{AskOptions, Error};
//! use silcrow_session::{SessionHost, SessionOptions};
//!
//! /// Types one prompt, and leaves.
//! struct OnePrompt(Option<&'static str>);
//!
//! impl PromptReader for OnePrompt {
//!     fn read(&mut self, _: &str, _: &str) -> io::Result<TypedPrompt> {
//!         Ok(self.0.take().map_or(TypedPrompt::End, |text| TypedPrompt::Text {
//!             text: text.to_owned(),
//!             replaces_last: false,
//!         }))
//!     }
//!
//!     fn confirm(&mut self, _: &str) -> io::Result<bool> {
//!         Ok(false)
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Error> {
//!     let mut options = AskOptions::new(SessionOptions::new("."));
//! # let folder = std::env::temp_dir().join(format!("silcrow-chat-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # std::fs::write(folder.join("notes.md"), "Buy bread.").unwrap();
//! # let mut options = AskOptions::new(SessionOptions::new(&folder));
//!     options.session.model = Some("rehearsal".to_owned());
//!     options.session.store = Some("memory".into());
//!     let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
//!
//!     let (mut read, shown) = io::pipe().unwrap();
//!     let screen = LiveTerminal::new(shown, || TerminalSize { columns: 80, rows: 24 });
//!     let (_keys, typed) = tokio::sync::mpsc::channel(8);
//!     let typed = std::sync::Mutex::new(Some(typed));
//!     let keys = move || Ok(Keyboard::of_channel(typed.lock().unwrap().take().unwrap()));
//!     let lines = Box::new(OnePrompt(Some("What is in this directory?")));
//!     let reading = std::thread::spawn(move || io::read_to_string(&mut read).unwrap());
//!     chat(options, ChatOptions::default(), ChatTerminal::new(screen, lines, keys), &host).await?;
//!     let shown = reading.join().unwrap();
//!     println!("{shown}");
//! # assert!(shown.contains("notes.md"));
//! # std::fs::remove_dir_all(&folder).unwrap();
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! AskOptions ──┬─► RunFront   one run: JSON lines, lines of text, or a live screen
//!              └─► chat       prompts and slash commands, until the person leaves
//!                   ▲
//!              ChatTerminal   a live screen, keys, and a PromptReader
//! ```
//!
//! - [`chat`](mod@chat) reads prompts with an editor that completes commands, files after `@`,
//!   conversations, and the offers of MCP servers. Slash commands choose the model, the dialect and
//!   the permission mode, fork, summarize, and take prompts back.
//! - [`RunFront`] shows one run and provides the [approver](RunFront::approver) and the
//!   [elicitor](RunFront::elicitor) that ask the person.
//! - [`CallFront`] shows one call that a person makes by hand, and asks for approval.
//! - [`claim_conversation`] asks for the next step if another process is running the conversation.
//!
//! # What it does not do
//!
//! It reads no arguments or settings and opens no model: [`AskOptions`] has plain values. It does
//! not list, show or export conversations: a chat passes `/log`, `/diff`, `/undo` and `/export` to
//! your [`CommandRunner`](chat::CommandRunner). The future of a chat is not `Send`, so await it
//! instead of spawning it. Some messages name commands of `silcrow`, which most people know.

mod active_choice;
mod approver;
mod attended;
mod call_front;
pub mod chat;
mod console_options;
mod elicitor;
mod error;
mod front;
mod hook_lines;
mod options;
mod waiting;

pub use active_choice::{ClaimedRun, claim_conversation, steer};
pub use approver::{PersonRules, WatchedMode};
pub use call_front::{CallFront, CallFrontEnd};
pub use console_options::plain_console;
pub use elicitor::PersonElicitor;
pub use error::{Error, ErrorKind};
pub use front::{FrontEnd, RunFront};
pub use options::AskOptions;
pub use waiting::waiting_line;
