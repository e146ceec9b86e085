//! The contents of files that conversations have read or written.
//!
//! A file that changes is no longer known, because its content is compared.

use std::collections::HashMap;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::{File, Metadata};

use crate::file_state::FileState;
use crate::system::{self, FileId};

/// The content of a file in a form that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownContent {
    /// The content is known by its hash, or the file does not exist.
    Exact(FileState),
    /// The file is too long to be hashed each time; its times change with it.
    Long { id: FileId, length: u64, modified: (i64, i64), changed: (i64, i64) },
}

impl KnownContent {
    pub(crate) const MISSING: Self = Self::Exact(FileState::Missing);

    pub(crate) fn of_bytes(content: &[u8]) -> Self {
        Self::Exact(FileState::from_content(content))
    }

    /// Returns the state of an open file, and its content unless that is long.
    pub(crate) fn read(
        file: &mut File,
        metadata: &Metadata,
    ) -> io::Result<(Self, Option<Vec<u8>>)> {
        if metadata.len() > MAX_HASHED {
            return Ok((Self::long(metadata), None));
        }
        let mut content = Vec::new();
        file.take(MAX_HASHED + 1).read_to_end(&mut content)?;
        if content.len() as u64 > MAX_HASHED {
            file.seek(SeekFrom::Start(0))?;
            return Ok((Self::long(metadata), None));
        }
        Ok((Self::of_bytes(&content), Some(content)))
    }

    fn long(metadata: &Metadata) -> Self {
        let [modified, changed] = system::file_times(metadata);
        Self::Long {
            id: FileId::from_metadata(metadata),
            length: metadata.len(),
            modified,
            changed,
        }
    }
}

/// The files that each conversation knows. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownFiles(Arc<Mutex<KnownByConversation>>);

#[derive(Debug, Default)]
struct KnownByConversation {
    files: HashMap<(String, PathBuf), (u64, KnownContent)>,
    /// The number of the newest note.
    newest: u64,
}

impl KnownFiles {
    /// Records that a conversation knows the content of the file at a path from the root.
    pub(crate) fn note(&self, conversation: &str, path: PathBuf, content: KnownContent) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.newest += 1;
        let newest = known.newest;
        known.files.insert((conversation.to_owned(), path), (newest, content));
        if known.files.len() > MAX_FILES {
            known.files.retain(|_, (number, _)| newest - *number < MAX_FILES as u64 / 2);
        }
    }

    /// Returns the content that a conversation knows of a file.
    pub(crate) fn get(&self, conversation: &str, path: &Path) -> Option<KnownContent> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (conversation.to_owned(), path.to_owned());
        known.files.get(&key).map(|(_, content)| content.clone())
    }
}

/// The maximum length of a content that is hashed, in bytes.
pub(crate) const MAX_HASHED: u64 = 8 << 20;

/// The number of files that are known. The oldest half is forgotten when there are more.
const MAX_FILES: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_known_files_are_forgotten() {
        let files = KnownFiles::default();
        for n in 0..=MAX_FILES {
            files.note("c", PathBuf::from(n.to_string()), KnownContent::MISSING);
        }
        assert_eq!(files.get("c", Path::new("0")), None);
        let last = MAX_FILES.to_string();
        assert_eq!(files.get("c", Path::new(&last)), Some(KnownContent::MISSING));
        assert_eq!(files.get("d", Path::new(&last)), None);
    }
}
