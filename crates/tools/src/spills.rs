//! Files that keep outputs which are too long for the model.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_exec::{CallContext, Spill, ToolError};
use tokio::task::spawn_blocking;

use crate::by_conversation::{file_name, is_of_call};
use crate::root::Root;

/// A folder that keeps the whole outputs of calls that are longer than their cap (P-27).
///
/// [`FileRead`](crate::FileRead) reads them as `spill:TURN-CALL`. A conversation can read only its
/// own.
#[derive(Clone, Debug)]
pub struct Spills {
    folder: PathBuf,
}

impl Spills {
    /// Creates spills in this folder, which is created when the first output is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the folder of a conversation as a root.
    pub(crate) fn root(&self, conversation: &str) -> io::Result<Root> {
        let folder = self.of(conversation);
        check(&folder)?;
        Root::open(folder).map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))
    }

    /// Removes the kept outputs of a conversation and of the conversations of its calls, and returns
    /// whether there were any. Blocks.
    ///
    /// The id of the conversation of a call is that of the outer one, the turn and the call, with
    /// `/` between them. Its outputs are found by that, unless the id is too long for the name of a
    /// file; so pass the ids of such conversations, too.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if something cannot be removed.
    pub fn remove(&self, conversation: &str) -> io::Result<bool> {
        let own = file_name(conversation);
        let folders = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            folders => folders?,
        };
        let mut removed = false;
        for folder in folders {
            let folder = folder?;
            let name = folder.file_name();
            if name.to_str().is_some_and(|name| name == own || is_of_call(name, &own)) {
                fs::remove_dir_all(folder.path())?;
                removed = true;
            }
        }
        Ok(removed)
    }

    fn of(&self, conversation: &str) -> PathBuf {
        self.folder.join(file_name(conversation))
    }
}

impl Spill for Spills {
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        async move {
            let folder = self.of(context.conversation_id());
            let name = file_name(&format!("{}-{}", context.turn(), context.call_id()));
            let (file, text) = (folder.join(&name), text.to_owned());
            let kept = spawn_blocking(move || keep(&folder, &file, &text)).await;
            match kept {
                Ok(Ok(())) => Ok(format!("{SPILL}{name}")),
                Ok(Err(error)) => Err(ToolError::new(format!("it could not be kept: {error}"))),
                Err(_) => Err(ToolError::new("the program is shutting down")),
            }
        }
        .boxed()
    }
}

/// The prefix of the name of a spilled output.
pub(crate) const SPILL: &str = "spill:";

/// Returns an error if there is a link in the place of a conversation's folder.
fn check(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder)?.is_dir() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{} is not a folder", folder.display()))),
    }
}

/// Writes an output to a file, which replaces that of an earlier attempt whole or not at all.
///
/// Only their owner can access the folder and the file. A link in the place of either is not
/// followed.
fn keep(folder: &Path, file: &Path, text: &str) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    check(folder)?;
    let new = file.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(&new)?.write_all(text.as_bytes())?;
    fs::rename(new, file)
}
