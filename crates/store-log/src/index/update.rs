//! Bringing the index up to date: from its place in the log to the last acknowledged record.
//!
//! The log is only kept from others while the view says which records count, never while text is
//! read or sled works.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use silcrow_event as event;
use silcrow_store::search::searched_text;

use super::block::BlockBuilder;
use super::engine::IndexEngine;
use super::failure::IndexFailure;
use super::state::{IndexState, LogPlace};
use crate::frame;
use crate::frame_place::FramePlace;
use crate::log::LogFiles;
use crate::mark::Position;
use crate::record::LogRecord;
use crate::scan::{self, ScanItem, SegmentScan};
use crate::segments::Segment;
use crate::shared::Shared;

/// Adds the new records of the log. Returns whether there was anything.
pub(crate) fn update(
    shared: &Shared,
    engine: &IndexEngine,
    state: &mut IndexState,
) -> Result<bool, IndexFailure> {
    let first = state.place.map_or(0, |place| place.segment);
    let new = NewPart::from_log(&*shared.log()?, first);
    let end = new.place()?;
    if let Some(place) = &state.place {
        new.check_follows(place)?;
        if (place.segment, place.at) == (end.segment, end.at) {
            return Ok(false);
        }
    }
    let mut builder = BlockBuilder::default();
    for (index, segment) in new.segments.iter().enumerate() {
        let from = match &state.place {
            Some(place) if place.segment == segment.number => place.at,
            _ => 0,
        };
        let (to, acknowledged) = match new.segments.get(index + 1) {
            Some(next) => (None, segment.length_before(next, 0)?),
            None => (Some(end.at), end.at),
        };
        // As the view reads it.
        let bytes = segment.read(from, to)?;
        let corrected;
        let mut scan = scan::scan(segment.key, from, &bytes, acknowledged);
        if scan.has_damaged_header() {
            corrected = frame::correct_all(segment.key, from, &bytes);
            scan = scan::scan(segment.key, from, &corrected, acknowledged);
        }
        for record in counting(shared, segment, &scan)? {
            add_record(&mut builder, &record);
            if builder.is_full() {
                state.push(engine, &std::mem::take(&mut builder).finish())?;
            }
        }
    }
    if !builder.is_empty() {
        state.push(engine, &builder.finish())?;
    }
    merge(engine, state)?;
    state.place = Some(end);
    Ok(true)
}

/// The part of the log that is new to the index, as it is at a moment.
struct NewPart {
    end: Position,
    damage: u64,
    /// From that with the index's place to that with the end.
    segments: Vec<Segment>,
}

impl NewPart {
    fn from_log(log: &LogFiles, first: u32) -> Self {
        let end = log.position;
        let segments = log.segments.from(first).filter(|segment| segment.number <= end.segment);
        let (segments, damage) = (segments.cloned().collect(), log.view.damage().len() as u64);
        Self { end, damage, segments }
    }

    /// Returns the place of the end.
    fn place(&self) -> Result<LogPlace, IndexFailure> {
        let last = self.segments.last().filter(|last| last.number == self.end.segment);
        let Segment { number: segment, generation, key, .. } =
            *last.ok_or(IndexFailure::OtherLog)?;
        let (at, damage) = (self.end.at, self.damage);
        let tail = tail(last.ok_or(IndexFailure::OtherLog)?, at)?;
        Ok(LogPlace { segment, at, generation, key, tail, damage })
    }

    /// Checks that the log before a place is unchanged, if the index depends on it. A rewritten
    /// segment after it may lack deletions that the index does not have yet.
    fn check_follows(&self, place: &LogPlace) -> Result<(), IndexFailure> {
        let Some((first, later)) = self.segments.split_first() else {
            return Err(IndexFailure::OtherLog);
        };
        let is_same = (first.number, first.generation, first.key)
            == (place.segment, place.generation, place.key)
            && later.iter().all(|segment| segment.generation == 0)
            && (place.segment, place.at) <= (self.end.segment, self.end.at)
            && place.damage == self.damage
            && tail(first, place.at)? == place.tail;
        if is_same { Ok(()) } else { Err(IndexFailure::OtherLog) }
    }
}

/// Returns the records that the index takes: events that may have text and that count, and
/// deletions.
fn counting<'a>(
    shared: &Shared,
    segment: &Segment,
    scan: &SegmentScan<'a>,
) -> Result<Vec<LogRecord<'a>>, IndexFailure> {
    let log = shared.log()?;
    if log.segments.get(segment.number).is_none_or(|now| now.path != segment.path) {
        // It was rewritten at this moment, so its records count in other places.
        return Err(IndexFailure::OtherLog);
    }
    let records = scan.items.iter().filter_map(|item| {
        let ScanItem::Frame { at, frame } = item else { return None };
        let record = LogRecord::read(frame)?;
        let counts = match record {
            LogRecord::Event { traits, json, .. } => {
                (traits.is_prompt || RESPOND.find(json).is_some())
                    && log.view.counts(FramePlace::new(segment.number, *at, frame.len()), &record)
            }
            LogRecord::Delete { .. } => true,
            _ => false,
        };
        counts.then_some(record)
    });
    Ok(records.collect())
}

fn add_record(builder: &mut BlockBuilder, record: &LogRecord<'_>) {
    match *record {
        LogRecord::Delete { conversation, .. } => builder.delete(conversation),
        LogRecord::Event { conversation, position, json, .. } => {
            // An event that this version cannot read is damaged for every reader.
            let Some(entry) =
                str::from_utf8(json).ok().and_then(|json| event::read_entry(json).ok())
            else {
                return;
            };
            if let Some(text) = searched_text(&entry) {
                let time = entry.timestamp.unwrap_or_default().as_nanos();
                builder.push(conversation, position, time, &text);
            }
        }
        _ => {}
    }
}

/// Makes one block of the last two for as long as the newer one is not much smaller, so that there
/// are few blocks, and no event is moved often.
fn merge(engine: &IndexEngine, state: &mut IndexState) -> Result<(), IndexFailure> {
    while let [.., older, newer] = state.blocks[..] {
        if older.len() > 2 * newer.len() || older.len() + newer.len() > MERGED {
            break;
        }
        let mut builder = BlockBuilder::default();
        for block in [older, newer] {
            builder.append(block.block(engine)?).ok_or(IndexFailure::Damaged)?;
            block.remove(engine)?;
        }
        state.blocks.truncate(state.blocks.len() - 2);
        state.push(engine, &builder.finish())?;
    }
    Ok(())
}

/// Returns the checksum of the bytes before an offset.
fn tail(segment: &Segment, at: u64) -> Result<u32, IndexFailure> {
    Ok(crc32c::crc32c(&segment.read(at.saturating_sub(TAIL), Some(at))?))
}

/// Finds the answers. Of all events, only these and prompts are parsed.
static RESPOND: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("respond"));

/// The number of bytes that show that a log is the same up to a place.
const TAIL: u64 = 4 << 10;

/// The length up to which two blocks become one, in bytes.
const MERGED: usize = 1 << 20;
