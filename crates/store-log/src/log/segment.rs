//! Reading the frames of one segment into the view.

use silcrow_store::Error;

use super::LogFiles;
use crate::file_bytes::FileBytes;
use crate::frame::{self, Frame};
use crate::frame_place::{DamagedPlace, FramePlace};
use crate::record::{DamagedRecord, LogRecord};
use crate::scan::{self, ScanItem};
use crate::segments::Segment;

impl LogFiles {
    /// Returns whether a segment that is read now is of another store, or a copy of another one. Of
    /// one that was begun before, this is known.
    pub(super) fn is_foreign(&self, segment: &Segment) -> Result<bool, Error> {
        let is_begun = self.position.segment == segment.number && self.position.at > 0;
        if is_begun || self.foreign.contains(&segment.number) {
            return Ok(self.foreign.contains(&segment.number));
        }
        segment.is_foreign(self.segments.store())
    }

    /// Counts a segment with another identity as damaged. It is neither read nor written any more.
    pub(super) fn pass_foreign(
        &mut self,
        segment: &Segment,
        acknowledged: u64,
    ) -> Result<(), Error> {
        self.enter(segment.number);
        if self.foreign.insert(segment.number) {
            let (number, end) = (segment.number, segment.len()?.max(acknowledged));
            self.view.push_damage(DamagedPlace {
                segments: number..=number,
                bytes: 0..end,
                lost: DamagedRecord::Unknown,
            });
        }
        self.position.at = self.position.at.max(acknowledged);
        self.is_torn = true;
        Ok(())
    }

    /// Reads one segment on, or from its beginning.
    pub(super) fn read_segment(
        &mut self,
        segment: &Segment,
        buffer: &mut FileBytes,
        to: Option<u64>,
        acknowledged: u64,
    ) -> Result<(), Error> {
        self.enter(segment.number);
        self.read_intact(segment, buffer, to.map_or(acknowledged, |to| to.min(acknowledged)))?;
        segment.read_into(buffer, self.position.at, to)?;
        self.push_bytes(segment, buffer, acknowledged);
        Ok(())
    }

    /// Reads more of a segment in pieces, while all frames are intact and acknowledged. Most
    /// segments are, and need little memory in this way.
    fn read_intact(
        &mut self,
        segment: &Segment,
        buffer: &mut FileBytes,
        acknowledged: u64,
    ) -> Result<(), Error> {
        loop {
            let from = self.position.at;
            segment.read_into(buffer, from, Some(acknowledged.min(from + PIECE)))?;
            let mut rest = &**buffer;
            while let Ok(frame) = Frame::read(segment.key, self.position.at, rest) {
                self.apply(segment.number, self.position.at, &frame);
                self.position.at += frame.len() as u64;
                rest = &rest[frame.len()..];
            }
            if self.position.at == from {
                return Ok(());
            }
        }
    }

    /// Takes the bytes of a segment from the position on into account.
    pub(super) fn push_bytes(&mut self, segment: &Segment, bytes: &[u8], acknowledged: u64) {
        let (number, from) = (segment.number, self.position.at);
        let corrected;
        let mut scan = scan::scan(segment.key, from, bytes, acknowledged);
        if scan.has_damaged_header() {
            corrected = frame::correct_all(segment.key, from, bytes);
            scan = scan::scan(segment.key, from, &corrected, acknowledged);
        }
        for item in &scan.items {
            match item {
                ScanItem::Frame { at, frame } => self.apply(number, *at, frame),
                ScanItem::Damaged { bytes, lost } => {
                    let (bytes, lost) = (bytes.clone(), lost.clone());
                    self.view.push_damage(DamagedPlace { segments: number..=number, bytes, lost });
                }
            }
        }
        self.position.at = scan.end;
        self.is_torn = scan.is_torn;
    }

    fn apply(&mut self, segment: u32, at: u64, frame: &Frame<'_>) {
        let place = FramePlace::new(segment, at, frame.len());
        match LogRecord::read(frame) {
            Some(record) => self.view.apply(place, &record),
            None => {
                let bytes = at..at + frame.len() as u64;
                self.view.push_damage(DamagedPlace {
                    segments: segment..=segment,
                    bytes,
                    lost: DamagedRecord::Unknown,
                });
            }
        }
    }
}

/// The number of bytes of a segment that are read at once. They fit into a processor's cache.
const PIECE: u64 = 256 << 10;
