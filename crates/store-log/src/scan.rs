//! The scan: the frames of a part of a segment, its damage, and its end.
//!
//! This module reads bytes, without files or the meaning of records.
//!
//! All frames that are written together are a *group*. A group is synced before it is acknowledged,
//! and before the next one is written. So if the last group has a flaw, its write was interrupted
//! and never acknowledged: none of it counts. Before that, a flaw is damage.

use std::ops::Range;

use crate::frame::{self, Flaw, Frame, SegmentKey};
use crate::record::DamagedRecord;

/// The contents of a part of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SegmentScan<'a> {
    pub(crate) items: Vec<ScanItem<'a>>,
    /// The offset after the last group.
    pub(crate) end: u64,
    /// Whether bytes that are not zero follow the end: a write that was interrupted.
    pub(crate) is_torn: bool,
}

impl SegmentScan<'_> {
    /// Returns whether the contents of some place are unknown.
    pub(crate) fn has_damaged_header(&self) -> bool {
        let is_unknown = |item: &ScanItem<'_>| {
            matches!(item, ScanItem::Damaged { lost: DamagedRecord::Unknown, .. })
        };
        self.items.iter().any(is_unknown)
    }
}

/// A frame, or the place of a damaged one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScanItem<'a> {
    Frame { at: u64, frame: Frame<'a> },
    Damaged { bytes: Range<u64>, lost: DamagedRecord },
}

/// Scans `bytes`, whose offset in the segment is `base`. Everything before the offset
/// `acknowledged` is known to belong to groups that count.
pub(crate) fn scan(key: SegmentKey, base: u64, bytes: &[u8], acknowledged: u64) -> SegmentScan<'_> {
    let known = acknowledged.saturating_sub(base);
    let known = usize::try_from(known).unwrap_or(usize::MAX).min(bytes.len());
    let mut scanner = Scanner { key, base, bytes, items: Vec::new(), at: 0 };
    let (mut kept, mut end) = (0, 0);
    let mut is_whole = true;
    loop {
        let before = (scanner.items.len(), scanner.at);
        let Some(step) = scanner.step(known) else { break };
        if step.is_first {
            // The groups before this one were acknowledged, flaws or not.
            (kept, end) = before;
            is_whole = true;
        }
        is_whole &= !step.is_flaw;
        // A flaw may lead past the last byte that is known to count.
        if before.1 < known || (step.is_last && is_whole) {
            (kept, end) = (scanner.items.len(), scanner.at);
            is_whole = scanner.at <= known || !step.is_flaw;
        }
    }
    scanner.items.truncate(kept);
    let is_torn = bytes.get(end..).is_some_and(|rest| rest.iter().any(|&byte| byte != 0));
    let mut scan = SegmentScan { items: scanner.items, end: base + end as u64, is_torn };
    if acknowledged > base + bytes.len() as u64 {
        // The segment was cut off. Nothing is written after a gap.
        let bytes = scan.end..acknowledged;
        scan.items.push(ScanItem::Damaged { bytes, lost: DamagedRecord::Unknown });
        (scan.end, scan.is_torn) = (acknowledged, true);
    }
    scan
}

struct Scanner<'a> {
    key: SegmentKey,
    base: u64,
    bytes: &'a [u8],
    items: Vec<ScanItem<'a>>,
    /// The end of the scan, from the base.
    at: usize,
}

/// A frame or a damaged place that the scanner went past.
struct ScanStep {
    /// It is the first of its group.
    is_first: bool,
    /// It is the last of its group.
    is_last: bool,
    is_flaw: bool,
}

impl Scanner<'_> {
    /// Advances past the next frame or the next damage; `None` at the end.
    fn step(&mut self, known: usize) -> Option<ScanStep> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        match Frame::read(self.key, self.offset(self.at), rest) {
            Ok(frame) => {
                self.items.push(ScanItem::Frame { at: self.offset(self.at), frame });
                self.at += frame.len();
                let (is_first, is_last) = (frame.header.is_first(), frame.header.is_last());
                Some(ScanStep { is_first, is_last, is_flaw: false })
            }
            Err(Flaw::Blank) if self.at >= known && !self.is_followed() => None,
            Err(Flaw::Body(header, length)) => {
                // In a segment that was cut off, the length may lead beyond its end.
                let next = (self.at + length).min(self.bytes.len());
                self.damaged(next, header.lost());
                let (is_first, is_last) = (header.is_first(), header.is_last());
                Some(ScanStep { is_first, is_last, is_flaw: true })
            }
            Err(Flaw::Blank | Flaw::Header) => {
                let next = match frame::find(self.key, self.base, self.bytes, self.at + 1) {
                    Some(next) => next,
                    None if self.at < known => known,
                    None => self.bytes.len(),
                };
                self.damaged(next, DamagedRecord::Unknown);
                Some(ScanStep { is_first: false, is_last: false, is_flaw: true })
            }
        }
    }

    /// Returns whether a group begins after the zeros here, which are damage then.
    fn is_followed(&self) -> bool {
        let mut from = self.at;
        while let Some(at) = frame::find(self.key, self.base, self.bytes, from) {
            let found = Frame::read(self.key, self.offset(at), &self.bytes[at..]);
            if let Ok(Frame { header, .. }) | Err(Flaw::Body(header, _)) = found
                && header.is_first()
            {
                return true;
            }
            from = at + 1;
        }
        false
    }

    fn damaged(&mut self, next: usize, lost: DamagedRecord) {
        let bytes = self.offset(self.at)..self.offset(next);
        self.items.push(ScanItem::Damaged { bytes, lost });
        self.at = next;
    }

    /// Returns the offset in the segment.
    fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }
}

#[cfg(test)]
mod tests;
