//! The identity of a store: a random number, which the beginning of each of its segments names.
//!
//! This module knows the file `IDENTITY`, which also says which version made the store. A segment of
//! another store, or a copy of one under the name of another, is a segment that says so, and nothing
//! in it is read. Segments that were made before stores had an identity say nothing, and are believed.
//!
//! The file can be lost: then the number is the one that most segments name.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use silcrow_store::Error;

use crate::fault::failed;
use crate::file::sync_folder;
use crate::names::{self, IDENTITY, NEW_IDENTITY};
use crate::segments::{Segment, Segments};
use crate::trust;

/// The number of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StoreId(u128);

/// What a segment says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentIdentity {
    pub(crate) store: StoreId,
    pub(crate) number: u32,
    pub(crate) generation: u32,
}

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreIdentity {
    pub(crate) id: StoreId,
    /// The version of this crate that made the store.
    pub(crate) version: String,
}

impl SegmentIdentity {
    /// The number of bytes that it takes.
    pub(crate) const LENGTH: usize = 24;

    pub(crate) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..16].copy_from_slice(&self.store.0.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.number.to_le_bytes());
        bytes[20..].copy_from_slice(&self.generation.to_le_bytes());
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) returned; `None` for a segment that says nothing.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let (store, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (generation, _) = rest.split_first_chunk()?;
        Some(Self {
            store: StoreId(u128::from_le_bytes(*store)),
            number: u32::from_le_bytes(*number),
            generation: u32::from_le_bytes(*generation),
        })
    }
}

impl StoreId {
    /// Creates the number of a new store.
    fn new() -> Self {
        // The system seeds the keys of the standard library's hasher.
        let random = || u128::from(RandomState::new().hash_one(()));
        Self(random() << 64 | random())
    }

    /// Returns what a segment of this store says of itself.
    pub(crate) fn of(self, segment: &Segment) -> SegmentIdentity {
        let (number, generation) = (segment.number, segment.generation);
        SegmentIdentity { store: self, number, generation }
    }

    /// Returns the number that most segments name, if any names one.
    pub(crate) fn of_most<'a>(
        segments: impl Iterator<Item = &'a Segment>,
    ) -> Result<Option<Self>, Error> {
        let mut named = BTreeMap::<Self, u32>::new();
        for segment in segments {
            if let Some(identity) = segment.begin()?.identity {
                *named.entry(identity.store).or_default() += 1;
            }
        }
        Ok(named.into_iter().max_by_key(|(_, count)| *count).map(|(id, _)| id))
    }
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
    let said = format!("{:032x} {}", identity.id.0, identity.version);
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
    let id = StoreId(u128::from_str_radix(id, 16).ok()?);
    Some(StoreIdentity { id, version: version.to_owned() })
}

/// In bytes.
const MOST: u64 = 256;
