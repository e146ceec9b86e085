//! The built-in tools for files, confined to one folder.
//!
//! ```toml
//! [dependencies]
//! silcrow-tool = "0.1"
//! silcrow-tools = "0.1"
//! ```
//!
//! ```
//! use silcrow_tool::Toolbox;
//! use silcrow_tools::{
//!     ChangeJournal, FileEdit, FileList, FileRead, FileReplace, FileSearch, FileWrite, Root,
//! };
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let root = Root::open(".")?;
//!     let journal = ChangeJournal::new("/var/lib/silcrow/changes");
//!     let mut tools = Toolbox::new();
//!     tools.add(FileList::new(&root))?;
//!     tools.add(FileSearch::new(&root))?;
//!     tools.add(FileRead::new(&root).with_journal(&journal))?;
//!     tools.add(FileEdit::new(&root).with_journal(&journal))?;
//!     tools.add(FileWrite::new(&root).with_journal(&journal))?;
//!     tools.add(FileReplace::new(&root).with_journal(&journal))?;
//!     Ok(())
//! }
//! ```
//!
//! The tools' changes can be undone, in this process or a later one:
//!
//! ```
//! use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs};
//! use silcrow_tools::{ChangeJournal, FileWrite, Root, UndoRequest};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let folder = tempfile::tempdir()?;
//!     std::fs::create_dir(folder.path().join("app"))?;
//!     let root = Root::open(folder.path().join("app"))?;
//!     let journal = ChangeJournal::new(folder.path().join("changes"));
//!     let write = FileWrite::new(&root).with_journal(&journal);
//!     let context = CallContext::new(Scope::new("c1").with_turn(1), "a1");
//!     let args = ToolArgs::new(r#"{"file":"notes.md","content":"Buy bread."}"#);
//!     write.call(args, &context).await?;
//!
//!     let report = journal.undo(&root, &UndoRequest::new("c1"))?;
//!     assert_eq!((report.files.len(), report.refusals.len()), (1, 0));
//!     assert!(!folder.path().join("app/notes.md").exists());
//!     Ok(())
//! }
//! ```
//!
//! | tool | what it does |
//! |---|---|
//! | `file_list` | lists a folder as a tree with sizes, without what git ignores |
//! | `file_search` | finds lines by a text or a pattern, with globs and lines around them |
//! | `file_read` | reads a file as it is, or lines of it with numbers |
//! | `file_edit` | replaces exact and unique texts in a file, all edits or none, and returns the difference |
//! | `file_write` | creates a file, or replaces one that the conversation has read |
//! | `file_replace` | replaces a text or a pattern in many files, in all of them or in none |
//! | `todo` | keeps the list of what an agent still has to do |
//!
//! # Where tools may go
//!
//! A path is resolved one name at a time, from one open folder to the next, and never judged by its
//! text alone. `..` and links that lead out of the root are rejected. Links that stay inside are
//! followed, except at the end of a path that is written. An absolute path is accepted if it is
//! beneath the root. Only regular files are read or replaced. Messages repeat paths as the model
//! wrote them, and reveal the root's path only to a model that asks for an absolute path outside.
//!
//! Some places carry a risk, and a call that touches them needs a separate approval: changing git's
//! files, files that the caller [protects](Root::with_protected), and files that shells, editors
//! and tools run automatically, such as `.bashrc` and `.vscode/tasks.json`; reading or editing
//! files that usually hold secrets, such as `.env` and private keys. The preview of the call states
//! the risk, which is compared again when the file is touched. A search skips secrets, and
//! [private](Root::with_private) paths are never touched.
//!
//! At most four calls work on the files of a root at once, each with buffers of bounded size. They
//! check for cancellation while reading and writing.
//!
//! # Reading before writing
//!
//! `file_write` replaces a file only if the conversation knows its contents: it has read the file,
//! at least in part, or written it, and the file has not changed since. All tools of a [`Root`] and
//! its clones share this knowledge, and a journal keeps it for later processes.
//!
//! # Taking changes back
//!
//! A [`ChangeJournal`] saves files before tools change them, and reverts the changes of a turn, a
//! run or a conversation. It restores all files or none, names the files that have changed since,
//! and can revert an undo in the same way. A [`CommandKeeper`] looks at the root around each
//! command, so that the changes of commands can be undone, too.
//!
//! [`Spills`] keeps outputs that exceed their cap, for the model to read with `file_read`.
//!
//! A hard link in the root to a file elsewhere counts as a file of the root, because the two cannot
//! be told apart. The root does not confine other code. To add a tool, implement
//! [`Tool`](silcrow_tool::Tool) in any crate.

mod approved_risk;
mod blocking;
mod by_conversation;
mod change_set;
mod changes;
mod decoded_reader;
mod diff;
mod edit;
mod encoding;
mod encoding_name;
mod entries;
mod exact_text;
mod file_search;
mod file_state;
mod git_hooks;
mod ignore_rules;
mod kept_media;
mod known_contents;
mod known_files;
mod legacy_encoding;
mod line_ends;
mod line_source;
mod line_view;
mod lines;
mod list;
mod lookalike_names;
mod messages;
mod nearest_text;
mod open_folder;
mod previewed_lines;
mod protect;
mod read;
mod read_media;
mod read_pdf;
mod replace;
mod replace_plan;
mod replacement;
mod resolve;
mod risky_names;
mod root;
mod search;
mod search_query;
mod search_report;
mod shown_lines;
mod snapshot;
mod spills;
mod start_names;
mod styled_text;
mod system;
mod temporary;
mod text_commands;
mod text_edits;
mod text_file;
mod text_source;
mod todo;
mod tree_list;
mod tree_walk;
mod undo;
mod undo_call;
mod write;
mod write_target;

pub use changes::{ChangeJournal, ChangeLimits};
pub use edit::FileEdit;
pub use kept_media::KeptMedia;
pub use list::FileList;
pub use read::FileRead;
pub use replace::FileReplace;
pub use risky_names::{is_secret_path, secret_attributes, start_names};
pub use root::{Error, ErrorKind, Root};
pub use search::FileSearch;
pub use snapshot::CommandKeeper;
pub use spills::Spills;
pub use todo::{Todo, TodoItem, TodoStatus, todo_items};
pub use undo::{
    FileDifference, FileOutcome, RunDifference, UndoRefusal, UndoReport, UndoRequest, UndoneFile,
};
pub use write::FileWrite;
