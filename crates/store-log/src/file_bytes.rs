//! Bytes read from a file.
//!
//! This module places them in memory so that they arrive quickly.

use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};

use crate::file;

/// Bytes of a file, which begin at the same place of a cache line as they do in the file.
///
/// Some processors copy a page six times slower to a place that begins 1 to 31 bytes further in its
/// page, and the memory of a long vector always does: the allocator has its own bytes before it.
#[derive(Debug, Default)]
pub(crate) struct FileBytes {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl FileBytes {
    /// Replaces the bytes by `length` bytes of a file from the offset `from` on, or fewer if the
    /// file ends before. The memory is used again if it is long enough.
    pub(crate) fn read(&mut self, file: &File, from: u64, length: usize) -> io::Result<()> {
        let longest = length + CACHE_LINE - 1;
        if self.memory.len() < longest {
            // The next read is often a little longer.
            self.memory = vec![0; longest + longest / 8];
        }
        self.start = (from as usize).wrapping_sub(self.memory.as_ptr().addr()) % CACHE_LINE;
        self.length = 0;
        self.length = file::read_at(file, &mut self.memory[self.start..][..length], from)?;
        Ok(())
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..][..self.length]
    }
}

impl DerefMut for FileBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.length]
    }
}

/// In bytes.
const CACHE_LINE: usize = 64;

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{CACHE_LINE, FileBytes};

    #[test]
    fn bytes_equal_the_file() {
        let content: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let mut bytes = FileBytes::default();
        for (from, length) in [(0, 1), (7, 150_000), (64, 20), (199_000, 5_000), (300_000, 1)] {
            bytes.read(&file, from as u64, length).unwrap();
            let wanted = content.get(from..).unwrap_or_default();
            assert_eq!(*bytes, wanted[..length.min(wanted.len())], "{length} bytes from {from}");
            assert_eq!(bytes.as_ptr().addr() % CACHE_LINE, from % CACHE_LINE);
        }
    }
}
