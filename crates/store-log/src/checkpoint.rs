//! The checkpoint: the state of the log at a position, so that opening a store reads only later
//! records.
//!
//! This module handles the file `CHECKPOINT`. It can be lost, and is never believed unless it fits:
//! its checksum, the number of the store, the names of all segments up to its position, their
//! lengths, and the bytes of the log before its position have to be those that it says. Otherwise
//! the whole log is read, as without it.
//!
//! ```text
//! magic ─► CRC-32C of the rest ─► store, position, hash of the bytes before it ─► segments
//!       ─► conversations (`checkpoint_owners.rs`)
//! ```
//!
//! A process that writes makes it, when the log has grown by more than the last one took, and under
//! the lock. It is never synced: one that a power cut has torn does not fit. A log with damage has none,
//! so the damage is found again whenever the store is opened.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use silcrow_store::Error;

use crate::bytes::{ByteReader, ByteWriter};
use crate::checkpoint_owners::CheckpointOwners;
use crate::fault::failed;
use crate::file_bytes::FileBytes;
use crate::files::StoreFiles;
use crate::known_checkpoint::KnownCheckpoint;
use crate::log::LogFiles;
use crate::mark::Position;
use crate::names;
use crate::owners::Owners;
use crate::segments::{Segment, SegmentName};
use crate::store_id::StoreId;
use crate::trust;
use crate::view::View;

impl LogFiles {
    /// Returns whether enough was written since the last checkpoint that fits.
    pub(crate) fn is_checkpoint_due(&self) -> bool {
        let next = self.checkpoint.map_or(0, |known| known.log.saturating_add(known.size));
        self.len() >= next.saturating_add(WORTH_IT) && self.can_have_checkpoint()
    }

    /// Writes a checkpoint, unless another process has the lock or the system refuses it: then opening
    /// the store takes longer, and it is tried again after as much was written.
    #[must_use]
    pub(crate) fn write_checkpoint(&self, files: &mut StoreFiles) -> KnownCheckpoint {
        let size = self.try_write_checkpoint(files).unwrap_or_default().unwrap_or_default();
        KnownCheckpoint { segment: self.position.segment, log: self.len(), size }
    }

    /// Returns the length of the checkpoint that was written. All earlier data is synced first, so
    /// that a checkpoint never contains data that a power cut removes.
    fn try_write_checkpoint(&self, files: &mut StoreFiles) -> Result<Option<u64>, Error> {
        for (conversation, log) in self.view.logs() {
            if log.summary.get().is_none() {
                self.summary_of(conversation)?;
            }
        }
        let Some(bytes) = self.checkpoint_bytes()? else { return Ok(None) };
        for segment in self.segments.from(self.checkpoint.map_or(0, |known| known.segment)) {
            if segment.number <= self.position.segment {
                let synced = segment.file()?.sync_data();
                synced.map_err(|error| failed("syncing", &segment.path, error))?;
            }
        }
        let Some(_lock) = files.try_lock()? else { return Ok(None) };
        let dir = self.dir();
        let (new, path) = (dir.join(names::NEW_CHECKPOINT), dir.join(names::CHECKPOINT));
        let write = || -> io::Result<()> {
            let mut options = trust::open_options();
            let mut file = options.write(true).create(true).truncate(true).open(&new)?;
            file.write_all(&bytes)?;
            fs::rename(&new, &path)
        };
        write().map_err(|error| {
            // A partial file only takes up space.
            let _ = fs::remove_file(&new);
            failed("writing", &path, error)
        })?;
        Ok(Some(bytes.len() as u64))
    }

    /// Adopts the checkpoint if it fits, and if its position is not after `until`. Only for a log
    /// that was not read yet, but whose segments were listed.
    pub(crate) fn read_checkpoint(&mut self, until: Option<Position>) {
        if let Some((checkpoint, size)) = self.fitting_checkpoint(until) {
            self.position = checkpoint.position;
            self.ends = checkpoint.ends;
            self.end_before = self.ends.last_key_value().map_or(0, |(_, end)| *end);
            self.view = checkpoint.view;
            let segment = self.position.segment;
            self.checkpoint = Some(KnownCheckpoint { segment, log: self.len(), size });
        }
    }

    fn can_have_checkpoint(&self) -> bool {
        self.view.damage().is_empty()
            && self.foreign.is_empty()
            && !self.is_torn
            && self.position.at > 0
            && self.segments.store().is_some()
    }

