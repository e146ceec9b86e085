//! The log in this process: the view, and the position up to which the files were read for it.
//!
//! This module reads segments in order and never writes. It stops at the [mark](crate::mark) while
//! the mark is exact; after a power cut, or without a mark, it stops at the end of the last whole
//! group.

mod segment;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use silcrow_store::Error;

use crate::fault::removed;
use crate::file;
use crate::file_bytes::FileBytes;
use crate::frame::HEADER;
use crate::frame_place::DamagedPlace;
use crate::identity;
use crate::known_checkpoint::KnownCheckpoint;
use crate::mark::{Mark, MarkFile, Position};
use crate::names;
use crate::record::DamagedRecord;
use crate::segments::{Segment, Segments};
use crate::view::View;

/// The log of the store in a folder.
#[derive(Debug)]
pub(crate) struct LogFiles {
    /// The store's folder.
    dir: PathBuf,
    pub(crate) view: View,
    pub(crate) segments: Segments,
    /// `None` until there is one.
    mark: Option<MarkFile>,
    /// Everything before it is in the view.
    pub(crate) position: Position,
    /// The end of the segment before the position's.
    pub(crate) end_before: u64,
    /// By number, the ends of the segments before the position's.
    pub(crate) ends: BTreeMap<u32, u64>,
    /// Bytes of an interrupted write follow the position.
    pub(crate) is_torn: bool,
    /// The numbers of segments that are of another store, or are copies of others.
    pub(crate) foreign: BTreeSet<u32>,
    pub(crate) rewrites: u64,
    /// The checkpoint that fits, if one was read or written.
    pub(crate) checkpoint: Option<KnownCheckpoint>,
    /// Whether no checkpoint is believed.
    reads_all: bool,
}

