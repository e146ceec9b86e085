//! The places of a conversation's events, by their positions.
//!
//! Places in a checkpoint stay packed there, and are only unpacked when they are looked up: a
//! conversation with a million events takes no time until some of them are read.
//!
//! ```text
//! packed     count of bytes ─► the offset of each chunk (u32) ─► chunks of 64 places
//! a place    0: not there
//!            1 + 2 × gap after the place before it, length
//!            2 + 2 × segment, offset, length
//! ```

use std::ops::Range;
use std::sync::Arc;

use crate::bytes::{ByteReader, ByteWriter};
use crate::file_bytes::FileBytes;
use crate::frame_place::FramePlace;

/// Places by position, from 1; `None` for a missing event.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventPlaces {
    packed: Option<PackedPlaces>,
    /// Those after the packed ones.
    rest: Vec<Option<FramePlace>>,
}

/// Places as a checkpoint has them.
#[derive(Clone, Debug)]
pub(crate) struct PackedPlaces {
    file: Arc<FileBytes>,
    /// The range of its bytes in the file.
    range: Range<usize>,
    count: usize,
}

impl EventPlaces {
    /// Creates the places of a checkpoint.
    pub(crate) const fn packed(packed: PackedPlaces) -> Self {
        Self { packed: Some(packed), rest: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.packed_len() + self.rest.len()
    }

    /// Returns the place at an index, which is one less than the position.
    pub(crate) fn get(&self, index: usize) -> Option<FramePlace> {
        self.range(index..index.saturating_add(1)).next().flatten()
    }

    /// Returns the places in a range of indexes, up to the last existing one.
    pub(crate) fn range(&self, range: Range<usize>) -> impl Iterator<Item = Option<FramePlace>> {
        let known = self.packed_len();
        let packed = self.packed.iter().flat_map({
            let range = range.clone();
            move |packed| packed.range(range.clone())
        });
        let rest = range.start.saturating_sub(known)..range.end.saturating_sub(known);
        let rest = rest.start..rest.end.min(self.rest.len());
        packed.chain(self.rest.get(rest).unwrap_or_default().iter().copied())
    }

    /// Returns all of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<FramePlace>> {
        self.range(0..self.len())
    }

    /// Extends them to this number; the new ones are absent.
    pub(crate) fn grow(&mut self, len: usize) {
        if self.len() < len {
            self.rest.resize(len - self.packed_len(), None);
        }
    }

    /// Replaces the place at an index, if there is this index.
    pub(crate) fn set(&mut self, index: usize, place: FramePlace) {
        if index < self.packed_len() {
            (self.rest, self.packed) = (self.iter().collect(), None);
        }
        let index = index - self.packed_len();
        if let Some(kept) = self.rest.get_mut(index) {
            *kept = Some(place);
        }
    }

    /// Appends them to a checkpoint.
    pub(crate) fn write(&self, to: &mut ByteWriter) {
        let (mut offsets, mut chunks) = (Vec::new(), ByteWriter::default());
        let mut before = PlaceBefore::default();
        for (index, place) in self.iter().enumerate() {
            if index.is_multiple_of(CHUNK) {
                offsets.extend((chunks.0.len() as u32).to_le_bytes());
                before = PlaceBefore::default();
            }
            before.write(place, &mut chunks);
        }
        to.number((offsets.len() + chunks.0.len()) as u64);
        to.0.extend(offsets);
        to.0.extend(chunks.0);
    }

    fn packed_len(&self) -> usize {
        self.packed.as_ref().map_or(0, |packed| packed.count)
    }
}

impl PackedPlaces {
    /// Reads an encoding by [`EventPlaces::write`] of this many places; `None` if it is something
    /// else.
    pub(crate) fn read(
        file: &Arc<FileBytes>,
        reader: &mut ByteReader<'_>,
        count: u64,
    ) -> Option<Self> {
        let length = usize::try_from(reader.number()?).ok()?;
        let bytes = reader.bytes(length)?;
        let count = usize::try_from(count).ok()?;
        // Each place has a byte at least.
        if count.checked_add(count.div_ceil(CHUNK) * OFFSET)? > length {
            return None;
        }
        let start = bytes.as_ptr().addr() - file.as_ptr().addr();
        Some(Self { file: Arc::clone(file), range: start..start + length, count })
    }

    fn range(&self, range: Range<usize>) -> PackedIter<'_> {
        let range = range.start.min(self.count)..range.end.min(self.count);
        let mut iter = PackedIter { packed: self, next: 0, end: range.end, before: None };
        if range.start < range.end {
            iter.next = range.start - range.start % CHUNK;
            iter.by_ref().take(range.start % CHUNK).for_each(drop);
        } else {
            iter.next = range.end;
        }
        iter
    }

    /// Returns the bytes of a chunk and of those after it.
    fn chunk(&self, number: usize) -> Option<&[u8]> {
        let bytes = self.file.get(self.range.clone())?;
        let (offsets, chunks) = bytes.split_at_checked(self.count.div_ceil(CHUNK) * OFFSET)?;
        let offset = offsets.get(number * OFFSET..)?.first_chunk()?;
        chunks.get(u32::from_le_bytes(*offset) as usize..)
    }
}

/// The places of a range, one after the other.
struct PackedIter<'a> {
    packed: &'a PackedPlaces,
    next: usize,
    end: usize,
    /// The rest of the chunk.
    before: Option<(ByteReader<'a>, PlaceBefore)>,
}

impl Iterator for PackedIter<'_> {
    type Item = Option<FramePlace>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        if self.next.is_multiple_of(CHUNK) {
            let chunk = self.packed.chunk(self.next / CHUNK).unwrap_or_default();
            self.before = Some((ByteReader(chunk), PlaceBefore::default()));
        }
        self.next += 1;
        // An unreadable place counts as absent, which is damage.
        let (reader, before) = self.before.as_mut()?;
        Some(before.read(reader).flatten())
    }
}

/// The place before the next one of a chunk.
#[derive(Clone, Copy, Debug, Default)]
struct PlaceBefore {
    segment: u32,
    end: u64,
}

impl PlaceBefore {
    fn write(&mut self, place: Option<FramePlace>, to: &mut ByteWriter) {
        let Some(place) = place else { return to.number(0) };
        let range = place.range();
        match range.start.checked_sub(self.end) {
            Some(gap) if self.segment == place.segment => to.number(1 + 2 * gap),
            _ => {
                to.number(2 + 2 * u64::from(place.segment));
                to.number(range.start);
            }
        }
        to.number(place.len());
        *self = Self { segment: place.segment, end: range.end };
    }

    fn read(&mut self, from: &mut ByteReader<'_>) -> Option<Option<FramePlace>> {
        let start = match from.number()? {
            0 => return Some(None),
            odd if odd % 2 == 1 => self.end.checked_add(odd / 2)?,
            even => {
                self.segment = u32::try_from(even / 2 - 1).ok()?;
                from.number()?
            }
        };
        let place = FramePlace::checked(self.segment, start, from.number()?)?;
        self.end = place.range().end;
        Some(Some(place))
    }
}

/// The number of places that are unpacked to find one of them, at most.
const CHUNK: usize = 64;

/// The length of the offset of a chunk, in bytes.
const OFFSET: usize = 4;

#[cfg(test)]
mod tests;
