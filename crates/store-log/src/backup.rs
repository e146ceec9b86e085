//! Backups: a copy of a store that others use meanwhile.
//!
//! ```text
//! copy what there is ─► lock ─► copy what was added or rewritten meanwhile ─► unlock ─► name the copy
//! ```
//!
//! Most is copied while others write, so they wait only for the rest. The copy has everything that
//! was acknowledged at one moment. It gets its names last, so a partial copy is not a store.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use silcrow_store::{Error, ErrorKind};

use crate::fault::{failed, no_room};
use crate::file::{self, sync_folder, write_all_at};
use crate::files::{CommitFailure, StoreFiles};
use crate::folder::{self, FolderContents};
use crate::identity;
use crate::log::LogFiles;
use crate::mark::{Mark, MarkFile};
use crate::names;
use crate::segments::Segment;
use crate::trust;

/// The result of a backup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The number of files in the copy, without those that every store has.
    pub files: u64,
    /// The length of these files, in bytes.
    pub bytes: u64,
}

/// Copies the store in a folder to another folder, which is empty or does not exist. `progress`
/// gets the number of bytes that were copied, and the approximate total.
pub(crate) fn backup(dir: &Path, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<Backup, Error> {
    if folder::look(dir)? == FolderContents::Nothing {
        return Err(refused(&format!("no store found in {}", dir.display())));
    }
    check_target(dir, to)?;
    folder::make_folder(to)?;
    let copying = to.join(COPYING);
    let made = trust::new_folder().create(&copying);
    made.map_err(|error| failed("making", &copying, error))?;
    let copied =
        StoreCopy { dir, to, copying, progress, done: 0, of: 0, lengths: BTreeMap::new() }.run();
    if copied.is_err() {
        // It only takes up space, and another attempt needs an empty folder.
        for name in [COPYING].iter().chain(&BESIDE) {
            let _ = fs::remove_dir_all(to.join(name));
        }
    }
    copied
}

/// A copy that is being made.
struct StoreCopy<'a> {
    dir: &'a Path,
    to: &'a Path,
    /// The folder of the segments until all of them are there.
    copying: PathBuf,
    progress: &'a dyn Fn(u64, u64),
    done: u64,
    of: u64,
    /// By the name of its file, the copied length of a segment.
    lengths: BTreeMap<String, u64>,
}

impl StoreCopy<'_> {
    fn run(mut self) -> Result<Backup, Error> {
        let mut log = LogFiles::new(self.dir);
        log.catch_up()?;
        // Segments that are rewritten while they are copied are copied again.
        let _ = self.copy_segments(&log);
        let mark = match StoreFiles::open(self.dir) {
            Ok(mut files) => {
                let _lock = files.lock()?;
                files.prepare(&mut log).map_err(CommitFailure::into_error)?;
                log.refresh_segments()?;
                self.copy_segments(&log)?;
                Mark::new(log.position, log.rewrites, log.is_torn)
            }
            // No process writes to a store that is read-only.
            Err(error) if is_read_only(&error) => {
                self.copy_segments(&log)?;
                Mark::new(log.position, log.rewrites, log.is_torn)
            }
            Err(error) => return Err(error),
        };
        sync_folder(&self.copying)?;
        let mut backup = Backup::default();
        backup.files += self.lengths.len() as u64;
        backup.bytes += self.lengths.values().sum::<u64>();
        // An event names an output that was kept before it, so these are copied after the log.
        for name in BESIDE {
            copy_folder(&self.dir.join(name), &self.to.join(name), &mut backup)?;
        }
        self.name(&mark)?;
        Ok(backup)
    }

    /// Makes a store of the copied files.
    fn name(&self, mark: &Mark) -> Result<(), Error> {
        MarkFile::make(self.to)?.write(mark).map_err(|error| failed("writing", self.to, error))?;
        if let Some(identity) = identity::read(self.dir)? {
            identity::write(self.to, &identity)?;
        }
        let log = self.to.join(names::SEGMENTS);
        fs::rename(&self.copying, &log).map_err(|error| failed("moving", &self.copying, error))?;
        folder::write_format(self.to)
    }

    /// Copies the rest, and removes copies of files that no longer count.
    fn copy_segments(&mut self, log: &LogFiles) -> Result<(), Error> {
        let mut wanted = BTreeMap::new();
        for segment in log.segments.from(0) {
            let end = match segment.number.cmp(&log.position.segment) {
                std::cmp::Ordering::Less => segment.len()?,
                std::cmp::Ordering::Equal => log.position.at.min(segment.len()?),
                // It contains nothing that was acknowledged.
                std::cmp::Ordering::Greater => continue,
            };
            wanted.insert(name(segment), (segment, end));
        }
        self.of = wanted.values().map(|(_, end)| end).sum::<u64>().max(self.done);
        for old in self.lengths.keys().filter(|name| !wanted.contains_key(*name)) {
            let path = self.copying.join(old);
            fs::remove_file(&path).map_err(|error| failed("removing", &path, error))?;
        }
        self.lengths.retain(|name, _| wanted.contains_key(name));
        for (name, (segment, end)) in wanted {
            let from = self.lengths.get(&name).copied().unwrap_or_default();
            if from < end || !self.lengths.contains_key(&name) {
                self.copy_segment(segment, &name, from, end)?;
            }
        }
        Ok(())
    }

    fn copy_segment(
        &mut self,
        segment: &Segment,
        name: &str,
        from: u64,
        end: u64,
    ) -> Result<(), Error> {
        let path = self.copying.join(name);
        let mut options = trust::open_options();
        let made = options.write(true).create(true).truncate(from == 0).open(&path);
        let copy = made.map_err(|error| failed("making", &path, error))?;
        self.lengths.insert(name.to_owned(), from);
        let mut at = from;
        while at < end {
            let bytes = segment.read(at, Some(end.min(at + PIECE)))?;
            if bytes.is_empty() {
                break;
            }
            let written = write_all_at(&copy, &bytes, at);
            written.map_err(|error| no_room("copying to", &path, end - at, error))?;
            at += bytes.len() as u64;
            self.lengths.insert(name.to_owned(), at);
            self.done += bytes.len() as u64;
            (self.progress)(self.done, self.of.max(self.done));
        }
        copy.sync_all().map_err(|error| failed("syncing", &path, error))
    }
}

