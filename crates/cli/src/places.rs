use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use silcrow_store::{Error, ErrorKind, Memory, Store};
use silcrow_store_sled::{Options, SledStore};
use silcrow_tools::Spills;

use crate::failure::Failure;

/// The word for a store that ends with the process.
const MEMORY: &str = "memory";

/// Where conversations are kept.
pub(crate) enum Place {
    Memory,
    Folder(PathBuf),
}

impl Place {
    /// The one asked for, or `$XDG_DATA_HOME/silcrow`.
    pub(crate) fn choose(asked: Option<&Path>) -> Result<Self, Failure> {
        match asked {
            Some(word) if word == Path::new(MEMORY) => Ok(Self::Memory),
            Some(folder) if folder.as_os_str().is_empty() => {
                Err(Failure::given("--store is empty; give a folder, or `memory`"))
            }
            Some(folder) => Ok(Self::Folder(folder.to_owned())),
            None => Ok(Self::Folder(data_folder()?.join("silcrow"))),
        }
    }

    /// Where the outputs of calls are kept that are too long; nowhere, if nothing is kept.
    pub(crate) fn spills(&self) -> Option<Spills> {
        match self {
            Self::Memory => None,
            Self::Folder(folder) => Some(Spills::new(folder.join("spills"))),
        }
    }

    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        match self {
            Self::Memory => Ok(Arc::new(Memory::new())),
            Self::Folder(folder) => match SledStore::open(folder, Options::default()).await {
                Ok(store) => Ok(Arc::new(store)),
                Err(error) => Err(failure(&error)),
            },
        }
    }
}

/// A folder that is no store was given; all else failed while running.
pub(crate) fn failure(error: &Error) -> Failure {
    let failure = match error.kind() {
        ErrorKind::Format | ErrorKind::Refused => Failure::given(error.to_string()),
        _ => Failure::running(error.to_string()),
    };
    failure.named(error.kind().as_str(), error.is_retryable())
}

fn data_folder() -> Result<PathBuf, Failure> {
    let folder =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share"))).ok_or_else(
        || Failure::given("there is no home folder to keep conversations in; give --store DIR"),
    )
}

/// An id for a new conversation: `c` and the time in microseconds, in base 36.
pub(crate) fn new_conversation() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut rest = since.as_micros();
    let mut digits = Vec::new();
    while rest > 0 {
        digits.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize]));
        rest /= 36;
    }
    digits.push('c');
    digits.iter().rev().collect()
}
