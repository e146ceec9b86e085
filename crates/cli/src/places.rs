//! The places where conversations are kept: memory, a folder or a database.

use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use silcrow_event::error_chain;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::EnvironmentVariables;
use silcrow_store::verify::Damage;
use silcrow_store::{Error, ErrorKind, MemoryStore, Store};
use silcrow_store_log::{LogStore, Options};
use silcrow_store_postgres::PostgresStore;
use silcrow_tools::{ChangeJournal, Root, Spills};

use crate::damage;
use crate::database::{DatabasePlace, is_address};
use crate::failure::Failure;

/// The word of `--store` for a store in memory.
const MEMORY: &str = "memory";

/// The place where conversations are kept.
#[derive(Clone)]
pub(crate) enum StorePlace {
    Memory,
    Folder(PathBuf),
    Database(Box<DatabasePlace>),
}

impl StorePlace {
    /// Returns the given place, or `$XDG_DATA_HOME/silcrow`.
    pub(crate) fn choose(asked: Option<&Path>) -> Result<Self, Failure> {
        match asked {
            Some(word) if word == Path::new(MEMORY) => Ok(Self::Memory),
            Some(asked) if let Some(text) = asked.to_str().filter(|text| is_address(text)) => {
                let database = DatabasePlace::parse(text, &data_folder()?);
                let database = database.map_err(|error| failure(&error))?;
                Ok(Self::Database(Box::new(database)))
            }
            Some(folder) if folder.as_os_str().is_empty() => {
                Err(Failure::given("--store is empty; give a folder, or `memory`"))
            }
            Some(folder) => Ok(Self::Folder(folder.to_owned())),
            None => Ok(Self::Folder(data_folder()?.join("silcrow"))),
        }
    }

    /// Returns the folder of what is kept on this machine, unless the store is in memory.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Memory => None,
            Self::Folder(folder) => Some(folder),
            Self::Database(database) => Some(database.folder()),
        }
    }

    /// Returns the folder of what is kept on this machine, and an error for a store in memory.
    pub(crate) fn kept(&self) -> Result<&Path, Failure> {
        let why = "a store in memory ends with its process; give a folder";
        self.folder().ok_or_else(|| Failure::given(why))
    }

    /// Returns the word of `--store` for this place.
    pub(crate) fn word(&self) -> OsString {
        match self {
            Self::Memory => MEMORY.into(),
            Self::Folder(folder) => folder.into(),
            Self::Database(database) => database.given().into(),
        }
    }

    /// Returns the folder that would be the store, if there is none in it yet.
    pub(crate) fn missing(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(&**folder).filter(|folder| is_empty(folder)),
            Self::Memory | Self::Database(_) => None,
        }
    }

    /// Returns the place of outputs that are too long, unless the store is in memory.
    pub(crate) fn spills(&self) -> Option<Spills> {
        Some(Spills::new(self.folder()?.join("spills")))
    }

    /// Returns the journal of what tools change in files, unless the store is in memory.
    pub(crate) fn changes(&self) -> Option<ChangeJournal> {
        Some(ChangeJournal::new(self.folder()?.join("changes")))
    }

    /// Returns the root with this store as a private folder.
    pub(crate) fn hidden_from(&self, root: Root) -> Root {
        match self.folder() {
            None => root,
            Some(folder) => root.with_private(folder, "the store of conversations"),
        }
    }

    /// Opens the store for a run.
    pub(crate) async fn open(&self) -> Result<OpenStore, Failure> {
        let opened = self.open_unread().await?;
        self.recover(&opened).await?;
        Ok(opened)
    }

    /// Opens the store and reads nothing of it, so that this takes no longer in a store with many
    /// conversations. It has to be [recovered](Self::recover) before it is used.
    pub(crate) async fn open_unread(&self) -> Result<OpenStore, Failure> {
        match self {
            Self::Memory => Ok(OpenStore::Memory(Arc::new(MemoryStore::new()))),
            Self::Folder(folder) => {
                let store = LogStore::open_unread(folder, Options::default()).await;
                let store = store.map_err(|error| self.with_way_on(failure(&error)))?;
                warn_if_readable(folder);
                Ok(OpenStore::Log(with_notices(store)))
            }
            Self::Database(database) => {
                let opened = database.open().await.map_err(|error| failure(&error))?;
                Ok(OpenStore::Database(Arc::new(opened)))
            }
        }
    }

    /// Opens the store to read it, which changes nothing in it.
    pub(crate) async fn open_stored(&self) -> Result<OpenStore, Failure> {
        match self {
            Self::Folder(folder) => open(folder).await.map(OpenStore::Log),
            _ => self.open_unread().await,
        }
    }

    /// Opens the store to change it, and completes what a killed process has left there. Reports a
    /// store that other users can read, because that ends now.
    pub(crate) async fn open_to_change(&self) -> Result<OpenStore, Failure> {
        match self {
            Self::Folder(folder) => {
                let store = open(folder).await?;
                warn_if_readable(folder);
                recover(&store).await?;
                Ok(OpenStore::Log(store))
            }
            _ => self.open_unread().await,
        }
    }

    /// Reads the store that was opened here, and completes what a killed process has left there.
    pub(crate) async fn recover(&self, opened: &OpenStore) -> Result<(), Failure> {
        match opened {
            OpenStore::Memory(_) | OpenStore::Database(_) => Ok(()),
            OpenStore::Log(store) => {
                recover(store).await.map_err(|failure| self.with_way_on(failure))
            }
        }
    }

    /// Says what a person can do whose store cannot be reached.
    fn with_way_on(&self, failure: Failure) -> Failure {
        match self {
            Self::Folder(folder)
                if failure.code() == ErrorKind::Io.as_str() || folder.is_file() =>
            {
                failure.with_way_on(OTHER_STORE)
            }
            _ => failure,
        }
    }
}

