//! The identity of a store, in the file `IDENTITY`: a random number, which the beginning of each of its
//! segments names, and the version that made the store.
//!
//! A segment of
//! another store, or a copy of one under the name of another, is a segment that says so, and nothing
//! in it is read. Segments that were made before stores had an identity say nothing, and are believed.
//!
//! The file may be lost: then the number is the one that most segments name.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use silcrow_store::Error;

use crate::fault::failed;
use crate::file::sync_folder;
use crate::names::{self, IDENTITY, NEW_IDENTITY};
use crate::segments::Segments;
use crate::store_id::StoreId;
use crate::trust;

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreIdentity {
    pub(crate) id: StoreId,
    /// The version of this crate that made the store.
    pub(crate) version: String,
}

/// Returns the identity of the store in a folder; `None` if the file is missing or damaged.
pub(crate) fn read(dir: &Path) -> Result<Option<StoreIdentity>, Error> {
    let path = dir.join(IDENTITY);
    let read = || -> io::Result<String> {
        let file = trust::open_options().read(true).open(&path)?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    match read() {
        Ok(text) => Ok(parse(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("reading", &path, error)),
    }
}

/// Returns the number of the store in a folder, which gets one if it has none. Only for the process
/// that has the lock.
pub(crate) fn make(dir: &Path) -> Result<StoreId, Error> {
    if let Some(known) = read(dir)? {
        return Ok(known.id);
    }
    let mut segments = Segments::default();
    segments.list(&dir.join(names::SEGMENTS), None)?;
    let id = segments.store().unwrap_or_else(StoreId::new);
    write(dir, &StoreIdentity { id, version: env!("CARGO_PKG_VERSION").to_owned() })?;
    Ok(id)
}

/// Writes the file completely or not at all.
pub(crate) fn write(dir: &Path, identity: &StoreIdentity) -> Result<(), Error> {
    let (new, path) = (dir.join(NEW_IDENTITY), dir.join(IDENTITY));
    let said = format!("{} {}", identity.id, identity.version);
    let write = || -> io::Result<()> {
        let mut options = trust::open_options();
        let mut file = options.write(true).create(true).truncate(true).open(&new)?;
        writeln!(file, "{said} {:08x}", crc32c::crc32c(said.as_bytes()))?;
        file.sync_all()?;
        fs::rename(&new, &path)
    };
    write().map_err(|error| failed("writing", &path, error))?;
    sync_folder(dir)
}

fn parse(text: &str) -> Option<StoreIdentity> {
    let (said, sum) = text.trim_end().rsplit_once(' ')?;
    if format!("{:08x}", crc32c::crc32c(said.as_bytes())) != sum {
        return None;
    }
    let (id, version) = said.split_once(' ')?;
    Some(StoreIdentity { id: StoreId::parse(id)?, version: version.to_owned() })
}

/// In bytes.
const MOST: u64 = 256;
