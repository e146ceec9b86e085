//! The limits of a journal, by size and age.
//!
//! This module decides which records go. Contents go first, and a record without them says that its
//! files cannot be restored; whole records go when they are old or too many.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use super::folder::{LockedFolder, RecordName};
use super::record::ChangeKind;

/// The limits of a [`ChangeJournal`](crate::ChangeJournal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangeLimits {
    /// The length of all records together, in bytes. The contents of the oldest are removed first.
    pub total_bytes: u64,
    /// The length of a file before it is changed, in bytes. A longer one is changed, and cannot be
    /// restored.
    pub file_bytes: u64,
    /// The age at which a record is removed.
    pub age: Duration,
}

impl ChangeLimits {
    /// Returns the maximum length of a content that is kept, in bytes.
    pub(crate) fn max_kept(&self) -> u64 {
        self.file_bytes.min(self.total_bytes)
    }
}

impl Default for ChangeLimits {
    /// Returns 256 MiB in all, 16 MiB for a file, and 30 days.
    fn default() -> Self {
        Self {
            total_bytes: 256 << 20,
            file_bytes: 16 << 20,
            age: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

/// Removes records beyond the limits, the oldest first. `newest` stays, and so do records that an
/// interrupted undo needs.
pub(crate) fn prune(
    folder: &LockedFolder,
    limits: &ChangeLimits,
    newest: &RecordName,
) -> io::Result<()> {
    let now = folder.path(newest).metadata()?.modified()?;
    let names = folder.names()?;
    let needed = needed(folder, &names)?;
    // A sixteenth is freed, so that not every change has to remove something.
    let most = limits.total_bytes - limits.total_bytes / PART;
    let too_many = names.len().saturating_sub(MAX_RECORDS - MAX_RECORDS / PART as usize);
    let (mut rest, mut total) = (Vec::new(), 0);
    for (at, name) in names.into_iter().enumerate() {
        let metadata = folder.path(&name).metadata()?;
        let is_old = now.duration_since(metadata.modified()?).is_ok_and(|age| age > limits.age);
        if (is_old || at < too_many) && !needed.contains(&name.number) && name != *newest {
            folder.remove(&name)?;
        } else {
            total += metadata.len();
            rest.push((name, metadata.len()));
        }
    }
    for (name, length) in rest {
        if total <= most {
            break;
        }
        // A record that cannot be read holds nothing that could be given back.
        if !needed.contains(&name.number) && name != *newest && folder.strip(&name).is_ok() {
            total -= length.saturating_sub(folder.path(&name).metadata()?.len());
        }
    }
    Ok(())
}

/// Returns the numbers of the undos that were interrupted, and of the records whose contents they
/// need.
fn needed(folder: &LockedFolder, names: &[RecordName]) -> io::Result<BTreeSet<u64>> {
    let mut needed = BTreeSet::new();
    for name in names.iter().filter(|name| !name.is_done) {
        let record = folder.read(name).ok().filter(|record| record.kind != ChangeKind::Call);
        if let Some(record) = record {
            needed.insert(name.number);
            needed.extend(record.files.iter().filter_map(|file| file.source));
        }
    }
    Ok(needed)
}

/// The maximum number of records.
const MAX_RECORDS: usize = 10_000;

/// The part of the limits that may be added before records are counted again.
pub(crate) const PART: u64 = 16;
