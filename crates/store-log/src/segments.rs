//! The segments: the files that a log consists of.
//!
//! This module names, makes and reads them. It does not interpret their contents.
//!
//! A segment is called `NUMBER.GENERATION-KEY`. The number is its place in the log, the generation
//! is the number of times that it was rewritten, and the key is random
//! ([`frame`](crate::frame)).

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::sync::Arc;

use silcrow_store::Error;

use crate::fault::failed;
use crate::file;
use crate::file_bytes::FileBytes;
use crate::frame::SegmentKey;
use crate::open_files::OpenFiles;
use crate::store_id::{SegmentIdentity, StoreId};
use crate::trust;

/// The segments of a log.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    by_number: BTreeMap<u32, Segment>,
    /// The store that they are of, if it is known.
    store: Option<StoreId>,
    files: Arc<OpenFiles>,
}

/// A segment, whose file is opened when it is needed.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    pub(crate) generation: u32,
    pub(crate) key: SegmentKey,
    pub(crate) path: Arc<Path>,
    files: Arc<OpenFiles>,
}

/// The name of a segment's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentName {
    pub(crate) number: u32,
    pub(crate) generation: u32,
    pub(crate) key: SegmentKey,
}

impl Segments {
    /// Lists the segments of a store in the folder `dir`; none if the folder does not exist.
    /// Without a `store`, it is the one that most of them name.
    pub(crate) fn list(&mut self, dir: &Path, store: Option<StoreId>) -> Result<(), Error> {
        let names = by_number(&file::names(dir)?);
        self.files.set_current();
        let known = std::mem::take(&mut self.by_number);
        for (number, names) in &names {
            let name = self.newest(names, dir, store)?;
            let segment = match known.get(number).filter(|known| known.name() == name) {
                Some(segment) => segment.clone(),
                None => self.segment(name, dir),
            };
            self.by_number.insert(*number, segment);
        }
        self.files.retain(|path| self.by_number.values().any(|segment| *segment.path == *path));
        self.store = match store {
            Some(store) => Some(store),
            None => match self.most_named() {
                Err(_) if self.is_outdated() => None,
                found => found?,
            },
        };
        Ok(())
    }

    /// Returns the store that most of them name, if any names one.
    fn most_named(&self) -> Result<Option<StoreId>, Error> {
        let mut named = Vec::new();
        for segment in self.by_number.values() {
            named.extend(segment.begin()?.identity);
        }
        Ok(StoreId::of_most(named.into_iter()))
    }

    /// Returns which of several files for one segment counts: the last one that is not foreign.
    fn newest(
        &self,
        names: &[SegmentName],
        dir: &Path,
        store: Option<StoreId>,
    ) -> Result<SegmentName, Error> {
        let last = names[names.len() - 1];
        if names.len() == 1 {
            return Ok(last);
        }
        for name in names.iter().rev() {
            match self.segment(*name, dir).is_foreign(store) {
                Ok(true) => {}
                // Another process has rewritten it meanwhile, so they are listed again.
                Err(error) if !self.is_outdated() => return Err(error),
                Ok(false) | Err(_) => return Ok(*name),
            }
        }
        Ok(last)
    }

    /// Returns the store that they are of, if it is known.
    pub(crate) const fn store(&self) -> Option<StoreId> {
        self.store
    }

    /// Takes into account which store they are of.
    pub(crate) const fn set_store(&mut self, store: StoreId) {
        self.store = Some(store);
    }

    /// Returns the data about a segment at its beginning.
    pub(crate) fn identity(&self, segment: &Segment) -> Option<SegmentIdentity> {
        let (number, generation) = (segment.number, segment.generation);
        self.store.map(|store| SegmentIdentity { store, number, generation })
    }

    /// Returns whether a segment has moved since the segments were listed: another process has
    /// rewritten it, or somebody has removed it.
    pub(crate) fn is_outdated(&self) -> bool {
        self.files.is_outdated()
    }

