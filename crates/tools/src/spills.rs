//! Files that keep outputs which are too long for the model.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use silcrow_system::SystemOpen as _;
use silcrow_tool::{CallContext, Spill, ToolError};
use tokio::task::spawn_blocking;

use crate::by_conversation::{file_name, is_of_call};
use crate::changes::folder::{make, sync};
use crate::root::Root;

/// A folder that keeps the whole outputs of calls that are longer than their cap (P-27).
///
/// [`FileRead`](crate::FileRead) reads them as `spill:TURN-CALL`. A conversation can read only its
/// own.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use silcrow_tool::{CallContext, Scope, Spill as _, Tool as _, ToolArgs};
/// use silcrow_tools::{FileRead, Root, Spills};
///
/// # let folder = tempfile::tempdir()?;
/// let spills = Spills::new(folder.path().join("spills"));
/// let context = CallContext::new(Scope::new("c1").with_turn(3), "a1");
/// let name = spills.keep(&context, "a very long output").await?;
/// assert_eq!(name, "spill:3-a1");
///
/// let read = FileRead::new(&Root::open(folder.path())?).with_spills(spills);
/// let args = ToolArgs::new(r#"{"file":"spill:3-a1"}"#);
/// assert_eq!(read.call(args, &context).await?.content.text(), "a very long output");
/// // Another conversation cannot read it.
/// assert!(read.call(args, &CallContext::new("c2", "a1")).await.is_err());
/// # Ok(())
/// # }
/// ```
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
        let folder = self.folder_of(conversation);
        check(&folder)?;
        Root::open(folder).map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))
    }

    /// Removes the kept outputs of a conversation and of the conversations of its calls, and returns
    /// whether there were any. Blocks.
    ///
    /// The id of a call's conversation is `CONVERSATION/TURN/CALL`. Its outputs are found by that,
    /// unless the id is too long for the name of a file; so pass the ids of such conversations,
    /// too.
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
        if removed {
            sync(&self.folder)?;
        }
        Ok(removed)
    }

    fn folder_of(&self, conversation: &str) -> PathBuf {
        self.folder.join(file_name(conversation))
    }

    /// Returns the folder of a call's conversation, and the name of the call's output in it.
    fn place(&self, context: &CallContext) -> (PathBuf, String) {
        let name = file_name(&format!("{}-{}", context.turn(), context.call_id()));
        (self.folder_of(context.conversation_id()), name)
    }
}

/// Runs something that blocks in its own thread.
async fn unblocked<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, ToolError> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| ToolError::new(format!("it could not be kept: {error}"))),
        Err(_) => Err(ToolError::new("the program is shutting down")),
    }
}

impl Spill for Spills {
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        async move {
            let (folder, name) = self.place(context);
            let (file, text) = (folder.join(&name), text.to_owned());
            unblocked(move || keep(&folder, &file, &mut text.as_bytes())).await?;
            Ok(format!("{SPILL}{name}"))
        }
        .boxed()
    }

    fn keep_bytes<'a>(
        &'a self,
        context: &'a CallContext,
        extension: &'a str,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        async move {
            let (folder, name) = self.place(context);
            let extension: String =
                extension.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
            // An output may have several parts, and the hash distinguishes them.
            let hash = Sha256::digest(bytes);
            let name = format!("{name}-{:02x}{:02x}{:02x}.{extension}", hash[0], hash[1], hash[2]);
            let (file, bytes) = (folder.join(&name), bytes.to_vec());
            unblocked(move || keep(&folder, &file, &mut &*bytes)).await?;
            Ok(self.folder_of(context.conversation_id()).join(name).display().to_string())
        }
        .boxed()
    }

    fn adopt<'a>(
        &'a self,
        context: &'a CallContext,
        conversation: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        async move {
            // A name with other characters is not one of ours.
            let is_ours = |name: &&str| name.bytes().all(|byte| byte != b'/' && byte != b'.');
            let Some(theirs) = name.strip_prefix(SPILL).filter(is_ours) else { return Ok(None) };
            let (from, theirs) = (self.folder_of(conversation), theirs.to_owned());
            let (folder, name) = self.place(context);
            let file = folder.join(&name);
            let copy = move || match open(&from, &theirs) {
                Ok(mut output) => keep(&folder, &file, &mut output).map(|()| true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(error) => Err(error),
            };
            Ok(unblocked(copy).await?.then(|| format!("{SPILL}{name}")))
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

/// Opens the output with this name in the folder of a conversation.
fn open(folder: &Path, name: &str) -> io::Result<File> {
    check(folder)?;
    let mut options = OpenOptions::new();
    options.read(true).without_links();
    options.open(folder.join(name))
}

/// Writes an output to a file, which replaces an earlier attempt's whole or not at all.
///
/// Only their owner can access the folder and the file. A link in the place of either is not
/// followed.
fn keep(folder: &Path, file: &Path, output: &mut dyn Read) -> io::Result<()> {
    make(folder)?;
    check(folder)?;
    let new = file.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).private();
    let mut kept = options.open(&new)?;
    io::copy(output, &mut kept)?;
    // The log names this file, and outlasts a power cut.
    kept.sync_all()?;
    fs::rename(new, file)?;
    sync(folder)
}
