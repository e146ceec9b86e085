//! The places where conversations are kept: memory, a folder or a database.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_sanitize::sanitize_line;
use silcrow_store::verify::Damage;
use silcrow_store::{ErrorKind as StoreErrorKind, MemoryStore, Store};
use silcrow_store_log::{LogStore, Options};
use silcrow_system::SystemMetadata as _;
use silcrow_tools::{ChangeJournal, Root, Spills};

use super::data_folder;
use super::database::{DatabasePlace, is_address};
use crate::error::{Error, ErrorKind};
use crate::host::SessionHost;

/// The word of `--store` for a store in memory.
const MEMORY: &str = "memory";

/// The place where conversations are kept.
///
/// ```
/// use std::path::Path;
///
/// use silcrow_session::StorePlace;
///
/// let place = StorePlace::choose(Some(Path::new("memory"))).unwrap();
/// assert!(matches!(place, StorePlace::Memory) && place.folder().is_none());
/// let place = StorePlace::choose(Some(Path::new("/srv/conversations"))).unwrap();
/// assert_eq!(place.word(), "/srv/conversations");
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "callers say what each kind of place can do")]
pub enum StorePlace {
    /// The memory of this process, which ends with it.
    Memory,
    /// A folder, which any number of processes share.
    Folder(PathBuf),
    /// A database, which many machines share.
    Database(Box<DatabasePlace>),
}

impl StorePlace {
    /// Returns the given place, or `$XDG_DATA_HOME/silcrow`.
    pub fn choose(asked: Option<&Path>) -> Result<Self, Error> {
        match asked {
            Some(word) if word == Path::new(MEMORY) => Ok(Self::Memory),
            Some(asked) if let Some(text) = asked.to_str().filter(|text| is_address(text)) => {
                let database = DatabasePlace::parse(text, &data_folder()?);
                let database = database?;
                Ok(Self::Database(Box::new(database)))
            }
            Some(folder) if folder.as_os_str().is_empty() => {
                Err(Error::given("--store is empty; give a folder, or `memory`"))
            }
            Some(folder) => Ok(Self::Folder(folder.to_owned())),
            None => Ok(Self::Folder(data_folder()?.join("silcrow"))),
        }
    }

    /// Returns the folder of the data on this machine, unless the store is in memory.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Memory => None,
            Self::Folder(folder) => Some(folder),
            Self::Database(database) => Some(database.folder()),
        }
    }

    /// Returns the folder of the data on this machine, or an error for a store in memory.
    pub fn kept(&self) -> Result<&Path, Error> {
        let why = "a store in memory ends with its process; give a folder";
        self.folder().ok_or_else(|| Error::given(why))
    }

    /// Returns the word of `--store` for this place.
    pub fn word(&self) -> OsString {
        match self {
            Self::Memory => MEMORY.into(),
            Self::Folder(folder) => folder.into(),
            Self::Database(database) => database.given().into(),
        }
    }

    /// Returns the folder that would be the store, if there is none in it yet.
    pub fn missing(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(&**folder).filter(|folder| is_empty(folder)),
            Self::Memory | Self::Database(_) => None,
        }
    }

    /// Returns the place of outputs that are too long, unless the store is in memory.
    pub fn spills(&self) -> Option<Spills> {
        Some(Spills::new(self.folder()?.join("spills")))
    }

    /// Returns the journal of changes by tools in files, unless the store is in memory.
    pub fn changes(&self) -> Option<ChangeJournal> {
        Some(ChangeJournal::new(self.folder()?.join("changes")))
    }

    /// Returns the root with this store as a private folder.
    pub fn hidden_from(&self, root: Root) -> Root {
        match self.folder() {
            None => root,
            Some(folder) => root.with_private(folder, "the store of conversations"),
        }
    }

    /// Opens the store for a run.
    pub async fn open(&self, host: &Arc<dyn SessionHost>) -> Result<OpenStore, Error> {
        let opened = self.open_unread(host).await?;
        self.recover(&opened).await?;
        Ok(opened)
    }

    /// Opens the store and reads nothing of it, so that this takes no longer in a store with many
    /// conversations. It has to be [recovered](Self::recover) before it is used.
    pub async fn open_unread(&self, host: &Arc<dyn SessionHost>) -> Result<OpenStore, Error> {
        match self {
            Self::Memory => Ok(OpenStore::Memory(Arc::new(MemoryStore::new()))),
            Self::Folder(folder) => {
                let store = LogStore::open_unread(folder, Options::default()).await;
                let store = store.map_err(|error| self.with_way_on(error.into()))?;
                warn_if_readable(folder, &**host);
                Ok(OpenStore::Log(with_notices(store, host)))
            }
            Self::Database(database) => Ok(OpenStore::Database(database.open().await?)),
        }
    }

    /// Opens the store to read it, which changes nothing in it.
    pub async fn open_stored(&self, host: &Arc<dyn SessionHost>) -> Result<OpenStore, Error> {
        match self {
            Self::Folder(folder) => open(folder, host).await.map(OpenStore::Log),
            _ => self.open_unread(host).await,
        }
    }

    /// Opens the store to change it, and completes the unfinished work of a killed process. Reports
    /// a store that other users can read, because that ends now.
    pub async fn open_to_change(&self, host: &Arc<dyn SessionHost>) -> Result<OpenStore, Error> {
        match self {
            Self::Folder(folder) => {
                let store = open(folder, host).await?;
                warn_if_readable(folder, &**host);
                recover(&store).await?;
                Ok(OpenStore::Log(store))
            }
            _ => self.open_unread(host).await,
        }
    }

    /// Reads the store that was opened here, and completes the unfinished work of a killed process.
    pub async fn recover(&self, opened: &OpenStore) -> Result<(), Error> {
        match opened {
            OpenStore::Memory(_) | OpenStore::Database(_) => Ok(()),
            OpenStore::Log(store) => recover(store).await.map_err(|error| self.with_way_on(error)),
        }
    }

    /// Explains what a person can do if the store cannot be reached.
    fn with_way_on(&self, error: Error) -> Error {
        let is_io = error.kind() == ErrorKind::Store(StoreErrorKind::Io);
        match self {
            Self::Folder(folder) if is_io || folder.is_file() => error.with_way_on(OTHER_STORE),
            _ => error,
        }
    }
}

