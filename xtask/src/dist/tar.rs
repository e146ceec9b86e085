//! Archives of tar, compressed by gzip, in the format `ustar`.
//!
//! Files belong to nobody and are as old as the epoch, so an archive depends on nothing but its files.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// An archive that is being written.
#[derive(Default)]
pub(super) struct Tar(Vec<u8>);

impl Tar {
    /// Adds a file.
    ///
    /// # Panics
    ///
    /// Panics if the path has no place in a header: its folders 155 bytes, its name 100.
    pub(super) fn push(&mut self, path: &str, bytes: &[u8], is_program: bool) {
        self.0.extend(header(path, bytes.len(), is_program));
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(BLOCK), 0);
    }

    /// Returns the compressed archive.
    pub(super) fn finish(mut self, level: Compression) -> Vec<u8> {
        self.0.resize(self.0.len() + 2 * BLOCK, 0);
        let mut gzip = GzEncoder::new(Vec::new(), level);
        gzip.write_all(&self.0).expect("memory can be written");
        gzip.finish().expect("memory can be written")
    }
}

fn header(path: &str, len: usize, is_program: bool) -> [u8; BLOCK] {
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) if path.len() > 100 => (folder, name),
        _ => ("", path),
    };
    assert!(folder.len() <= 155 && name.len() <= 100, "{path} is too long for an archive");
    let mode = if is_program { 0o755 } else { 0o644 };
    let mut header = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{len:011o}"));
    put(136, "00000000000");
    // The sum counts itself as blanks.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    put(345, folder);
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

const BLOCK: usize = 512;
