//! The beginning of a segment: whether it exists, and its data about lengths and the segment.

use silcrow_store::Error;

use crate::frame::{self, Frame, HEADER};
use crate::record::LogRecord;
use crate::segments::Segment;
use crate::store_id::{SegmentIdentity, StoreId};

/// The data at the beginning of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SegmentBegin {
    /// The length of the segment before it.
    pub(crate) before: u64,
    /// The length of this segment, if it was rewritten.
    pub(crate) rewritten: Option<u64>,
    /// The number of the segment, and the id of its store.
    pub(crate) identity: Option<SegmentIdentity>,
}

impl Segment {
    /// Returns the data at the beginning of the segment.
    pub(crate) fn begin(&self) -> Result<SegmentBegin, Error> {
        let length = HEADER + SegmentIdentity::LENGTH + size_of::<u64>();
        let mut bytes = self.read(0, Some(length as u64))?;
        frame::correct(self.key, 0, &mut bytes);
        let frame = Frame::read(self.key, 0, &bytes).ok();
        Ok(match frame.as_ref().and_then(LogRecord::read) {
            Some(LogRecord::Begin { before, rewritten, identity }) => {
                SegmentBegin { before, rewritten, identity }
            }
            _ => SegmentBegin::default(),
        })
    }

    /// Returns whether the segment says that it is one of another store, or another one of this.
    pub(crate) fn is_foreign(&self, store: Option<StoreId>) -> Result<bool, Error> {
        let Some(store) = store else { return Ok(false) };
        let ours = SegmentIdentity { store, number: self.number, generation: self.generation };
        Ok(self.begin()?.identity.is_some_and(|identity| identity != ours))
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

    /// Returns the length of the segment, which `next` follows, if the beginnings of the two or the
    /// mark show it. By the mark it has at least `known` bytes. After a power cut the mark may be
    /// from before the segment was rewritten.
    pub(crate) fn length_before(&self, next: &Self, known: u64) -> Result<u64, Error> {
        match self.begin()?.rewritten {
            Some(rewritten) => Ok(rewritten),
            None => Ok(next.begin()?.before.max(known)),
        }
    }
}
