//! Stored events to the messages of the next request, as a pure function.
//!
//! ```toml
//! [dependencies]
//! silcrow-context = "0.1"
//! silcrow-event = "0.1"
//! silcrow-parser = "0.1"
//! ```
//!
//! ```
//! use silcrow_context::{ToolCard, assemble, system_prompt};
//! use silcrow_event::{Call, Event, CallKind, Message, CallResult, Role};
//! use silcrow_parser::Dialect;
//!
//! let call = r#"{"name": "file_list", "args": {}}"#;
//! let log = [
//!     Event::user("what is here?"),
//!     Event::Call(Call::parse("a1", call).unwrap()),
//!     Event::Result(CallResult::success("a1", "file_list", "1 entry", "main.rs")),
//! ];
//! let messages = assemble(&log, Dialect::Sigil);
//! let said: Vec<_> = messages.iter().map(Message::text).collect();
//! assert_eq!(
//!     said,
//!     [
//!         "what is here?",
//!         "§call: {\"name\": \"file_list\", \"args\": {}}\n§execute",
//!         "§result: {\"tool\":\"file_list\",\"status\":\"success\"}\nmain.rs",
//!     ],
//! );
//!
//! let schema = r#"{"type": "object"}"#;
//! let kind = CallKind::Tool;
//! let tools = [ToolCard { kind, name: "file_list", description: "Lists a folder.", schema }];
//! let system = Message::new(Role::System, system_prompt(Dialect::Sigil, &tools, None));
//! assert!(system.text().contains("- `file_list`: Lists a folder."));
//! ```
//!
//! The same events give the same bytes, and more events leave the messages before the last turn
//! as they were, so what a provider has cached stays valid. No log makes it fail (L-7), and no
//! text in one can pass for another's: a result stays a result, a person's words stay theirs
//! (L-6).
//!
//! It does no I/O and knows no clock. It does not count tokens or leave anything out yet: all of
//! the log is sent.

mod assemble;
mod assembler;
mod history;
mod pair;
mod system;
mod transcript;

pub use assemble::{LoggedEvent, assemble, assemble_with_notice};
pub use assembler::{ContextAssembler, ContextInput, ModelLimits};
pub use history::FullHistory;
pub use system::{ToolCard, system_prompt};
pub use transcript::CONTINUE;
