//! The folder of a store: made, recognised and locked before sled sees any of it.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use silcrow_store::{Error, ErrorKind};

use crate::lock::{self, Lock};
use crate::{snapshot, trust};

/// A folder that is a store of ours and held by us.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) dir: PathBuf,
    /// Whether sled's files are still to be made, in [`Folder::fresh`].
    pub(crate) is_new: bool,
    pub(crate) lock: Lock,
    /// The mode that the folder of a store had, where others could read it.
    pub(crate) was_open: Option<u32>,
}

impl Folder {
    /// Makes the folder, readable by its owner alone, if it is not there; checks that it is
    /// trusted; takes its lock; checks its format.
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        make(dir)?;
        trust::owner(dir)?;
        // Before the lock too: in somebody else's folder not even a lock file is left.
        let foreign = stranger(dir)?;
        if let Some(name) = foreign {
            return Err(not_a_store(dir, &format!("it holds {name:?} and no file FORMAT")));
        }
        let is_store = dir.join(FORMAT).exists();
        let was_open = trust::close(dir)?.filter(|_| is_store);
        trust::files(dir)?;
        let lock = Lock::take(dir)?;
        match read(&dir.join(FORMAT)) {
            Ok(format) if format == OURS.as_bytes() => {}
            Ok(format) => return Err(wrong_format(dir, &format)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => write_format(dir)?,
            Err(error) => return Err(failed("reading", &dir.join(FORMAT), error)),
        }
        let mut folder = Self { dir: dir.to_owned(), is_new: false, lock, was_open };
        folder.finish_replacing()?;
        // What a killed process began to make was never acknowledged to anybody, and takes room.
        folder.clear_fresh()?;
        folder.is_new = !folder.data().exists();
        if !folder.is_new {
            snapshot::clear(&folder.data())?;
        }
        Ok(folder)
    }

    /// Where sled's files are.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    /// Where sled's files are made, so that [`Folder::data`] is never half made.
    pub(crate) fn fresh(&self) -> PathBuf {
        self.dir.join("data.new")
    }

    /// Makes the folder of [`Folder::fresh`].
    pub(crate) fn make_fresh(&self) -> Result<(), Error> {
        let fresh = self.fresh();
        trust::new_folder().create(&fresh).map_err(|error| failed("making", &fresh, error))
    }

    /// Removes what is in [`Folder::fresh`].
    pub(crate) fn clear_fresh(&self) -> Result<(), Error> {
        remove_all(&self.fresh())
    }

    /// Puts the files that were made in [`Folder::fresh`] in their place, for good.
    pub(crate) fn settle(&self) -> Result<(), Error> {
        let fresh = self.fresh();
        for name in names(&fresh)? {
            trust::restrict(&fresh.join(&name))?;
            sync(&fresh.join(name))?;
        }
        sync(&fresh)?;
        rename(&fresh, &self.data())?;
        sync(&self.dir)
    }

    /// Puts the files that were made in [`Folder::fresh`] in the place of those that are there.
    pub(crate) fn replace(&self) -> Result<(), Error> {
        rename(&self.data(), &self.old())?;
        self.settle()?;
        remove_all(&self.old())
    }

    /// Whatever moment a process was killed at that replaced the files, there are the old ones or
    /// the new ones.
    fn finish_replacing(&self) -> Result<(), Error> {
        if self.data().exists() {
            return remove_all(&self.old());
        }
        if self.old().exists() {
            rename(&self.old(), &self.data())?;
            sync(&self.dir)?;
        }
        Ok(())
    }

    fn old(&self) -> PathBuf {
        self.dir.join("data.old")
    }
}

/// The error for what the system refused to do.
pub(crate) fn failed(doing: &str, path: &Path, error: io::Error) -> Error {
    let message = format!(
        "{doing} {} failed: {error}; see to the disk and its permissions, then try again",
        path.display()
    );
    Error::new(ErrorKind::Io, message).with_source(error)
}

/// Makes the folder and those above it, each of them synced into its parent.
fn make(dir: &Path) -> Result<(), Error> {
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => return Err(not_a_store(dir, "it is no folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed("opening", dir, error)),
    }
    let missing: Vec<_> = dir.ancestors().take_while(|above| !above.exists()).collect();
    trust::new_folder()
        .recursive(true)
        .create(dir)
        .map_err(|error| failed("making", dir, error))?;
    for made in missing {
        match made.parent() {
            Some(above) if above.as_os_str().is_empty() => sync(Path::new("."))?,
            Some(above) => sync(above)?,
            None => {}
        }
    }
    Ok(())
}

/// A name in a folder without FORMAT that we have not put there.
fn stranger(dir: &Path) -> Result<Option<String>, Error> {
    let mut names = names(dir)?;
    if names.iter().any(|name| name == FORMAT) {
        return Ok(None);
    }
    names.sort_unstable();
    Ok(names.into_iter().find(|name| name != lock::NAME && name != FORMAT_NEW))
}

/// Written whole or not at all, before anything else is.
fn write_format(dir: &Path) -> Result<(), Error> {
    let new = dir.join(FORMAT_NEW);
    let made = trust::open_options().write(true).create(true).truncate(true).open(&new);
    let written = made.and_then(|mut file| file.write_all(OURS.as_bytes()));
    written.map_err(|error| failed("writing", &new, error))?;
    sync(&new)?;
    rename(&new, &dir.join(FORMAT))?;
    sync(dir)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    trust::open_options().read(true).open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is in a folder.
pub(crate) fn names(dir: &Path) -> Result<Vec<String>, Error> {
    let read = || -> io::Result<Vec<String>> {
        let entries = fs::read_dir(dir)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    };
    read().map_err(|error| failed("reading", dir, error))
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|error| failed("moving", from, error))
}

fn sync(path: &Path) -> Result<(), Error> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| failed("syncing", path, error))
}

fn remove_all(dir: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed("removing", dir, error))
        }
        _ => Ok(()),
    }
}

fn not_a_store(dir: &Path, why: &str) -> Error {
    let dir = dir.display();
    Error::new(
        ErrorKind::Format,
        format!("{dir} is no store: {why}; choose an empty folder or another store with --store"),
    )
}

fn wrong_format(dir: &Path, format: &[u8]) -> Error {
    let shown: String = String::from_utf8_lossy(format).trim().chars().take(40).collect();
    let why = format!("its file FORMAT says {shown:?} where {:?} is known", OURS.trim());
    not_a_store(dir, &why)
}

const FORMAT: &str = "FORMAT";
const FORMAT_NEW: &str = "FORMAT.new";
const DATA: &str = "data";

/// What FORMAT holds. sled opens the files of another version of itself as if they were empty, so
/// this is looked at before sled is.
const OURS: &str = "silcrow-store-sled 2\n";
