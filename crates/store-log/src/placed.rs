//! A group in its place: the destination of its bytes, and writing them to the disk.
//!
//! This module writes segments. Its caller fills the group.

use silcrow_store::Error;

use crate::fault::{no_number, no_room};
use crate::file::{write_all_at, write_zeros_at};
use crate::files::{CommitFailure, StoreFiles};
use crate::log::LogFiles;
use crate::mark::{Mark, Position};
use crate::options::Durability;
use crate::segments::{self, Segment};
use crate::stage::Group;

/// The bytes of a group and their destination.
#[derive(Debug)]
pub(crate) struct PlacedGroup {
    segment: Segment,
    at: u64,
    bytes: Vec<u8>,
    /// The end of the group before it.
    before: Position,
    /// The segment that gets no more groups from here on.
    full: Option<Segment>,
}

impl PlacedGroup {
    /// Finds the place of a group: after the last one, or in a new segment if that one is full or
    /// has bytes of an interrupted write.
    pub(crate) fn new(log: &mut LogFiles, group: &Group) -> Result<Self, Error> {
        let before = log.position;
        let limit = segments::limit(before.segment);
        let fits = !log.is_torn && (before.at == 0 || before.at + group.len() <= limit);
        match log.segments.get(before.segment).filter(|_| fits).cloned() {
            Some(segment) => {
                let identity = log.segments.identity(&segment);
                let bytes = group.write(segment.key, before.at, log.end_before, identity);
                Ok(Self { segment, at: before.at, bytes, before, full: None })
            }
            None => Self::in_new_segment(log, group),
        }
    }

    /// Makes a new segment for a group.
    pub(crate) fn in_new_segment(log: &mut LogFiles, group: &Group) -> Result<Self, Error> {
        let is_torn = log.is_torn;
        // A process that had no space for its group, or was killed, leaves a blank segment, or one
        // that it had rewritten.
        log.refresh_segments()?;
        let before = log.position;
        let full = log.segments.get(before.segment).filter(|_| !is_torn).cloned();
        let folder = log.folder();
        let next = before.segment.checked_add(1).ok_or_else(|| no_number(&folder))?;
        let segment = log.segments.make(&folder, next)?;
        let identity = log.segments.identity(&segment);
        let bytes = group.write(segment.key, 0, before.at, identity);
        Ok(Self { segment, at: 0, bytes, before, full })
    }

    /// Writes the group, with the marks before and after it.
    pub(crate) fn write(
        &self,
        files: &StoreFiles,
        rewrites: u64,
        durability: Durability,
    ) -> Result<(), CommitFailure> {
        self.make_room()?;
        let end = Position { segment: self.segment.number, at: self.at + self.bytes.len() as u64 };
        let file = self.segment.file()?;
        let written = files
            .mark
            .write(&Mark::new(self.before, rewrites, true))
            .and_then(|()| write_all_at(&file, &self.bytes, self.at))
            .and_then(|()| match durability {
                Durability::Power => file.sync_data(),
                Durability::Process => Ok(()),
            })
            .and_then(|()| files.mark.write(&Mark::new(end, rewrites, false)));
        written.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        if let Some(full) = &self.full {
            // It has space that it does not need. With it, it is only longer.
            let _ = full.file().map(|file| file.set_len(self.before.at));
        }
        Ok(())
    }

    /// Takes the group into account, which was written.
    pub(crate) fn push_to(&self, log: &mut LogFiles) -> Result<(), Error> {
        if log.position == self.before {
            log.push_group(&self.segment, &self.bytes);
            return Ok(());
        }
        // A reader of this process was faster.
        log.catch_up().map(drop)
    }

    /// Writes zeros in the group's place and after it, so that writing the group needs no new space
    /// and does not change the length of the file.
    fn make_room(&self) -> Result<(), Error> {
        let needed = self.at + self.bytes.len() as u64;
        if self.segment.has(needed - 1)? {
            return Ok(());
        }
        let there = self.segment.len()?;
        let file = self.segment.file()?;
        let make = |length: u64| {
            let made = write_zeros_at(&file, there..length);
            if made.is_err() {
                // Its bytes so far are zeros.
                let _ = file.set_len(there);
            }
            made
        };
        // On a full disk there may be space for this group only.
        let made = make(needed + there.clamp(LEAST_ROOM, MOST_ROOM)).or_else(|_| make(needed));
        let (path, more) = (&self.segment.path, needed.saturating_sub(there));
        made.map_err(|error| no_room("making room in", path, more, error))
    }
}

/// The extra space of a segment, in bytes.
const LEAST_ROOM: u64 = 64 << 10;
const MOST_ROOM: u64 = 512 << 10;
