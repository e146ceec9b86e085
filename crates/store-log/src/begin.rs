//! The beginning of a segment: whether there is one, and what it says of lengths.

use silcrow_store::Error;

use crate::frame::{self, Frame, HEADER};
use crate::record::LogRecord;
use crate::segments::Segment;

impl Segment {
    /// Returns what the beginning of the segment says: how long the segment before it was, and how
    /// long this one is if it was rewritten.
    pub(crate) fn begin(&self) -> Result<(u64, Option<u64>), Error> {
        let mut bytes = self.read(0, Some((HEADER + size_of::<u64>()) as u64))?;
        frame::correct(self.key, 0, &mut bytes);
        let frame = Frame::read(self.key, 0, &bytes).ok();
        Ok(match frame.as_ref().and_then(LogRecord::read) {
            Some(LogRecord::Begin { before, rewritten }) => (before, rewritten),
            _ => (0, None),
        })
    }

    /// Returns whether nothing was written to the segment. A process that was killed before it wrote
    /// its group leaves such a segment.
    pub(crate) fn is_blank(&self) -> Result<bool, Error> {
        for to in [Some(HEADER as u64), None] {
            if self.read(0, to)?.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the length of the segment, which `next` follows, as far as the two of them say it
    /// and the mark, by which it has at least `known` bytes. After a power cut the mark may be from
    /// before the segment was rewritten.
    pub(crate) fn length_before(&self, next: &Self, known: u64) -> Result<u64, Error> {
        match self.begin()? {
            (_, Some(rewritten)) => Ok(rewritten),
            _ => Ok(next.begin()?.0.max(known)),
        }
    }
}