    /// Returns the names of the segments up to a number.
    pub(crate) fn names(&self, last: u32) -> Vec<SegmentName> {
        self.by_number.range(..=last).map(|(_, segment)| segment.name()).collect()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Segment> {
        self.by_number.get(&number)
    }

    /// Returns the segments from a number on.
    pub(crate) fn from(&self, number: u32) -> impl Iterator<Item = &Segment> {
        self.by_number.range(number..).map(|(_, segment)| segment)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// Returns the segment with this number, which is made if there is none. Only for the process
    /// that has the lock and has just listed the segments.
    pub(crate) fn make(&mut self, dir: &Path, number: u32) -> Result<Segment, Error> {
        if let Some(segment) = self.get(number) {
            file::sync_folder(dir)?;
            return Ok(segment.clone());
        }
        let name = SegmentName::new(number, 0);
        let path = dir.join(name.to_string());
        let made = trust::open_options().read(true).write(true).create_new(true).open(&path);
        let file = made.map_err(|error| failed("making", &path, error))?;
        file::sync_folder(dir)?;
        Ok(self.add(name, dir, file))
    }

    /// Takes into account that a segment has this file.
    pub(crate) fn add(&mut self, name: SegmentName, dir: &Path, file: File) -> Segment {
        let segment = self.segment(name, dir);
        self.files.keep(&segment.path, Arc::new(file));
        self.by_number.insert(name.number, segment.clone());
        segment
    }

    fn segment(&self, name: SegmentName, dir: &Path) -> Segment {
        let SegmentName { number, generation, key } = name;
        let (path, files) = (dir.join(name.to_string()).into(), Arc::clone(&self.files));
        Segment { number, generation, key, path, files }
    }
}

impl Segment {
    /// Returns the open file.
    pub(crate) fn file(&self) -> Result<Arc<File>, Error> {
        self.files.get(&self.path)
    }

    /// Returns the bytes of the segment from `from` to `to`, or to its end.
    pub(crate) fn read(&self, from: u64, to: Option<u64>) -> Result<FileBytes, Error> {
        let mut bytes = FileBytes::default();
        self.read_into(&mut bytes, from, to)?;
        Ok(bytes)
    }

    /// Replaces `bytes` by the segment's bytes from `from` to `to`, or to its end.
    pub(crate) fn read_into(
        &self,
        bytes: &mut FileBytes,
        from: u64,
        to: Option<u64>,
    ) -> Result<(), Error> {
        let to = match to {
            Some(to) => to,
            None => self.len()?,
        };
        // It may become shorter at the same moment, by zeros that were never used.
        let read = bytes.read(&*self.file()?, from, to.saturating_sub(from) as usize);
        read.map_err(|error| failed("reading", &self.path, error))
    }

    /// Returns whether there is a byte at an offset. This is asked before each write: a file whose
    /// length was asked for gets another time with the next write, and some file systems sync that
    /// time with the content.
    pub(crate) fn has(&self, at: u64) -> Result<bool, Error> {
        let read = file::read_at(&*self.file()?, &mut [0], at);
        read.map(|read| read > 0).map_err(|error| failed("reading", &self.path, error))
    }

    pub(crate) fn len(&self) -> Result<u64, Error> {
        let metadata = self.file()?.metadata();
        Ok(metadata.map_err(|error| failed("reading", &self.path, error))?.len())
    }

    fn name(&self) -> SegmentName {
        SegmentName { number: self.number, generation: self.generation, key: self.key }
    }
}

impl SegmentName {
    /// Creates a name with a new key.
    pub(crate) fn new(number: u32, generation: u32) -> Self {
        let key = RandomState::new().hash_one((number, generation)).to_be_bytes();
        Self { number, generation, key }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (number, rest) = name.split_once('.')?;
        let (generation, key) = rest.split_once('-')?;
        let key = u64::from_str_radix(key, 16).ok()?.to_be_bytes();
        let parsed =
            Self { number: number.parse().ok()?, generation: generation.parse().ok()?, key };
        (parsed.to_string() == name).then_some(parsed)
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, generation, key } = self;
        write!(f, "{number:08}.{generation}-{:016x}", u64::from_be_bytes(*key))
    }
}

/// Returns the names of segments among the names of a folder. A crash can leave several files for
/// one segment; the last one has the highest generation.
fn by_number(names: &[String]) -> BTreeMap<u32, Vec<SegmentName>> {
    let mut found = BTreeMap::<u32, Vec<SegmentName>>::new();
    for name in names.iter().filter_map(|name| SegmentName::parse(name)) {
        found.entry(name.number).or_default().push(name);
    }
    found.values_mut().for_each(|names| names.sort_unstable_by_key(|name| name.generation));
    found
}

/// Returns the length of a segment beyond which a group begins a new one: 4 MiB, and twice as much
/// after every 64 segments, up to 64 MiB, so that a long log has few of them.
pub(crate) fn limit(number: u32) -> u64 {
    SEGMENT << (number.saturating_sub(1) / PER_SIZE).min(MAX_DOUBLINGS)
}

const SEGMENT: u64 = 4 << 20;
const PER_SIZE: u32 = 64;
const MAX_DOUBLINGS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn a_thousand_segments_have_room_for_fifty_gigabytes() {
        assert_eq!(
            [1, 64, 65, 128, 129, 257, u32::MAX].map(|n| limit(n) >> 20),
            [4, 4, 8, 8, 16, 64, 64]
        );
        assert!((1..1_000).map(limit).sum::<u64>() > 50_000_000_000);
    }
}
