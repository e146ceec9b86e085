//! The format zip, in which wheels come. A library for it would turn on features of crates that the
//! command is built of.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// An archive that is being written.
pub(crate) struct Zip {
    bytes: Vec<u8>,
    /// The list of all files, which ends the archive.
    directory: Vec<u8>,
    files: u16,
    level: Compression,
}

impl Zip {
    pub(crate) const fn new(level: Compression) -> Self {
        Self { bytes: Vec::new(), directory: Vec::new(), files: 0, level }
    }

    /// Adds a file.
    ///
    /// # Panics
    ///
    /// Panics if the archive exceeds 4 GiB.
    pub(crate) fn push(&mut self, path: &str, bytes: &[u8], mode: u32) {
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut deflate = DeflateEncoder::new(Vec::new(), self.level);
        deflate.write_all(bytes).expect("memory can be written");
        let packed = deflate.finish().expect("memory can be written");
        let mut common = Vec::new();
        // Version 2.0, names in UTF-8, deflate, midnight, 1 January 1980.
        for field in [20_u16, 1 << 11, 8, 0, 1 << 5 | 1] {
            common.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), size(packed.len()), size(bytes.len())] {
            common.extend(field.to_le_bytes());
        }
        common.extend(u16::try_from(path.len()).expect("paths are short").to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        let begin = size(self.bytes.len());
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&common);
        self.bytes.extend(path.as_bytes());
        self.bytes.extend(packed);
        self.directory.extend(b"PK\x01\x02");
        // The code for Unix, on which files have modes.
        self.directory.extend((3_u16 << 8 | 20).to_le_bytes());
        self.directory.extend(common);
        // Neither a comment, nor another disk, nor an attribute.
        self.directory.extend([0; 6]);
        self.directory.extend(((REGULAR | mode) << 16).to_le_bytes());
        self.directory.extend(begin.to_le_bytes());
        self.directory.extend(path.as_bytes());
        self.files += 1;
    }

    /// Returns the archive.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let (begin, len) = (size(self.bytes.len()), size(self.directory.len()));
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend(self.files.to_le_bytes());
        self.bytes.extend(self.files.to_le_bytes());
        self.bytes.extend(len.to_le_bytes());
        self.bytes.extend(begin.to_le_bytes());
        self.bytes.extend(0_u16.to_le_bytes());
        self.bytes
    }
}

/// The kind of a file, in its mode.
const REGULAR: u32 = 0o100_000;

fn size(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("an archive has less than 4 GiB")
}
