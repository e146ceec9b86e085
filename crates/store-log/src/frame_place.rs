//! The places of frames, valid and damaged ones.
//!
//! This module has only places, without files or the meaning of frames.

use std::num::NonZeroU32;
use std::ops::{Range, RangeInclusive};

use crate::record::DamagedRecord;

/// A value under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub(crate) version: u64,
    /// `None` if it is damaged.
    pub(crate) place: Option<FramePlace>,
}

/// The place of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePlace {
    pub(crate) segment: u32,
    at: u32,
    length: NonZeroU32,
}

/// Bytes of a segment that are not as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DamagedPlace {
    /// More than one only if none of them is there.
    pub(crate) segments: RangeInclusive<u32>,
    pub(crate) bytes: Range<u64>,
    pub(crate) lost: DamagedRecord,
}

impl FramePlace {
    pub(crate) fn new(segment: u32, at: u64, length: usize) -> Self {
        let length = u32::try_from(length).ok().and_then(NonZeroU32::new);
        Self {
            segment,
            at: u32::try_from(at).expect("a segment has a limit"),
            length: length.expect("a frame has a header and a limit"),
        }
    }

    /// Creates the place of a frame that is named elsewhere; `None` if no frame can be there.
    pub(crate) fn checked(segment: u32, at: u64, length: u64) -> Option<Self> {
        let at = u32::try_from(at).ok()?;
        let length = NonZeroU32::new(u32::try_from(length).ok()?)?;
        Some(Self { segment, at, length })
    }

    /// Returns the number of bytes.
    pub(crate) fn len(self) -> u64 {
        u64::from(self.length.get())
    }

    /// Returns the offsets in the segment.
    pub(crate) fn range(self) -> Range<u64> {
        let start = u64::from(self.at);
        start..start + self.len()
    }
}
