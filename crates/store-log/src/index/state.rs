//! The state of the index: its position in the log, and its blocks.

use super::block::Block;
use super::engine::IndexEngine;
use super::failure::IndexFailure;
use super::pieces::{self, LongKey, PieceReader};
use crate::bytes::{ByteReader, ByteWriter};
use crate::frame::SegmentKey;

/// The contents of the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexState {
    /// `None` before the first read.
    pub(crate) place: Option<LogPlace>,
    /// From the oldest to the newest.
    pub(crate) blocks: Vec<BlockInfo>,
    /// The id of the next block.
    next: u32,
}

/// A place in the log, with proof that it is the same log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogPlace {
    pub(crate) segment: u32,
    pub(crate) at: u64,
    pub(crate) generation: u32,
    pub(crate) key: SegmentKey,
    /// The checksum of some bytes before the place.
    pub(crate) tail: u32,
    /// The number of damaged places in the log.
    pub(crate) damage: u64,
}

/// A block, and the lengths of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockInfo {
    id: u32,
    head: u32,
    dictionary: u32,
    postings: u32,
}

impl IndexState {
    /// Reads the state; a new index has an empty one.
    pub(crate) fn read(engine: &IndexEngine) -> Result<Self, IndexFailure> {
        match engine.get(STATE)? {
            Some(bytes) => Self::parse(&bytes).ok_or(IndexFailure::Damaged),
            None => Ok(Self::default()),
        }
    }

    pub(crate) fn write(&self, engine: &IndexEngine) -> Result<(), IndexFailure> {
        let mut writer = ByteWriter::default();
        writer.number(FORMAT);
        writer.number(u64::from(self.next));
        let place = self.place.ok_or(IndexFailure::Refused)?;
        let key = u64::from_le_bytes(place.key);
        let LogPlace { segment, at, generation, tail, damage, .. } = place;
        for number in [segment.into(), at, generation.into(), key, tail.into(), damage] {
            writer.number(number);
        }
        for BlockInfo { id, head, dictionary, postings } in &self.blocks {
            for number in [id, head, dictionary, postings] {
                writer.number(u64::from(*number));
            }
        }
        engine.put(STATE, &writer.0)
    }

    /// Keeps a new block.
    pub(crate) fn push(&mut self, engine: &IndexEngine, block: &Block) -> Result<(), IndexFailure> {
        let id = self.next;
        self.next += 1;
        let [head, dictionary, postings] =
            [&block.head, &block.dictionary, &block.postings].map(|part| part.len() as u32);
        let parts = [&block.head, &block.dictionary, &block.postings];
        for (part, content) in (HEAD..).zip(parts) {
            pieces::put(engine, LongKey { block: id, part }, content)?;
        }
        self.blocks.push(BlockInfo { id, head, dictionary, postings });
        Ok(())
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader(bytes);
        if reader.number()? != FORMAT {
            return None;
        }
        let next = reader.small()?;
        let (segment, at, generation) = (reader.small()?, reader.number()?, reader.small()?);
        let key = reader.number()?.to_le_bytes();
        let (tail, damage) = (reader.small()?, reader.number()?);
        let place = Some(LogPlace { segment, at, generation, key, tail, damage });
        let mut blocks = Vec::new();
        while !reader.is_empty() {
            let (id, head) = (reader.small()?, reader.small()?);
            let (dictionary, postings) = (reader.small()?, reader.small()?);
            blocks.push(BlockInfo { id, head, dictionary, postings });
        }
        Some(Self { place, blocks, next })
    }
}

impl BlockInfo {
    pub(crate) fn len(&self) -> usize {
        self.head as usize + self.dictionary as usize + self.postings as usize
    }

    pub(crate) fn head(&self, engine: &IndexEngine) -> Result<Vec<u8>, IndexFailure> {
        self.read(engine, HEAD, self.head)
    }

    pub(crate) fn dictionary(&self, engine: &IndexEngine) -> Result<Vec<u8>, IndexFailure> {
        self.read(engine, DICTIONARY, self.dictionary)
    }

    /// Returns a reader of parts of the postings.
    pub(crate) fn postings<'a>(&self, engine: &'a IndexEngine) -> PieceReader<'a> {
        PieceReader::new(engine, LongKey { block: self.id, part: POSTINGS })
    }

    pub(crate) fn block(&self, engine: &IndexEngine) -> Result<Block, IndexFailure> {
        Ok(Block {
            head: self.head(engine)?,
            dictionary: self.dictionary(engine)?,
            postings: self.read(engine, POSTINGS, self.postings)?,
        })
    }

    pub(crate) fn remove(&self, engine: &IndexEngine) -> Result<(), IndexFailure> {
        let lengths = [self.head, self.dictionary, self.postings];
        (HEAD..).zip(lengths).try_for_each(|(part, length)| {
            pieces::remove(engine, LongKey { block: self.id, part }, length as usize)
        })
    }

    fn read(&self, engine: &IndexEngine, part: u8, length: u32) -> Result<Vec<u8>, IndexFailure> {
        let mut bytes = Vec::with_capacity(length as usize);
        let mut reader = PieceReader::new(engine, LongKey { block: self.id, part });
        reader.read(0..length as usize, &mut bytes)?;
        Ok(bytes)
    }
}

const STATE: &[u8] = b"state";

/// The format of everything that the index keeps.
const FORMAT: u64 = 2;

const HEAD: u8 = 0;
const DICTIONARY: u8 = 1;
const POSTINGS: u8 = 2;