/// What a person can do whose store cannot be reached.
pub(crate) const OTHER_STORE: &str =
    "; name another folder with --store DIR, or keep nothing with --store memory";

/// The store of a run.
#[derive(Clone)]
pub(crate) enum OpenStore {
    Memory(Arc<MemoryStore>),
    Log(Arc<LogStore>),
    Database(Arc<PostgresStore>),
}

impl OpenStore {
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Memory(store) => Arc::clone(store) as _,
            Self::Log(store) => Arc::clone(store) as _,
            Self::Database(store) => Arc::clone(store) as _,
        }
    }

    /// Returns the store in files, which alone is compacted and mended.
    pub(crate) fn files(&self) -> Result<&LogStore, Failure> {
        match self {
            Self::Log(store) => Ok(store),
            _ => Err(Failure::given("this is for a store in a folder; a database does it itself")),
        }
    }

    /// Returns what of the store is known to be damaged.
    pub(crate) async fn known_damage(&self) -> Result<Vec<Damage>, Failure> {
        self.store().known_damage().await.map_err(|error| failure(&error))
    }
}

/// Opens the store in a folder. Reading changes nothing in it.
async fn open(folder: &Path) -> Result<Arc<LogStore>, Failure> {
    let store = LogStore::open(folder, Options::default()).await;
    Ok(with_notices(store.map_err(|error| failure(&error))?))
}

/// Completes what a killed process has left in a store, or reads what there is of a new one.
async fn recover(store: &LogStore) -> Result<(), Failure> {
    let done = match is_new(store.dir()) {
        true => store.keys().await.map(drop),
        false => store.recover().await,
    };
    done.map_err(|error| failure(&error))
}

fn with_notices(store: LogStore) -> Arc<LogStore> {
    damage::watch(&store);
    Arc::new(store.on_notice(|text| {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(text));
    }))
}

fn warn_if_readable(folder: &Path) {
    let mode = fs::metadata(folder).map_or(0, |found| found.mode() & 0o7777);
    if mode & OTHERS != 0 && !is_new(folder) {
        let folder = folder.display().to_string();
        let folder = sanitize_line(&folder);
        // If stderr is closed, the notice is lost.
        let _ = writeln!(
            io::stderr(),
            "silcrow: the store {folder} could be read by other users (mode {mode:04o}); it is \
             yours alone now (0700)"
        );
    }
}

/// Returns whether a folder is empty or does not exist.
fn is_empty(folder: &Path) -> bool {
    match folder.read_dir() {
        Ok(mut names) => names.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn is_new(folder: &Path) -> bool {
    !folder.join("FORMAT").exists()
}

/// The bits of a mode that allow others anything.
const OTHERS: u32 = 0o077;

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
    silcrow_settings::data_folder(&EnvironmentVariables::of_process()).ok_or_else(|| {
        Failure::given("there is no home folder to keep conversations in; give --store DIR")
    })
}

/// Returns the folder for what a program remembers between two starts.
pub(crate) fn state_folder() -> Option<PathBuf> {
    silcrow_settings::state_folder(&EnvironmentVariables::of_process())
}

/// Returns the folder for the person's settings, which may not exist.
pub(crate) fn config_folder() -> Option<PathBuf> {
    silcrow_settings::config_folder(&EnvironmentVariables::of_process())
}

/// Returns the id of a new conversation: `c`, the time in seconds, and 41 random bits, in base 36.
/// Two runs that begin at the same moment, or under a clock that stands still, differ.
pub(crate) fn new_conversation() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // The system seeds the keys of the standard library's hasher.
    let random = RandomState::new().hash_one(since) % 36_u64.pow(RANDOM_DIGITS);
    let mut rest = u128::from(since.as_secs()) * 36_u128.pow(RANDOM_DIGITS) + u128::from(random);
    let mut digits = Vec::new();
    while rest > 0 {
        digits.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize]));
        rest /= 36;
    }
    digits.push('c');
    digits.iter().rev().collect()
}

/// The number of random digits in an id, which have 41 bits.
const RANDOM_DIGITS: u32 = 8;

#[test]
fn ids_of_one_moment_differ() {
    let ids: std::collections::BTreeSet<_> = (0..1_000).map(|_| new_conversation()).collect();
    assert_eq!(ids.len(), 1_000);
    assert!(ids.iter().all(|id| id.starts_with('c') && id.len() <= 16), "{ids:?}");
}
