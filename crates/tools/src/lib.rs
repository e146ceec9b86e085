//! The built-in tools, confined to one folder.
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
//! Every path is walked one name at a time, from folder to open folder: `..` and links that lead out
//! are rejected, links that stay inside are followed, except one that is to be written, and no
//! decision rests on the text of a path. Absolute paths are accepted beneath the root. Only regular
//! files are read or replaced. Messages to the model name paths as it wrote them; only a model that
//! asks for an absolute path outside reads the root's own.
//!
//! What makes git run commands is never written, also where a repository says that its hooks are
//! elsewhere, and a [`Root`] protects what its caller names: it is recognized by device and inode. At
//! most four calls work on the files of a root at once, with buffers of fixed size, and each looks
//! at its cancellation while it reads and writes.
//!
//! [`Spills`] keeps what calls gave beyond their cap, and `file_read` reads it, too.
//!
//! A hard link into the root is a file of the root: nothing here can tell it from another. There
//! are no tools for commands or the web yet, and the root is no sandbox for other code.

mod blocking;
mod hooks;
mod lines;
mod list;
mod names;
mod protect;
mod read;
mod replace;
mod resolve;
mod root;
mod search;
mod spills;
mod tell;
mod text;
mod text_query;
mod walk;
mod write;

pub use list::FileList;
pub use read::FileRead;
pub use root::{Error, ErrorKind, Root};
pub use search::FileSearch;
pub use spills::Spills;
pub use write::FileWrite;
