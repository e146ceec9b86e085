//! The folder of a root's snapshot while it is locked: the last look, the contents that it keeps, and
//! a marker for each command that runs.
//!
//! A marker is a file that the process which runs the command has locked. An unlocked marker was
//! left by a crash, and the time of its last change shows how long its process lived.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use silcrow_system::SystemOpen as _;

use super::entry::{EntryStamp, SnapshotEntry, TreeSnapshot};
use super::store::ContentStore;
use crate::changes::entry_path;
use crate::changes::folder::make;
use crate::changes::record::{ChangeOrigin, RootName};
use crate::file_state::FileState;

/// The folder of a root's snapshot, which this value has locked.
#[derive(Debug)]
pub(crate) struct LockedSnapshots {
    folder: PathBuf,
    pub(crate) store: ContentStore,
    /// The lock ends when this is closed.
    _lock: File,
}

/// The snapshot as this process last read or wrote it.
pub(crate) type SnapshotCache = Mutex<Option<(u64, Arc<TreeSnapshot>)>>;

/// A command that runs, or ran when its process ended.
#[derive(Debug)]
pub(crate) struct CommandMarker {
    pub(crate) path: PathBuf,
    pub(crate) text: MarkerText,
    /// Until when its process lived, in nanoseconds since 1970, if it has ended.
    pub(crate) until: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MarkerText {
    pub(crate) origin: ChangeOrigin,
    pub(crate) root: RootName,
}

/// The marker of a command that this process runs. A thread keeps its time current.
#[derive(Debug)]
pub(crate) struct LiveMarker {
    pub(crate) path: PathBuf,
    alive: Option<mpsc::Sender<()>>,
    beat: Option<JoinHandle<()>>,
}

impl Drop for LiveMarker {
    /// Ends the thread, and the lock with it.
    fn drop(&mut self) {
        self.alive = None;
        if let Some(beat) = self.beat.take() {
            // It cannot panic.
            let _ = beat.join();
        }
    }
}

#[derive(Serialize, Deserialize)]
struct SnapshotHeader {
    format: u32,
    generation: u64,
    mark: u64,
}

#[derive(Serialize, Deserialize)]
struct SnapshotBody {
    entries: Vec<WrittenEntry>,
    passed: Vec<String>,
}

/// Path, state, permissions, device, inode and length, times, and whether it is settled.
type WrittenEntry = (String, FileState, u32, [u64; 3], [i64; 2], bool);

impl LockedSnapshots {
    /// Locks the snapshot of a root in the folder of a journal, which is created.
    pub(crate) fn create(journal: &Path, root: &str) -> io::Result<Self> {
        make(&place(journal, root))?;
        Self::lock(place(journal, root))
    }

    /// Locks the snapshot of a root, or returns `None` if it does not exist.
    pub(crate) fn open(journal: &Path, root: &str) -> io::Result<Option<Self>> {
        let place = place(journal, root);
        place.is_dir().then(|| Self::lock(place)).transpose()
    }

