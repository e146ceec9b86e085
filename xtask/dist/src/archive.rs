//! Archives that have the same bytes whenever they have the same files: these belong to nobody, and are as
//! old as the format allows.

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

use crate::zip::Zip;

/// The files of an archive that is being made.
#[derive(Default)]
pub(crate) struct Archive(Vec<ArchivedFile>);

struct ArchivedFile {
    path: String,
    bytes: Vec<u8>,
    mode: u32,
}

impl Archive {
    pub(crate) fn push(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.push(ArchivedFile { path: path.into(), bytes: bytes.into(), mode: 0o644 });
    }

    /// Adds a file that may be executed.
    pub(crate) fn push_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.push(ArchivedFile { path: path.into(), bytes: bytes.into(), mode: 0o755 });
    }

    /// Returns the files as a tar that gzip compresses.
    pub(crate) fn tar(&self, level: Compression) -> Result<Vec<u8>, String> {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), level));
        for ArchivedFile { path, bytes, mode } in &self.0 {
            let mut header = Header::new_ustar();
            header.set_mode(*mode);
            header.set_size(bytes.len() as u64);
            header.set_mtime(0);
            tar.append_data(&mut header, path, &**bytes).map_err(|why| format!("{path}: {why}"))?;
        }
        let gzip = tar.into_inner().and_then(GzEncoder::finish);
        gzip.map_err(|why| format!("an archive: {why}"))
    }

    /// Returns the files as a zip.
    pub(crate) fn zip(&self, level: Compression) -> Vec<u8> {
        let mut zip = Zip::new(level);
        for ArchivedFile { path, bytes, mode } in &self.0 {
            zip.push(path, bytes, *mode);
        }
        zip.finish()
    }
}
