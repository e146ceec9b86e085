//! The built-in tools for files, confined to one folder.
//!
//! ```toml
//! [dependencies]
//! silcrow-exec = "0.1"
//! silcrow-tools = "0.1"
//! ```
//!
//! ```
//! use silcrow_exec::Toolbox;
//! use silcrow_tools::{FileList, FileRead, FileSearch, FileWrite, Root};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let root = Root::open(".")?;
//! let mut tools = Toolbox::new();
//! tools.add(FileList::new(&root))?;
//! tools.add(FileRead::new(&root))?;
//! tools.add(FileSearch::new(&root))?;
//! tools.add(FileWrite::new(&root))?;
//! # Ok(())
//! # }
//! ```
//!
//! A path is resolved one name at a time, from one open folder to the next, and nothing is decided
//! from its text alone. `..` and links that lead out of the root are rejected. Links that stay
//! inside are followed, except at the end of a path that is written. An absolute path is accepted
//! if it is beneath the root. Only regular files are read or replaced. Messages to the model repeat
//! paths as it wrote them, and show the root's own path only to a model that asks for an absolute
//! path outside.
//!
//! Files that make git run commands are never written, even if a repository has its hooks in
//! another folder. A [`Root`] protects further files that its caller names, and recognizes them by
//! device and inode. At most four calls work on the files of a root at once. Each has a buffer of
//! bounded size and checks for cancellation while it reads and writes.
//!
//! [`Spills`] keeps the whole of an output that is longer than its cap, and the model reads it with
//! `file_read`.
//!
//! A [`ChangeJournal`] keeps what files were before `file_write` changed them, and takes the changes
//! of a turn, a run or a conversation back. It restores all files or none, names those that have
//! changed since, and takes an undo back in the same way.
//!
//! A hard link in the root to a file elsewhere counts as a file of the root, because the two cannot
//! be distinguished. There are no tools for commands or the web yet, and the root does not confine
//! other code. A new tool implements [`Tool`](silcrow_exec::Tool), in any crate.

mod approved_risk;
mod blocking;
mod by_conversation;
mod change_set;
mod changes;
mod diff;
mod edit;
mod encoding;
mod entries;
mod file_search;
mod git_hooks;
mod ignore_rules;
mod known_files;
mod line_ends;
mod line_source;
mod line_view;
mod lines;
mod list;
mod messages;
mod nearest_text;
mod protect;
mod read;
mod replace;
mod replace_plan;
mod replacement;
mod resolve;
mod risky_names;
mod root;
mod search;
mod search_query;
mod search_report;
mod spills;
mod temporary;
mod text_edits;
mod text_file;
mod tree_list;
mod tree_walk;
mod undo;
mod write;
mod write_target;

pub use changes::{ChangeJournal, ChangeLimits};
pub use edit::FileEdit;
pub use list::FileList;
pub use read::FileRead;
pub use replace::FileReplace;
pub use root::{Error, ErrorKind, Root};
pub use search::FileSearch;
pub use spills::Spills;
pub use undo::{FileOutcome, UndoRefusal, UndoReport, UndoRequest, UndoneFile};
pub use write::FileWrite;