    fn lock(folder: PathBuf) -> io::Result<Self> {
        let lock = own().write(true).create(true).truncate(false).open(folder.join(LOCK))?;
        for _ in 0..MAX_TRIES {
            match lock.try_lock() {
                Ok(()) => {
                    let store = ContentStore::new(folder.join("contents"));
                    return Ok(Self { folder, store, _lock: lock });
                }
                Err(TryLockError::WouldBlock) => sleep(BETWEEN_TRIES),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::other("another process has locked the snapshot of the files for a minute"))
    }

    /// Returns the last look; `None` if it does not exist or cannot be read.
    pub(crate) fn load(&self, cache: &SnapshotCache) -> Option<Arc<TreeSnapshot>> {
        let file = own().read(true).open(self.folder.join(INDEX)).ok()?;
        let mut file = BufReader::new(file);
        let mut line = String::new();
        file.read_line(&mut line).ok()?;
        let header: SnapshotHeader = serde_json::from_str(&line).ok()?;
        if header.format != FORMAT {
            return None;
        }
        let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((generation, snapshot)) = &*cache
            && *generation == header.generation
        {
            return Some(Arc::clone(snapshot));
        }
        let mut body = Vec::new();
        file.read_to_end(&mut body).ok()?;
        let body: SnapshotBody = serde_json::from_slice(&body).ok()?;
        let snapshot = Arc::new(TreeSnapshot {
            entries: body.entries.into_iter().map(read_entry).collect(),
            passed: body.passed.iter().map(|path| entry_path::path(path)).collect(),
            mark: header.mark,
            ..TreeSnapshot::default()
        });
        *cache = Some((header.generation, Arc::clone(&snapshot)));
        Some(snapshot)
    }

    /// Saves a look in place of the last one, and removes the contents that it does not keep.
    pub(crate) fn save(&self, snapshot: TreeSnapshot, cache: &SnapshotCache) -> io::Result<()> {
        let generation = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let generation = generation.as_nanos() as u64;
        let header = SnapshotHeader { format: FORMAT, generation, mark: snapshot.mark };
        let body = SnapshotBody {
            entries: snapshot.entries.iter().map(written_entry).collect(),
            passed: snapshot.passed.iter().map(|path| entry_path::written(path)).collect(),
        };
        let new = self.folder.join(NEW);
        let mut file = own().write(true).create(true).truncate(true).open(&new)?;
        let text = [serde_json::to_vec(&header)?, vec![b'\n'], serde_json::to_vec(&body)?];
        file.write_all(&text.concat())?;
        fs::rename(new, self.folder.join(INDEX))?;
        let kept = snapshot.entries.values().filter_map(|entry| match &entry.state {
            FileState::Sha256(hash) => Some(&**hash),
            _ => None,
        });
        self.store.remove_others(&kept.collect::<HashSet<_>>())?;
        let snapshot =
            Some((generation, Arc::new(TreeSnapshot { left: Default::default(), ..snapshot })));
        *cache.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }

    /// Returns the markers of commands, the oldest first.
    pub(crate) fn markers(&self) -> io::Result<Vec<CommandMarker>> {
        let mut markers = Vec::new();
        for path in marker_paths(&self.folder)? {
            let Ok(mut file) = own().read(true).write(true).open(&path) else { continue };
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            let Ok(text) = serde_json::from_str(&text) else { continue };
            let until = match file.try_lock() {
                Ok(()) => {
                    let time = file.metadata()?.modified()?;
                    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
                    Some(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
                }
                Err(TryLockError::WouldBlock) => None,
                Err(TryLockError::Error(error)) => return Err(error),
            };
            markers.push(CommandMarker { path, text, until });
        }
        markers.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(markers)
    }

    /// Marks that a command runs.
    pub(crate) fn begin(&self, text: &MarkerText) -> io::Result<LiveMarker> {
        let last = self.markers()?.into_iter().next_back();
        let number = last.and_then(|last| {
            let name = last.path.file_name()?.to_str()?.to_owned();
            u64::from_str_radix(name.get(MARKER.len()..)?, 16).ok()
        });
        let name =
            format!("{}{:016x}", String::from_utf8_lossy(MARKER), number.map_or(0, |n| n + 1));
        let path = self.folder.join(name);
        let mut file = own().write(true).create_new(true).open(&path)?;
        file.write_all(&serde_json::to_vec(text)?)?;
        file.lock()?;
        let (alive, ended) = mpsc::channel::<()>();
        let beat = move || {
            while ended.recv_timeout(BETWEEN_BEATS) == Err(RecvTimeoutError::Timeout) {
                // If it fails, an undo refuses more after a crash.
                let _ = file.set_modified(SystemTime::now());
            }
        };
        let beat = thread::Builder::new().name("command-marker".to_owned()).spawn(beat)?;
        Ok(LiveMarker { path, alive: Some(alive), beat: Some(beat) })
    }
}

/// Returns the folders in which commands of conversations run, or ran when their processes ended, with
/// the conversations.
pub(crate) fn marked(journal: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let roots = match fs::read_dir(snapshots(journal)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        roots => roots?,
    };
    let mut marked = Vec::new();
    for root in roots {
        for path in marker_paths(&root?.path())? {
            // The command may have ended meanwhile.
            let text = fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok());
            marked.extend(
                text.map(|text: MarkerText| (text.origin.conversation, text.root.path.into())),
            );
        }
    }
    Ok(marked)
}

fn marker_paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_marker = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(MARKER))
    };
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths = paths.collect::<io::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(is_marker).collect())
}

/// Returns the folder of a root's snapshot.
pub(crate) fn place(journal: &Path, root: &str) -> PathBuf {
    let hash = Sha256::digest(root.as_bytes());
    let name: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    snapshots(journal).join(name)
}

/// Returns the folder of all snapshots.
pub(crate) fn snapshots(journal: &Path) -> PathBuf {
    journal.join("snapshots")
}

/// Sets that only the owner can access a file, and that a link is not followed.
fn own() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.private().without_links();
    options
}

fn written_entry((path, entry): (&PathBuf, &SnapshotEntry)) -> WrittenEntry {
    let EntryStamp { device, inode, length, modified, changed } = entry.stamp;
    let (state, mode) = (entry.state.clone(), entry.mode);
    let (numbers, times) = ([device, inode, length], [modified, changed]);
    (entry_path::written(path), state, mode, numbers, times, entry.is_settled)
}

fn read_entry(
    (path, state, mode, numbers, times, is_settled): WrittenEntry,
) -> (PathBuf, SnapshotEntry) {
    let ([device, inode, length], [modified, changed]) = (numbers, times);
    let stamp = EntryStamp { device, inode, length, modified, changed };
    (entry_path::path(&path), SnapshotEntry { state, mode, stamp, is_settled })
}

const FORMAT: u32 = 1;

/// The file of the last look.
const INDEX: &str = "index";

/// The file that becomes it.
const NEW: &str = "NEW";

/// The file that is locked.
const LOCK: &str = "LOCK";

/// The prefix of markers' names.
const MARKER: &[u8] = b"command-";

/// The time for which a process waits for the lock: a minute.
const MAX_TRIES: u32 = 12_000;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The time between two signs of life.
const BETWEEN_BEATS: Duration = Duration::from_secs(1);
