//! The places where conversations are kept: memory, a folder, or a process that has the folder
//! open.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use silcrow_event::error_chain;
use silcrow_store::{Error, ErrorKind, MemoryStore, Store};
use silcrow_store_sled::{Compacted, Options, SledStore};
use silcrow_tools::{Root, Spills};
use tokio::time::sleep;

use crate::failure::Failure;
use crate::share::{Remote, Sharing};
use silcrow_sanitize::sanitize_line;

/// The word of `--store` for a store in memory.
const MEMORY: &str = "memory";

/// The place where conversations are kept.
pub(crate) enum StorePlace {
    Memory,
    Folder(PathBuf),
}

impl StorePlace {
    /// Returns the given place, or `$XDG_DATA_HOME/silcrow`.
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

    /// Returns the place of outputs that are too long, unless the store is in memory.
    pub(crate) fn spills(&self) -> Option<Spills> {
        match self {
            Self::Memory => None,
            Self::Folder(folder) => Some(Spills::new(folder.join("spills"))),
        }
    }

    /// Returns the root with this store as a private folder.
    pub(crate) fn hidden_from(&self, root: Root) -> Root {
        match self {
            Self::Memory => root,
            Self::Folder(folder) => root.with_private(folder, "the store of conversations"),
        }
    }

    /// Opens the store for this process alone.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        let Self::Folder(folder) = self else { return Ok(Arc::new(MemoryStore::new())) };
        match take(folder, || open(folder)).await.map_err(|error| failure(&error))? {
            StoreAccess::Own(store) => Ok(private(folder, store)),
            StoreAccess::Held(_, locked) => Err(failure(&locked)),
        }
    }

    /// Opens the store for reading, through another process if that has it open.
    pub(crate) async fn open_to_read(&self) -> Result<Arc<dyn Store>, Failure> {
        let Self::Folder(folder) = self else { return Ok(Arc::new(MemoryStore::new())) };
        match take(folder, || open(folder)).await.map_err(|error| failure(&error))? {
            StoreAccess::Own(store) => Ok(private(folder, store)),
            StoreAccess::Held(remote, _) => Ok(Arc::new(remote)),
        }
    }

    /// Lets other processes read a store that this one has open, until the returned value is
    /// dropped. If that is impossible, a line says so and the run continues.
    pub(crate) fn share(&self, store: &Arc<dyn Store>) -> Option<Sharing> {
        let Self::Folder(folder) = self else { return None };
        let sharing = Sharing::start(Arc::clone(store), folder);
        if let Err(error) = &sharing {
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "silcrow: nobody else can read the store now: {error}");
        }
        sharing.ok()
    }
}

/// Reports a store that other users could read. Opening it has fixed that, so the report comes
/// once.
fn private(folder: &Path, store: SledStore) -> Arc<dyn Store> {
    if let Some(mode) = store.was_open_to_others() {
        let folder = folder.display().to_string();
        let folder = sanitize_line(&folder);
        // If stderr is closed, the notice is lost.
        let _ = writeln!(
            io::stderr(),
            "silcrow: the store {folder} could be read by other users (mode {mode:04o}); it is \
             yours alone now (0700)"
        );
    }
    Arc::new(store)
}

/// Rewrites the files of a store that no other process has open.
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
    /// Another process has the store open and shares it. The error names that process.
    Held(Remote, Error),
}

/// Runs work that needs a store for this process alone.
///
/// It retries a store that is locked and not shared, because then a command reads it for a moment,
/// or a run begins or ends.
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

/// The number of attempts, which take a second together.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Converts an error of the store. A folder that is not a store is a wrong argument; all other
/// errors occur while running.
pub(crate) fn failure(error: &Error) -> Failure {
    let failure = match error.kind() {
        ErrorKind::Format | ErrorKind::Refused | ErrorKind::Untrusted => {
            Failure::given(error_chain(error))
        }
        _ => Failure::running(error_chain(error)),
    };
    failure.named(error.kind().as_str(), error.is_retryable())
}

/// Returns the folder for the person's data.
pub(crate) fn data_folder() -> Result<PathBuf, Failure> {
    let folder =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share"))).ok_or_else(
        || Failure::given("there is no home folder to keep conversations in; give --store DIR"),
    )
}

/// Returns the id of a new conversation: `c` and the time in microseconds, in base 36.
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