    fn checkpoint_bytes(&self) -> Result<Option<Vec<u8>>, Error> {
        let Position { segment: last, at } = self.position;
        let (Some(store), Some(segment)) = (self.segments.store(), self.segments.get(last)) else {
            return Ok(None);
        };
        let mut to = ByteWriter(MAGIC.to_vec());
        to.0.extend([0; 4]);
        to.0.extend(store.to_bytes());
        to.number(at);
        to.0.extend(tail(segment, at)?);
        to.number(self.view.records());
        to.number(u64::from(last));
        for number in 1..=last {
            let Some(segment) = self.segments.get(number) else { return Ok(None) };
            to.number(u64::from(segment.generation));
            to.0.extend(segment.key);
            to.number(self.ends.get(&number).copied().unwrap_or(at));
            to.number(self.view.dead(number));
        }
        let mut owners: Vec<_> = self.view.owners().collect();
        owners.retain(|owner| owner.log.head() > 0 || !owner.values.is_empty());
        owners.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        if CheckpointOwners::write(&owners, &mut to).is_none() {
            return Ok(None);
        }
        let sum = crc32c::crc32c(&to.0[START..]);
        to.0[MAGIC.len()..START].copy_from_slice(&sum.to_le_bytes());
        Ok(Some(to.0))
    }

    fn fitting_checkpoint(&self, until: Option<Position>) -> Option<(LogCheckpoint, u64)> {
        let path = self.dir().join(names::CHECKPOINT);
        let file = trust::open_options().read(true).open(path).ok()?;
        let length = file.metadata().ok()?.len();
        let mut bytes = FileBytes::default();
        bytes.read(&file, 0, usize::try_from(length).ok()?).ok()?;
        let checkpoint = LogCheckpoint::read(&Arc::new(bytes))?;
        let LogCheckpoint { position, ends, names, .. } = &checkpoint;
        let is_ours = Some(checkpoint.store) == self.segments.store();
        let is_reached = until.is_none_or(|until| *position <= until);
        if !is_ours || !is_reached || *names != self.segments.names(position.segment) {
            return None;
        }
        for segment in self.segments.from(0).take(names.len()) {
            let end = ends.get(&segment.number).copied().unwrap_or(position.at);
            if fs::symlink_metadata(&segment.path).ok()?.len() < end {
                return None;
            }
        }
        let last = self.segments.get(position.segment)?;
        (tail(last, position.at).ok()? == checkpoint.tail).then_some((checkpoint, length))
    }
}

/// The contents of the file.
struct LogCheckpoint {
    store: StoreId,
    position: Position,
    tail: [u8; HASH],
    names: Vec<SegmentName>,
    ends: BTreeMap<u32, u64>,
    view: View,
}

impl LogCheckpoint {
    /// Reads the file; `None` if it is not a checkpoint as written, or if this version cannot read
    /// it.
    fn read(file: &Arc<FileBytes>) -> Option<Self> {
        let mut from = ByteReader(file);
        let (magic, sum) = (from.array()?, from.array()?);
        if magic != *MAGIC || crc32c::crc32c(from.0).to_le_bytes() != sum {
            return None;
        }
        let store = StoreId::from_bytes(from.array()?);
        let at = from.number()?;
        let tail = from.array()?;
        let records = from.number()?;
        let last = from.small()?;
        let (mut names, mut ends, mut dead) =
            (Vec::new(), BTreeMap::from([(0, 0)]), BTreeMap::new());
        for number in 1..=last {
            names.push(SegmentName { number, generation: from.small()?, key: from.array()? });
            ends.insert(number, from.number()?);
            dead.insert(number, from.number()?);
        }
        // The last one has no end yet.
        ends.remove(&last);
        dead.retain(|_, bytes| *bytes > 0);
        let owners = CheckpointOwners::read(file, file.len() - from.0.len())?;
        let view = View::of_checkpoint(Owners::of_checkpoint(owners), dead, records);
        Some(Self { store, position: Position { segment: last, at }, tail, names, ends, view })
    }
}

/// Returns a hash of the bytes before an offset.
fn tail(segment: &Segment, at: u64) -> Result<[u8; HASH], Error> {
    let bytes = segment.read(at.saturating_sub(TAIL), Some(at))?;
    let mut tail = [0; HASH];
    tail.copy_from_slice(&Sha256::digest(&*bytes)[..HASH]);
    Ok(tail)
}

/// The beginning of the file, which has the version of the rest.
const MAGIC: &[u8; 8] = b"silckpt1";

/// The position at which the bytes of the checksum begin.
const START: usize = MAGIC.len() + 4;

/// Of the 32 bytes of SHA-256.
const HASH: usize = 16;

/// The number of bytes that show that a log is the same up to a position. If another log with the
/// same segments was written since, other bytes are here.
const TAIL: u64 = 32 << 10;

/// The number of bytes that are written before another checkpoint is worth its own.
const WORTH_IT: u64 = 256 << 10;

#[cfg(test)]
mod tests;
