//! Compaction: returning the space of deleted records to the system.
//!
//! One segment after the other is rewritten, and others can write in between.

use std::collections::BTreeSet;
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
/// Calls `let_go` after each, so that readers of this process close its old file.
pub(crate) fn compact(dir: &Path, let_go: impl Fn()) -> Result<Compaction, Error> {
    let mut log = LogFiles::without_checkpoint(dir);
    log.catch_up()?;
    if log.segments.is_empty() {
        return Ok(Compaction { before: 0, after: 0 });
    }
    let mut files = StoreFiles::open(dir)?;
    let before = size(&log)?;
    let mut done = BTreeSet::new();
    loop {
        let lock = files.lock()?;
        files.prepare(&mut log).map_err(CommitFailure::into_error)?;
        log.refresh_segments()?;
        if done.is_empty() && log.view.dead(log.position.segment) > 0 {
            // On a full disk the other segments may free enough space for it the next time.
            let _ = begin_segment(&files, &mut log);
        }
        // Segments that need the least space come first: on a full disk they free it for the
        // others.
        let worth_it =
            |segment: &&Segment| is_worth_it(&log, segment) && !done.contains(&segment.number);
        let next = log.segments.from(0).filter(worth_it);
        let next = next.min_by_key(|segment| live(&log, segment)).cloned();
        let Some(segment) = next else { break };
        done.insert(segment.number);
        rewrite(&files, &mut log, &segment)?;
        drop(lock);
        let_go();
    }
    if log.is_checkpoint_due() {
        log.checkpoint = Some(log.write_checkpoint(&mut files));
    }
    Ok(Compaction { before, after: size(&log)? })
}

/// Rewrites one segment that is more than half obsolete, if there is one. Only for the process that
/// has the lock.
pub(crate) fn compact_one(files: &StoreFiles, log: &mut LogFiles) -> Result<(), Error> {
    if half_dead(log).is_none() {
        return Ok(());
    }
    log.refresh_segments()?;
    let Some(segment) = half_dead(log) else { return Ok(()) };
    rewrite(files, log, &segment)
}

/// Returns whether a segment is more than half obsolete.
pub(crate) fn is_worth_one(log: &LogFiles) -> bool {
    half_dead(log).is_some()
}

/// Rewrites a segment that is still as it was written. Otherwise the record of an event that was
/// damaged since it was read would be left out, and the loss of the event would go unnoticed.
fn rewrite(files: &StoreFiles, log: &mut LogFiles, segment: &Segment) -> Result<(), Error> {
    match log.find_damage(segment)? {
        true => Ok(()),
        false => {
            log.rewrite(segment)?;
            publish(files, log)
        }
    }
}

/// Returns a segment that is more than half obsolete.
fn half_dead(log: &LogFiles) -> Option<Segment> {
    let mut segments = log.view.segments_with_dead();
    segments.find_map(|(number, dead)| {
        let segment = log.segments.get(number).filter(|segment| is_worth_it(log, segment))?;
        (dead > end(log, segment) / 2).then(|| segment.clone())
    })
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
    // It names files that are gone.
    log.checkpoint = None;
    let mark = Mark::new(log.position, log.rewrites, false);
    files
        .mark
        .write(&mark)
        .map_err(|error| CommitFailure::Unknown(error.to_string()).into_error())?;
    remove_old(log)
}

fn is_worth_it(log: &LogFiles, segment: &Segment) -> bool {
    let is_followed = segment.number < log.position.segment;
    let is_damaged =
        log.view.damage().iter().any(|damage| damage.segments.contains(&segment.number));
    is_followed && !is_damaged && log.view.dead(segment.number) > 0
}

/// Returns the number of bytes of a segment that still count.
fn live(log: &LogFiles, segment: &Segment) -> u64 {
    end(log, segment).saturating_sub(log.view.dead(segment.number))
}

/// Returns the end of a segment that is followed by another one.
fn end(log: &LogFiles, segment: &Segment) -> u64 {
    log.ends.get(&segment.number).copied().unwrap_or(u64::MAX)
}

fn size(log: &LogFiles) -> Result<u64, Error> {
    log.segments.from(0).map(Segment::len).sum()
}
