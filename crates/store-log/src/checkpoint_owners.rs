//! The conversations as a checkpoint has them: sorted by their ids, each read when it is asked for.
//!
//! ```text
//! count ─► for each, where it begins (u32) ─► what it is, one after the other
//! ```

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::bytes::{ByteReader, ByteWriter};
use crate::file_bytes::FileBytes;
use crate::owned_records::OwnedRecords;

/// The conversations of a checkpoint.
#[derive(Debug)]
pub(crate) struct CheckpointOwners {
    file: Arc<FileBytes>,
    /// The position in the file of the table of their beginnings.
    table: Range<usize>,
    /// Those that were read, in the order of the table.
    read: Vec<OnceLock<Box<OwnedRecords>>>,
    /// Those that were taken.
    taken: Vec<bool>,
}

impl CheckpointOwners {
    /// Reads an encoding by [`write`](Self::write) at an offset of a file, where it is the last;
    /// `None` if it is something else.
    pub(crate) fn read(file: &Arc<FileBytes>, at: usize) -> Option<Self> {
        let mut reader = ByteReader(file.get(at..)?);
        let count = usize::try_from(reader.number()?).ok()?;
        let table = reader.bytes(count.checked_mul(BEGINNING)?)?;
        let start = table.as_ptr().addr() - file.as_ptr().addr();
        let table = start..start + table.len();
        let read = (0..count).map(|_| OnceLock::new()).collect();
        Some(Self { file: Arc::clone(file), table, read, taken: vec![false; count] })
    }

    /// Appends conversations, which are sorted by their ids. `None` if there are too many.
    pub(crate) fn write(owners: &[&OwnedRecords], to: &mut ByteWriter) -> Option<()> {
        let mut contents = ByteWriter::default();
        to.number(owners.len() as u64);
        for owner in owners {
            to.0.extend(u32::try_from(contents.0.len()).ok()?.to_le_bytes());
            owner.write(&mut contents);
        }
        to.0.extend(contents.0);
        Some(())
    }

    pub(crate) fn get(&self, id: &str) -> Option<&OwnedRecords> {
        self.at(self.find(id)?)
    }

    /// Takes one out.
    pub(crate) fn take(&mut self, id: &str) -> Option<OwnedRecords> {
        let index = self.find(id)?;
        self.at(index)?;
        self.taken[index] = true;
        self.read[index].take().map(|read| *read)
    }

    /// Returns those that were not taken.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &OwnedRecords> {
        (0..self.read.len()).filter_map(|index| self.at(index))
    }

    /// Returns those that were not taken, and whose ids begin with a text.
    pub(crate) fn beginning_with(&self, beginning: &str) -> impl Iterator<Item = &OwnedRecords> {
        let first = self.lower_bound(beginning);
        let indexes = (first..self.read.len())
            .take_while(move |index| self.id(*index).is_some_and(|id| id.starts_with(beginning)));
        indexes.filter_map(|index| self.at(index))
    }

    fn at(&self, index: usize) -> Option<&OwnedRecords> {
        if self.taken[index] {
            return None;
        }
        Some(self.read[index].get_or_init(|| {
            let read = || OwnedRecords::read(&self.file, &mut self.content(index)?);
            let unreadable = || OwnedRecords::unreadable(self.id(index).unwrap_or_default());
            Box::new(read().unwrap_or_else(unreadable))
        }))
    }

    fn find(&self, id: &str) -> Option<usize> {
        let index = self.lower_bound(id);
        (index < self.read.len() && self.id(index) == Some(id)).then_some(index)
    }

    /// Returns the index of the first one whose id is not smaller.
    fn lower_bound(&self, id: &str) -> usize {
        let (mut low, mut high) = (0, self.read.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.id(middle).is_some_and(|of| of < id) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    fn id(&self, index: usize) -> Option<&str> {
        self.content(index)?.text()
    }

    fn content(&self, index: usize) -> Option<ByteReader<'_>> {
        let beginnings = self.file.get(self.table.clone())?;
        let beginning = beginnings.get(index * BEGINNING..)?.first_chunk()?;
        let at = self.table.end + u32::from_le_bytes(*beginning) as usize;
        Some(ByteReader(self.file.get(at..)?))
    }
}

/// The length of a beginning in the table, in bytes.
const BEGINNING: usize = 4;