/// Checks that a folder is empty or does not exist, and is not a part of the store.
fn check_target(dir: &Path, to: &Path) -> Result<(), Error> {
    let shown = to.display();
    match fs::metadata(to) {
        Ok(found) if !found.is_dir() => {
            return Err(refused(&format!("{shown} is not a folder; name an empty or a new one")));
        }
        Ok(_) if !file::names(to)?.is_empty() => {
            return Err(refused(&format!(
                "{shown} is not empty; name a folder that is, or a new one"
            )));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed("opening", to, error)),
    }
    let absolute = std::path::absolute(to).map_err(|error| failed("opening", to, error))?;
    let there = absolute.ancestors().find_map(|above| above.canonicalize().ok());
    let store = dir.canonicalize().map_err(|error| failed("opening", dir, error))?;
    match there.is_some_and(|there| there.starts_with(&store)) {
        true => Err(refused(&format!("{shown} is in the store; name a folder elsewhere"))),
        false => Ok(()),
    }
}

/// Copies the files of a folder and of those in it. Another process may rename or remove some of
/// them meanwhile, so the folder is listed again until all existing files are copied.
fn copy_folder(from: &Path, to: &Path, backup: &mut Backup) -> Result<(), Error> {
    if !file::is_there(from)? {
        return Ok(());
    }
    let made = trust::new_folder().create(to);
    made.map_err(|error| failed("making", to, error))?;
    for _ in 0..TRIES {
        let mut has_moved = false;
        for name in file::names(from)? {
            let (here, there) = (from.join(&name), to.join(&name));
            let Ok(found) = fs::symlink_metadata(&here) else {
                has_moved = true;
                continue;
            };
            if file::is_there(&there)? || !(found.is_dir() || found.is_file()) {
                continue;
            }
            if found.is_dir() {
                copy_folder(&here, &there, backup)?;
                continue;
            }
            match copy_file(&here, &there) {
                Ok(length) => {
                    backup.files += 1;
                    backup.bytes += length;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => has_moved = true,
                Err(error) => return Err(no_room("copying to", &there, found.len(), error)),
            }
        }
        if !has_moved {
            break;
        }
    }
    sync_folder(to)
}

fn copy_file(from: &Path, to: &Path) -> io::Result<u64> {
    let mut old: File = trust::open_options().read(true).open(from)?;
    let time = old.metadata()?.modified()?;
    let mut copy = trust::open_options().write(true).create_new(true).open(to)?;
    let length = io::copy(&mut old, &mut copy)?;
    // The journal of changes keeps its records for a time.
    copy.set_modified(time)?;
    copy.sync_all()?;
    Ok(length)
}

fn name(segment: &Segment) -> String {
    segment.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_read_only(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let error = source.and_then(|source| source.downcast_ref::<io::Error>());
    error.is_some_and(|error| {
        let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
        kinds.contains(&error.kind())
    })
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Refused, why)
}

/// The name of the folder with the segments until the copy is complete.
const COPYING: &str = "copying";

/// The folders beside the log that a copy also has: long outputs, and files before tools changed
/// them.
const BESIDE: [&str; 2] = ["spills", "changes"];

/// The number of bytes that are copied at once.
const PIECE: u64 = 1 << 20;

/// The number of looks at a folder whose files are being renamed.
const TRIES: u32 = 8;
