//! A folder with one file, for a process that reads it and nothing else.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_system::{SystemFolder as _, SystemOpen as _};

/// A folder with one file, which is removed with this value.
pub(super) struct DecodeFolder(PathBuf);

impl DecodeFolder {
    pub(super) fn make(bytes: &[u8]) -> io::Result<Self> {
        let folder = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("silcrow-decode-{}-{number}", process::id());
            let folder = std::env::temp_dir().join(name);
            match DirBuilder::new().private().create(&folder) {
                Ok(()) => break Self(fs::canonicalize(&folder)?),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let mut file =
            OpenOptions::new().write(true).create_new(true).private().open(folder.file())?;
        file.write_all(bytes)?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.join("file")
    }
}

impl Drop for DecodeFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is left for the system to clean.
        let _ = fs::remove_dir_all(&self.0);
    }
}

static NEXT: AtomicU64 = AtomicU64::new(0);
