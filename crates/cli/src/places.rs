//! Where conversations are kept: memory, a folder, or the process that has the folder open.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use silcrow_store::{Error, ErrorKind, MemoryStore, Store};
use silcrow_store_sled::{Compacted, Options, SledStore};
use silcrow_tools::{Root, Spills};
use tokio::time::sleep;

use crate::failure::Failure;
use crate::share::{Remote, Sharing};
use silcrow_sanitize::sanitize_line;

/// The word for a store that ends with the process.
const MEMORY: &str = "memory";

/// Where conversations are kept.
pub(crate) enum StorePlace {
    Memory,
    Folder(PathBuf),
}

impl StorePlace {
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

    /// The root without this store: no tool reads or writes there.
    pub(crate) fn hidden_from(&self, root: Root) -> Root {
        match self {
            Self::Memory => root,
            Self::Folder(folder) => root.with_private(folder, "the store of conversations"),
        }
    }

    /// The store, for this process alone.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        let Self::Folder(folder) = self else { return Ok(Arc::new(MemoryStore::new())) };
        match take(folder, || open(folder)).await.map_err(|error| failure(&error))? {
            StoreAccess::Own(store) => Ok(private(folder, store)),
            StoreAccess::Held(_, locked) => Err(failure(&locked)),
        }
    }

    /// The store, to be read: while another process has it open, by way of that one.
    pub(crate) async fn open_to_read(&self) -> Result<Arc<dyn Store>, Failure> {
        let Self::Folder(folder) = self else { return Ok(Arc::new(MemoryStore::new())) };
        match take(folder, || open(folder)).await.map_err(|error| failure(&error))? {
            StoreAccess::Own(store) => Ok(private(folder, store)),
            StoreAccess::Held(remote, _) => Ok(Arc::new(remote)),
        }
    }

    /// Lets other processes read a store that this one has open, until what it gives is dropped.
    /// Where that is impossible, a line says so, and the run continues without.
    pub(crate) fn share(&self, store: &Arc<dyn Store>) -> Option<Sharing> {
        let Self::Folder(folder) = self else { return None };
        let sharing = Sharing::start(Arc::clone(store), folder);
        if let Err(error) = &sharing {
            // Nobody is left to tell if stderr is gone.
            let _ = writeln!(io::stderr(), "silcrow: nobody else can read the store now: {error}");
        }
        sharing.ok()
    }
}

/// Says if other users could read the store until it was opened. They cannot any more, so it is said
/// once.
fn private(folder: &Path, store: SledStore) -> Arc<dyn Store> {
    if let Some(mode) = store.was_open_to_others() {
        let folder = folder.display().to_string();
        let folder = sanitize_line(&folder);
        // Nobody is left to tell if stderr is gone.
        let _ = writeln!(
            io::stderr(),
            "silcrow: the store {folder} could be read by other users (mode {mode:04o}); it is \
             yours alone now (0700)"
        );
    }
    Arc::new(store)
}

/// Rewrites the files of a store, which nobody else may have open.
pub(crate) async fn compact(folder: &Path) -> Result<Compacted, Failure> {
    let taken = take(folder, || SledStore::compact(folder)).await;
    match taken.map_err(|error| failure(&error))? {
        StoreAccess::Own(done) => Ok(done),
        StoreAccess::Held(_, locked) => Err(failure(&locked)),
    }
}

/// The outcome of asking for a store in a folder for this process alone.
enum StoreAccess<T> {
    Own(T),
    /// Another process has it and shares it; the error names that one.
    Held(Remote, Error),
}

/// Does what needs a store for itself. One that is neither free nor shared is about to be: some
/// command reads it, or a run begins or ends.
async fn take<T, F>(folder: &Path, work: impl Fn() -> F) -> Result<StoreAccess<T>, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut tries = 0;
    loop {
        let locked = match work().await {
            Ok(done) => return Ok(StoreAccess::Own(done)),
            Err(error) if error.kind() == ErrorKind::Locked => error,
            Err(error) => return Err(error),
        };
        match Remote::find(folder).await? {
            Some(remote) => return Ok(StoreAccess::Held(remote, locked)),
            None if tries == TRIES => return Err(locked),
            None => tries += 1,
        }
        sleep(PAUSE).await;
    }
}

fn open(folder: &Path) -> impl Future<Output = Result<SledStore, Error>> {
    SledStore::open(folder, Options::default())
}

/// A second in all.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// A folder that is no store was given; all else failed while running.
pub(crate) fn failure(error: &Error) -> Failure {
    let failure = match error.kind() {
        ErrorKind::Format | ErrorKind::Refused | ErrorKind::Untrusted => {
            Failure::given(error.to_string())
        }
        _ => Failure::running(error.to_string()),
    };
    failure.named(error.kind().as_str(), error.is_retryable())
}

/// Where programs keep what belongs to the person.
pub(crate) fn data_folder() -> Result<PathBuf, Failure> {
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
