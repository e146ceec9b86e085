//! Opens files safely where other users may have replaced them, and keeps files private, with one
//! interface for Unix and Windows.
//!
//! ```toml
//! [dependencies]
//! silcrow-system = "0.1"
//! ```
//!
//! ```rust,standalone_crate
//! use std::fs::OpenOptions;
//! use std::io::{self, Read as _};
//!
//! use silcrow_system::{SystemMetadata as _, SystemOpen as _};
//!
//! fn main() -> io::Result<()> {
//!     let folder = tempfile::tempdir()?;
//!     let path = folder.path().join("key");
//!     // Nobody else can read what is written here.
//!     OpenOptions::new().write(true).create_new(true).private().open(&path)?;
//!
//!     // No link is followed, no pipe is waited for, and only the user's own regular file is read.
//!     let mut file = OpenOptions::new().read(true).plain().open(&path)?;
//!     let found = file.metadata()?;
//!     assert!(found.is_file() && found.is_own() && !found.is_open_to_others());
//!     let mut key = String::new();
//!     file.read_to_string(&mut key)?;
//!     assert_eq!(key, "");
//!     Ok(())
//! }
//! ```
//!
//! Programs need no `cfg`. The docs of each function describe what a system lacks:
//!
//! | | Unix | Windows |
//! |---|---|---|
//! | private files and folders | mode 0600 and 0700 | the rights inherited from the folder above, which are the user's alone in a profile |
//! | the owner of a file | is compared | every file counts as the user's |
//! | a link in the place of a file | opening fails | the link itself is opened, which is not a regular file |
//! | the identity of a file | device and inode | none |
//! | a lock of a folder | on the folder | on a file `.lock` in it |
//!
//! # What this crate does not do
//!
//! - It does not read access control lists.
//! - It does not confine anything; `silcrow-sandbox` does.
//! - It does not deal with terminals, signals or processes.

mod folder;
mod metadata;
mod open;

pub use crate::folder::{FolderLock, SystemFolder, lock_folder, sync_folder};
pub use crate::metadata::{SystemMetadata, make_private, set_mode};
pub use crate::open::SystemOpen;
