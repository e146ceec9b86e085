use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_exec::{Context, Failure, Spill};
use tokio::task::spawn_blocking;

use crate::root::Root;

/// What calls gave beyond their cap, in a folder of its own (P-27). [`FileRead`](crate::FileRead)
/// reads it as `spill:TURN-CALL`, and a conversation only its own.
#[derive(Clone, Debug)]
pub struct Spills {
    folder: PathBuf,
}

impl Spills {
    /// In this folder, which is made when something is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder of a conversation, as a root that can be read beneath.
    pub(crate) fn root(&self, conversation: &str) -> io::Result<Root> {
        Root::open(self.of(conversation))
            .map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))
    }

    fn of(&self, conversation: &str) -> PathBuf {
        self.folder.join(file_name(conversation))
    }
}

impl Spill for Spills {
    fn keep<'a>(
        &'a self,
        context: &'a Context,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, Failure>> {
        async move {
            let folder = self.of(context.conversation());
            let name = file_name(&format!("{}-{}", context.turn(), context.call()));
            let (file, text) = (folder.join(&name), text.to_owned());
            let kept = spawn_blocking(move || keep(&folder, &file, &text)).await;
            match kept {
                Ok(Ok(())) => Ok(format!("{SPILL}{name}")),
                Ok(Err(error)) => Err(Failure::new(format!("it could not be kept: {error}"))),
                Err(_) => Err(Failure::new("the program is shutting down")),
            }
        }
        .boxed()
    }
}

/// What the name of a spilled text begins with.
pub(crate) const SPILL: &str = "spill:";

/// Another attempt takes the place of the one before, whole or not at all.
fn keep(folder: &Path, file: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let new = file.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, file)
}

/// The id as the name of one file: letters, digits, `-` and `_` as they are, other bytes as `%` and
/// two digits; of a long one the beginning, and a number that tells it from others.
fn file_name(id: &str) -> String {
    const MAX: usize = 120;
    let mut name = String::new();
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.len() > MAX {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        name.truncate(MAX);
        name.push_str(&format!("-{:016x}", hasher.finish()));
    }
    name
}
