//! Compaction: giving the room of deleted records back to the system.
//!
//! One segment after the other is rewritten, and others can write in between.

use std::path::Path;

use silcrow_store::Error;

use crate::files::{CommitFailure, StoreFiles};
use crate::log::LogFiles;
use crate::mark::Mark;
use crate::options::Durability;
use crate::placed::PlacedGroup;
use crate::rewrite::remove_old;
use crate::segments::Segment;
use crate::stage::Group;

/// The result of a compaction: the length of all segments, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compaction {
    /// The length before it.
    pub before: u64,
    /// The length after it.
    pub after: u64,
}

/// Rewrites every segment that has something that no longer counts. Damaged ones stay as they are.
pub(crate) fn compact(dir: &Path) -> Result<Compaction, Error> {
    let mut log = LogFiles::new(dir);
    log.catch_up()?;
    if log.segments.is_empty() {
        return Ok(Compaction { before: 0, after: 0 });
    }
    let files = StoreFiles::open(dir)?;
    let before = size(&log)?;
    let mut number = 0;
    loop {
        let lock = files.lock.take()?;
        files.prepare(&mut log).map_err(CommitFailure::into_error)?;
        if number == 0 && log.view.dead(log.position.segment) > 0 {
            begin_segment(&files, &mut log)?;
        }
        let next = log.segments.from(number + 1).find(|segment| is_worth_it(&log, segment));
        let Some(segment) = next.cloned() else { break };
        number = segment.number;
        log.rewrite(&segment)?;
        publish(&files, &mut log)?;
        drop(lock);
    }
    Ok(Compaction { before, after: size(&log)? })
}

/// Rewrites one segment of which more than a half no longer counts, if there is one. Only for the
/// process that has the lock.
pub(crate) fn compact_one(files: &StoreFiles, log: &mut LogFiles) -> Result<(), Error> {
    let half_dead = |segment: &&Segment| {
        let length = segment.len().unwrap_or(u64::MAX);
        is_worth_it(log, segment) && log.view.dead(segment.number) > length / 2
    };
    let Some(segment) = log.segments.from(0).find(half_dead).cloned() else { return Ok(()) };
    log.rewrite(&segment)?;
    publish(files, log)
}

/// Begins a new segment, so that the last one can be rewritten. Only for the process that has the
/// lock.
pub(crate) fn begin_segment(files: &StoreFiles, log: &mut LogFiles) -> Result<(), Error> {
    let place = PlacedGroup::in_new_segment(log, &Group::default())?;
    let written = place.write(files, log.rewrites, Durability::Power);
    written.map_err(CommitFailure::into_error)?;
    log.catch_up().map(drop)
}

/// Makes other processes read the files that were rewritten, and removes the old ones.
pub(crate) fn publish(files: &StoreFiles, log: &mut LogFiles) -> Result<(), Error> {
    log.rewrites += 1;
    let mark = Mark::new(log.position, log.rewrites, false);
    files
        .mark
        .write(&mark)
        .map_err(|error| CommitFailure::Unknown(error.to_string()).into_error())?;
    remove_old(log)
}

fn is_worth_it(log: &LogFiles, segment: &Segment) -> bool {
    let is_followed = segment.number < log.position.segment;
    let is_damaged = log.view.damage().iter().any(|damage| damage.segment == segment.number);
    is_followed && !is_damaged && log.view.dead(segment.number) > 0
}

fn size(log: &LogFiles) -> Result<u64, Error> {
    log.segments.from(0).map(Segment::len).sum()
}
