//! The segments: the files that a log consists of.
//!
//! This module knows their names, how they are made and read. It does not know what is in them.
//!
//! A segment is called `NUMBER.GENERATION-KEY`. The number is its place in the log, the generation
//! is the number of times that it was rewritten, and the key is random
//! ([`frame`](crate::frame)).

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_store::Error;

use crate::fault::failed;
use crate::file;
use crate::file_bytes::FileBytes;
use crate::frame::SegmentKey;
use crate::trust;

/// The segments of a log, by number.
#[derive(Debug, Default)]
pub(crate) struct Segments(BTreeMap<u32, Segment>);

/// A segment, which stays readable when its file is removed.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    pub(crate) generation: u32,
    pub(crate) key: SegmentKey,
    pub(crate) file: Arc<File>,
    pub(crate) path: PathBuf,
}

/// The name of a segment's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentName {
    pub(crate) number: u32,
    pub(crate) generation: u32,
    pub(crate) key: SegmentKey,
}

impl Segments {
    /// Returns the segments in the folder `dir`, none if there is no folder. Those that are
    /// `known` are not opened again.
    pub(crate) fn list(dir: &Path, known: &Self) -> Result<Self, Error> {
        loop {
            let mut segments = BTreeMap::new();
            let mut is_complete = true;
            for (name, path) in newest(file::names(dir)?, dir) {
                let opened = match known.get(name.number).filter(|known| known.path == path) {
                    Some(segment) => Some(segment.clone()),
                    None => Segment::open(name, path)?,
                };
                match opened {
                    Some(segment) => drop(segments.insert(name.number, segment)),
                    // It was rewritten at the same moment.
                    None => is_complete = false,
                }
            }
            if is_complete {
                return Ok(Self(segments));
            }
        }
    }

    /// Returns whether the segments up to a number are the same files as before.
    pub(crate) fn continues(&self, before: &Self, last: u32) -> bool {
        let paths = |segments: &Self| -> Vec<PathBuf> {
            segments.0.range(..=last).map(|(_, segment)| segment.path.clone()).collect()
        };
        paths(self) == paths(before)
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
        // A process that had no room for its group, or was killed, leaves a blank one.
        *self = Self::list(dir, self)?;
        if let Some(segment) = self.get(number) {
            file::sync_folder(dir)?;
            return Ok(segment.clone());
        }
        let name = SegmentName::new(number, 0);
        let path = dir.join(name.to_string());
        let made = trust::open_options().read(true).write(true).create_new(true).open(&path);
        let file = made.map_err(|error| failed("making", &path, error))?;
        file::sync_folder(dir)?;
        let segment = Segment::new(name, path, file);
        self.0.insert(number, segment.clone());
        Ok(segment)
    }

    /// Takes into account that a segment has another file.
    pub(crate) fn replace(&mut self, segment: Segment) {
        self.0.insert(segment.number, segment);
    }
}

impl Segment {
    pub(crate) fn new(name: SegmentName, path: PathBuf, file: File) -> Self {
        let SegmentName { number, generation, key } = name;
        Self { number, generation, key, file: Arc::new(file), path }
    }

    /// Opens a segment; `None` if its file is gone.
    fn open(name: SegmentName, path: PathBuf) -> Result<Option<Self>, Error> {
        let open = |is_writable| trust::open_options().read(true).write(is_writable).open(&path);
        let opened = match open(true) {
            // A store that may only be read can be read.
            Err(error) if is_refused(&error) => open(false),
            opened => opened,
        };
        match opened {
            Ok(file) => Ok(Some(Self::new(name, path, file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("opening", &path, error)),
        }
    }

    /// Returns the bytes of the segment from `from` to `to`, or to its end.
    pub(crate) fn read(&self, from: u64, to: Option<u64>) -> Result<FileBytes, Error> {
        let mut bytes = FileBytes::default();
        self.read_into(&mut bytes, from, to)?;
        Ok(bytes)
    }

    /// Replaces `bytes` by those of the segment from `from` to `to`, or to its end.
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
        let read = bytes.read(&self.file, from, to.saturating_sub(from) as usize);
        read.map_err(|error| failed("reading", &self.path, error))
    }

    /// Returns whether there is a byte at an offset. This is asked before each write: a file whose
    /// length was asked for gets another time with the next write, and some file systems sync that
    /// time with the content.
    pub(crate) fn has(&self, at: u64) -> Result<bool, Error> {
        let read = file::read_at(&self.file, &mut [0], at);
        read.map(|read| read > 0).map_err(|error| failed("reading", &self.path, error))
    }

    pub(crate) fn len(&self) -> Result<u64, Error> {
        let metadata = self.file.metadata();
        Ok(metadata.map_err(|error| failed("reading", &self.path, error))?.len())
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

/// Returns the names of segments among the names of a folder, with their paths. Of several files
/// for one segment, which a crash can leave, the last one counts.
fn newest(names: Vec<String>, dir: &Path) -> Vec<(SegmentName, PathBuf)> {
    let mut newest: BTreeMap<u32, SegmentName> = BTreeMap::new();
    for name in names.iter().filter_map(|name| SegmentName::parse(name)) {
        let kept = newest.entry(name.number).or_insert(name);
        if kept.generation < name.generation {
            *kept = name;
        }
    }
    newest.into_values().map(|name| (name, dir.join(name.to_string()))).collect()
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Returns the length of a segment beyond which a group begins a new one: 4 MiB, and twice as much
/// after every 64 segments, up to 64 MiB. A process has all segments open, so their number must stay
/// below the system's limit, often 1,024, which this reaches at about 50 GB.
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
