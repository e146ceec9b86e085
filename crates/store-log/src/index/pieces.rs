//! Long values, in pieces that sled keeps in its own file.
//!
//! sled writes pages of more than 128 KiB to separate files, and a page has up to 16 values.

use std::ops::Range;

use super::engine::IndexEngine;
use super::failure::IndexFailure;

/// The name of a long value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LongKey {
    pub(crate) block: u32,
    pub(crate) part: u8,
}

/// Reads parts of a long value, one after the other.
pub(crate) struct PieceReader<'a> {
    engine: &'a IndexEngine,
    key: LongKey,
    /// The number of the piece that was read last.
    number: usize,
    piece: Vec<u8>,
}

pub(crate) fn put(engine: &IndexEngine, key: LongKey, content: &[u8]) -> Result<(), IndexFailure> {
    let mut pieces = content.chunks(PIECE).enumerate();
    pieces.try_for_each(|(number, piece)| engine.put(&key.piece(number), piece))
}

/// Removes a value of this length.
pub(crate) fn remove(
    engine: &IndexEngine,
    key: LongKey,
    length: usize,
) -> Result<(), IndexFailure> {
    (0..length.div_ceil(PIECE)).try_for_each(|number| engine.remove(&key.piece(number)))
}

impl<'a> PieceReader<'a> {
    pub(crate) fn new(engine: &'a IndexEngine, key: LongKey) -> Self {
        Self { engine, key, number: usize::MAX, piece: Vec::new() }
    }

    /// Appends the bytes in a range of the value to `to`.
    pub(crate) fn read(
        &mut self,
        range: Range<usize>,
        to: &mut Vec<u8>,
    ) -> Result<(), IndexFailure> {
        let mut at = range.start;
        while at < range.end {
            let number = at / PIECE;
            if number != self.number {
                let piece = self.engine.get(&self.key.piece(number))?;
                self.piece = piece.ok_or(IndexFailure::Damaged)?;
                self.number = number;
            }
            let begin = number * PIECE;
            let part = at - begin..(range.end - begin).min(PIECE);
            at = begin + part.end;
            to.extend_from_slice(self.piece.get(part).ok_or(IndexFailure::Damaged)?);
        }
        Ok(())
    }
}

impl LongKey {
    fn piece(self, number: usize) -> [u8; 9] {
        let mut key = [0; 9];
        key[..4].copy_from_slice(&self.block.to_be_bytes());
        key[4] = self.part;
        key[5..].copy_from_slice(&(number as u32).to_be_bytes());
        key
    }
}

/// The length of a piece, in bytes.
const PIECE: usize = 4 << 10;
