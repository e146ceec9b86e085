//! Reading frames that are near each other at once.
//!
//! This module reads bytes at places, whatever frames contain. Its result for a place does not
//! depend on the other frames that were read with it.

use std::ops::Range;

use silcrow_store::Error;

use crate::fault::damaged;
use crate::file_bytes::FileBytes;
use crate::frame::{self, Frame};
use crate::frame_place::FramePlace;
use crate::segments::{Segment, Segments};

/// Bytes of one segment, with the frames that are probably needed next.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    segment: u32,
    range: Range<u64>,
    bytes: FileBytes,
}

impl ReadAhead {
    /// Returns the frame at a place, or `None` if it is damaged. If it has to be read, near frames
    /// among the places that are needed `next` are read with it.
    pub(crate) fn frame(
        &mut self,
        segments: &Segments,
        place: FramePlace,
        next: impl Iterator<Item = FramePlace>,
    ) -> Result<Option<Frame<'_>>, Error> {
        let Some(segment) = segments.get(place.segment) else {
            return Err(damaged(&format!("segment {} of the log", place.segment)));
        };
        let wanted = place.range();
        if self.segment != place.segment || !self.has(&wanted) {
            let together = with_neighbours(place, next);
            // On a failing disk, the readable parts are read.
            match self.read(segment, together.clone()) {
                Err(_) if together != wanted => self.read(segment, wanted.clone())?,
                done => done?,
            }
        }
        // The file may end before.
        let index = |at: u64| ((at - self.range.start) as usize).min(self.bytes.len());
        let (from, to) = (index(wanted.start), index(wanted.end));
        let bytes = &mut self.bytes[from..to];
        frame::correct(segment.key, wanted.start, bytes);
        Ok(Frame::read(segment.key, wanted.start, bytes).ok())
    }

    fn read(&mut self, segment: &Segment, range: Range<u64>) -> Result<(), Error> {
        self.range = 0..0;
        segment.read_into(&mut self.bytes, range.start, Some(range.end))?;
        (self.segment, self.range) = (segment.number, range);
        Ok(())
    }

    fn has(&self, wanted: &Range<u64>) -> bool {
        self.range.start <= wanted.start && wanted.end <= self.range.end
    }
}

/// Returns the range of a place and of the next places that are near enough.
fn with_neighbours(place: FramePlace, next: impl Iterator<Item = FramePlace>) -> Range<u64> {
    let Range { start, mut end } = place.range();
    for next in next {
        let range = next.range();
        let is_near = range.start >= end && range.start - end <= FAR && range.end - start <= MOST;
        if next.segment != place.segment || !is_near {
            break;
        }
        end = range.end;
    }
    start..end
}

/// The maximum number of bytes between two frames that are read at once; another read costs as
/// much.
const FAR: u64 = 8 << 10;

/// The maximum number of bytes of frames that are read at once. It fits into a processor's cache.
const MOST: u64 = 256 << 10;
