//! The segments: the files that a log consists of.
//!
//! This module knows their names, how they are made and read. It does not know what is in them.
//!
//! A segment is called `NUMBER-KEY`. The number is its place in the log, and the key is random
//! ([`frame`](crate::frame)).

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_store::Error;

use crate::fault::failed;
use crate::file;
use crate::frame::SegmentKey;
use crate::trust;

/// The segments of a log, by number.
#[derive(Debug, Default)]
pub(crate) struct Segments(BTreeMap<u32, Segment>);

/// A segment, which stays readable when its file is removed.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    pub(crate) key: SegmentKey,
    pub(crate) file: Arc<File>,
    pub(crate) path: PathBuf,
}

impl Segments {
    /// Returns the segments in the folder `dir`, none if there is no folder. Those that are
    /// `known` are not opened again.
    pub(crate) fn list(dir: &Path, known: &Self) -> Result<Self, Error> {
        let mut segments = BTreeMap::new();
        for name in file::names(dir)? {
            let Some((number, key)) = parse(&name) else { continue };
            let path = dir.join(name);
            let segment = match known.get(number).filter(|segment| segment.path == path) {
                Some(segment) => segment.clone(),
                None => {
                    let opened = trust::open_options().read(true).write(true).open(&path);
                    let file = opened.map_err(|error| failed("opening", &path, error))?;
                    Segment { number, key, file: Arc::new(file), path }
                }
            };
            segments.insert(number, segment);
        }
        Ok(Self(segments))
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Segment> {
        self.0.get(&number)
    }

    /// Returns the segments from a number on.
    pub(crate) fn from(&self, number: u32) -> impl Iterator<Item = &Segment> {
        self.0.range(number..).map(|(_, segment)| segment)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the segment with this number, which is made if there is none. Only for the process
    /// that has the lock.
    pub(crate) fn make(&mut self, dir: &Path, number: u32) -> Result<Segment, Error> {
        // A process that had no room for its group leaves a blank one.
        *self = Self::list(dir, self)?;
        if let Some(segment) = self.get(number) {
            return Ok(segment.clone());
        }
        let key = RandomState::new().hash_one(number).to_be_bytes();
        let path = dir.join(format!("{number:08}-{:016x}", u64::from_be_bytes(key)));
        let made = trust::open_options().read(true).write(true).create_new(true).open(&path);
        let file = made.map_err(|error| failed("making", &path, error))?;
        file::sync_folder(dir)?;
        let segment = Segment { number, key, file: Arc::new(file), path };
        self.0.insert(number, segment.clone());
        Ok(segment)
    }
}

impl Segment {
    /// Returns the bytes of the segment from `from` to `to`, or to its end.
    pub(crate) fn read(&self, from: u64, to: Option<u64>) -> Result<Vec<u8>, Error> {
        let length = self.len()?;
        let to = to.unwrap_or(length).min(length);
        let mut bytes = vec![0; to.saturating_sub(from) as usize];
        let read = file::read_at(&self.file, &mut bytes, from);
        // It may become shorter at the same moment, by zeros that were never used.
        bytes.truncate(read.map_err(|error| failed("reading", &self.path, error))?);
        Ok(bytes)
    }

    pub(crate) fn len(&self) -> Result<u64, Error> {
        let metadata = self.file.metadata();
        Ok(metadata.map_err(|error| failed("reading", &self.path, error))?.len())
    }
}

/// Returns the number and the key that the name of a segment says.
fn parse(name: &str) -> Option<(u32, SegmentKey)> {
    let (number, key) = name.split_once('-')?;
    if number.len() != 8 || key.len() != 16 {
        return None;
    }
    let key = u64::from_str_radix(key, 16).ok()?;
    Some((number.parse().ok()?, key.to_be_bytes()))
}

/// A group that would make a segment longer than this begins a new one.
pub(crate) const SEGMENT: u64 = 4 << 20;