impl LogFiles {
    /// Creates the log of the store in the folder `dir`, of which nothing was read yet.
    pub(crate) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            view: View::default(),
            segments: Segments::default(),
            mark: None,
            position: Position::default(),
            end_before: 0,
            ends: BTreeMap::new(),
            is_torn: false,
            foreign: BTreeSet::new(),
            rewrites: 0,
            checkpoint: None,
            reads_all: false,
        }
    }

    /// Creates the log of the store in the folder `dir`, and reads all of it, even the part covered
    /// by a checkpoint.
    pub(crate) fn without_checkpoint(dir: &Path) -> Self {
        Self { reads_all: true, ..Self::new(dir) }
    }

    /// Reads the records that were acknowledged since the last call. Returns whether there was
    /// anything.
    pub(crate) fn catch_up(&mut self) -> Result<bool, Error> {
        for _ in 0..TRIES {
            if self.segments.is_outdated() {
                self.list_segments()?;
            }
            let done = self.catch_up_with_listed();
            if !self.segments.is_outdated() {
                return done;
            }
        }
        self.catch_up_with_listed()
    }

    /// Reads, and reads again if another process has rewritten a segment meanwhile.
    pub(crate) fn read_current<T>(
        &mut self,
        read: impl Fn(&Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        for _ in 0..TRIES {
            let done = read(self);
            if !self.segments.is_outdated() {
                return done;
            }
            self.catch_up()?;
        }
        read(self)
    }

    fn catch_up_with_listed(&mut self) -> Result<bool, Error> {
        for _ in 0..TRIES {
            let before = self.position;
            let mark = self.mark()?;
            if let Some(mark) = mark.filter(Mark::is_exact) {
                self.read_to(&mark)?;
                return Ok(self.position != before);
            }
            let known = mark.map(|mark| mark.end).unwrap_or_default();
            self.read(None, known)?;
            let end = self.position;
            // If a process began to write meanwhile, some of it may not be on the disk yet.
            if self.mark()? == mark && self.position == end {
                return Ok(self.position != before);
            }
            self.forget();
        }
        // On a system without exact marks, others may never stop writing.
        let known = self.mark()?.map(|mark| mark.end).unwrap_or_default();
        self.read(None, known)?;
        Ok(true)
    }

    /// Reads the acknowledged records, up to an exact mark that was read from this file. Only for
    /// the process that has the lock.
    pub(crate) fn catch_up_to(&mut self, file: &MarkFile, mark: &Mark) -> Result<(), Error> {
        if self.mark.as_ref().is_some_and(|known| !known.is_same(file)) {
            // The segments may be others as well.
            self.forget();
            self.mark = None;
        }
        if self.segments.is_outdated() {
            self.list_segments()?;
        }
        self.read_to(mark)
    }

    /// Takes a group into account that was written after the position, and is acknowledged.
    pub(crate) fn push_group(&mut self, segment: &Segment, bytes: &[u8]) {
        self.enter(segment.number);
        self.push_bytes(segment, bytes, self.position.at + bytes.len() as u64);
    }

    /// Reads all written records, even if they are not acknowledged yet. Only for the process that
    /// has the lock.
    pub(crate) fn catch_up_beyond_the_mark(&mut self) -> Result<(), Error> {
        let mark = self.mark()?;
        if mark.is_some_and(|mark| mark.rewrites != self.rewrites) {
            self.forget();
            self.rewrites = mark.map_or(0, |mark| mark.rewrites);
        }
        self.read(None, mark.map(|mark| mark.end).unwrap_or_default())
    }

    /// Looks which segments there are, before one is made or rewritten. Only for the process that
    /// has the lock.
    pub(crate) fn refresh_segments(&mut self) -> Result<(), Error> {
        self.list_segments()?;
        self.catch_up().map(drop)
    }

    /// Returns the contents of the mark.
    pub(crate) fn mark(&mut self) -> Result<Option<Mark>, Error> {
        if self.mark.as_ref().map(MarkFile::is_in_place).transpose()? != Some(true) {
            let mark = MarkFile::open(&self.dir)?;
            if self.mark.is_some() {
                // The segments may be others as well.
                self.forget();
            }
            self.mark = mark;
        }
        Ok(self.mark.as_ref().and_then(MarkFile::read))
    }

    /// Checks that the segments that were read are still in the store's folder.
    pub(crate) fn check_place(&self) -> Result<(), Error> {
        match self.segments.is_empty() || file::is_there(&self.folder())? {
            true => Ok(()),
            false => Err(removed(&self.dir)),
        }
    }

    /// Returns whether only zeros follow the position. If not, the mark is too low, as in a copy of
    /// the files that was made during a write.
    pub(crate) fn is_at_end(&self) -> Result<bool, Error> {
        let Position { segment, at } = self.position;
        let places = [(segment, at), (segment.saturating_add(1), 0)];
        for (segment, at) in places {
            if let Some(segment) = self.segments.get(segment) {
                let bytes = segment.read(at, Some(at + HEADER as u64))?;
                if bytes.iter().any(|&byte| byte != 0) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns whether a writer would find exactly the records that were read: no process died
    /// between writing a group and moving the mark, and none is between the two now.
    pub(crate) fn is_complete(&mut self) -> Result<bool, Error> {
        match self.mark()? {
            Some(mark) => Ok(mark.is_exact() && !mark.is_writing && self.is_at_end()?),
            None => Ok(self.segments.is_empty()),
        }
    }

    /// Returns whether nothing was read yet.
    pub(crate) fn is_unread(&self) -> bool {
        self.position == Position::default()
    }

    /// Returns the number of bytes that were read.
    pub(crate) fn len(&self) -> u64 {
        self.ends.values().sum::<u64>() + self.position.at
    }

    /// Returns the store's folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the folder with the segments.
    pub(crate) fn folder(&self) -> PathBuf {
        self.dir.join(names::SEGMENTS)
    }

    fn list_segments(&mut self) -> Result<(), Error> {
        let before = self.segments.names(self.position.segment);
        let folder = self.folder();
        let store = identity::read(&self.dir)?.map(|identity| identity.id);
        self.segments.list(&folder, store)?;
        if self.segments.names(self.position.segment) != before {
            // Some were rewritten, so the view's places in them are wrong.
            let rewrites = self.rewrites;
            let segments = std::mem::take(&mut self.segments);
            self.forget();
            (self.rewrites, self.segments) = (rewrites, segments);
        }
        Ok(())
    }

    fn forget(&mut self) {
        let (mark, reads_all) = (self.mark.take(), self.reads_all);
        *self = Self { mark, reads_all, ..Self::new(&self.dir) };
    }

    fn read_to(&mut self, mark: &Mark) -> Result<(), Error> {
        if mark.rewrites != self.rewrites || mark.end < self.position {
            self.forget();
            self.rewrites = mark.rewrites;
        }
        match mark.end > self.position {
            true => self.read(Some(mark.end), mark.end),
            false => Ok(()),
        }
    }

    /// Reads up to a position, or all that there is. Everything before `known` was acknowledged.
    fn read(&mut self, until: Option<Position>, known: Position) -> Result<(), Error> {
        if until.is_none_or(|until| self.segments.get(until.segment).is_none()) {
            self.list_segments()?;
        }
        if self.is_unread() && !self.reads_all {
            self.read_checkpoint(until);
        }
        let segments: Vec<_> = self.segments.from(self.position.segment).cloned().collect();
        let mut buffer = FileBytes::default();
        for (index, segment) in segments.iter().enumerate() {
            if until.is_some_and(|until| until.segment < segment.number) {
                break;
            }
            let is_next =
                segment.number.checked_sub(1) == Some(self.position.segment.max(known.segment));
            if is_next && index + 1 == segments.len() && segment.is_blank()? {
                // It does not have the length of the segment before it yet.
                break;
            }
            let known = if known.segment == segment.number { known.at } else { 0 };
            let to = until.filter(|until| until.segment == segment.number).map(|until| until.at);
            let acknowledged = match segments.get(index + 1) {
                // Others may have written beyond the mark, and begun the next segment.
                Some(next) if to.is_none() => segment.length_before(next, known)?,
                _ => known,
            };
            match self.is_foreign(segment)? {
                true => self.pass_foreign(segment, acknowledged)?,
                false => self.read_segment(segment, &mut buffer, to, acknowledged)?,
            }
        }
        if known.segment > self.position.segment {
            self.lose_segments(self.position.segment + 1..=known.segment, known.at);
            (self.position, self.is_torn) = (known, true);
        }
        Ok(())
    }

    /// Continues with a segment.
    fn enter(&mut self, segment: u32) {
        if segment > self.position.segment {
            self.lose_segments(self.position.segment + 1..=segment - 1, 0);
            self.end_before = self.position.at;
            self.ends.insert(self.position.segment, self.position.at);
            self.position = Position { segment, at: 0 };
        }
    }

    /// Counts missing segments as damaged. If very many are missing, most have probably never
    /// existed, and somebody has put a file into the folder.
    fn lose_segments(&mut self, numbers: RangeInclusive<u32>, at: u64) {
        let mut lose = |segments| {
            let lost = DamagedRecord::Unknown;
            self.view.push_damage(DamagedPlace { segments, bytes: 0..at, lost });
        };
        match numbers.end().saturating_sub(*numbers.start()) < MANY {
            true => numbers.for_each(|number| lose(number..=number)),
            false => lose(numbers),
        }
    }
}

/// So many segments in a row that are missing are counted as one damage, and are not made again.
const MANY: u32 = 1_000;

/// The number of times that a log is read again because others wrote meanwhile.
const TRIES: u32 = 8;

#[cfg(test)]
mod tests;