/// The advice for a person whose store cannot be reached.
pub const OTHER_STORE: &str =
    "; name another folder with --store DIR, or keep nothing with --store memory";

/// The store of a session, with its kind. Clones share it.
#[derive(Clone)]
#[expect(clippy::exhaustive_enums, reason = "each kind of place has one kind of store")]
pub enum OpenStore {
    /// In memory.
    Memory(Arc<MemoryStore>),
    /// In files of a folder.
    Log(Arc<LogStore>),
    /// In a database.
    Database(Arc<dyn Store>),
}

impl OpenStore {
    /// Returns the store as any other.
    pub fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Memory(store) => Arc::clone(store) as _,
            Self::Log(store) => Arc::clone(store) as _,
            Self::Database(store) => Arc::clone(store),
        }
    }

    /// Returns the store in files, which is the only kind that is compacted and mended.
    pub fn files(&self) -> Result<&LogStore, Error> {
        match self {
            Self::Log(store) => Ok(store),
            _ => Err(Error::given("this is for a store in a folder; a database does it itself")),
        }
    }

    /// Returns the known damage of the store.
    pub async fn known_damage(&self) -> Result<Vec<Damage>, Error> {
        Ok(self.store().known_damage().await?)
    }
}

impl fmt::Debug for OpenStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Memory(_) => "Memory",
            Self::Log(_) => "Log",
            Self::Database(_) => "Database",
        };
        f.debug_tuple("OpenStore").field(&kind).finish()
    }
}

/// Opens the store in a folder. Reading changes nothing in it.
async fn open(folder: &Path, host: &Arc<dyn SessionHost>) -> Result<Arc<LogStore>, Error> {
    Ok(with_notices(LogStore::open(folder, Options::default()).await?, host))
}

/// Completes the write of a killed process in a store, or reads the contents of a new one.
async fn recover(store: &LogStore) -> Result<(), Error> {
    let done = match is_new(store.dir()) {
        true => store.keys().await.map(drop),
        false => store.recover().await,
    };
    Ok(done?)
}

fn with_notices(store: LogStore, host: &Arc<dyn SessionHost>) -> Arc<LogStore> {
    host.opened(&store);
    let host = Arc::clone(host);
    Arc::new(store.on_notice(move |text| host.notice(&sanitize_line(text))))
}

fn warn_if_readable(folder: &Path, host: &dyn SessionHost) {
    let mode = fs::metadata(folder).ok().and_then(|found| found.mode_bits()).unwrap_or_default();
    if mode & OTHERS != 0 && !is_new(folder) {
        let folder = folder.display().to_string();
        let folder = sanitize_line(&folder);
        host.notice(&format!(
            "the store {folder} could be read by other users (mode {mode:04o}); it is yours alone \
             now (0700)"
        ));
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
