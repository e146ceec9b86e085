//! The rewriting of a segment: the records that still count, in their own file.
//!
//! The new file is complete and synced before it gets its name, and the old one goes only then. A
//! process that is killed in between leaves both, and the new one counts.

use std::fs;
use std::io;

use silcrow_store::Error;

use crate::fault::{failed, no_room};
use crate::file::{self, sync_folder, write_all_at};
use crate::frame::{self, HEADER};
use crate::frame_place::{DamagedPlace, FramePlace};
use crate::log::LogFiles;
use crate::record::{LogRecord, PlaceInGroup};
use crate::scan::{ScanItem, scan};
use crate::segments::{Segment, SegmentName};
use crate::store_id::SegmentIdentity;
use crate::trust;

impl LogFiles {
    /// Rewrites a segment that is followed by another one. The old file stays. Only for the process that has the lock.
    pub(crate) fn rewrite(&mut self, old: &Segment) -> Result<(), Error> {
        let folder = self.folder();
        let bytes = frame::correct_all(old.key, 0, &old.read(0, None)?);
        let before = old.begin()?.before;
        let name = SegmentName::new(old.number, old.generation + 1);
        let (content, moved) = self.rewritten(old, &bytes, name, before);

        let (new, path) = (folder.join(NEW), folder.join(name.to_string()));
        let write = || -> io::Result<fs::File> {
            let mut options = trust::open_options();
            let file = options.read(true).write(true).create(true).truncate(true).open(&new)?;
            write_all_at(&file, &content, 0)?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            Ok(file)
        };
        let written = match write() {
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                self.give_back_room();
                write()
            }
            written => written,
        };
        let file = written.map_err(|error| {
            // A partial file only takes up space.
            let _ = fs::remove_file(&new);
            no_room("rewriting", &old.path, content.len() as u64, error)
        })?;
        sync_folder(&folder)?;
        self.view.rewrite(old.number, &moved);
        self.ends.insert(old.number, content.len() as u64);
        self.foreign.remove(&old.number);
        self.segments.add(name, &folder, file);
        Ok(())
    }

    /// Returns whether a segment that is followed by another one was damaged since it was read, and
    /// counts that as damage.
    pub(crate) fn find_damage(&mut self, segment: &Segment) -> Result<bool, Error> {
        let bytes = frame::correct_all(segment.key, 0, &segment.read(0, None)?);
        let end = self.ends.get(&segment.number).copied().unwrap_or_default();
        let mut is_damaged = false;
        for item in scan(segment.key, 0, &bytes, end).items {
            if let ScanItem::Damaged { bytes, lost } = item {
                let segments = segment.number..=segment.number;
                self.view.push_damage(DamagedPlace { segments, bytes, lost });
                is_damaged = true;
            }
        }
        Ok(is_damaged)
    }

    /// Frees the unused space at the end of the last segment. The next group gets space again.
    fn give_back_room(&self) {
        let last = self.segments.get(self.position.segment).filter(|_| !self.is_torn);
        if let Some(last) = last {
            // If this fails, the disk is as full as before.
            let _ = last.file().map(|file| file.set_len(self.position.at));
        }
    }

    /// Returns the bytes of the new file, and the records in it with their places.
    fn rewritten<'a>(
        &self,
        old: &Segment,
        bytes: &'a [u8],
        name: SegmentName,
        before: u64,
    ) -> (Vec<u8>, Vec<(FramePlace, LogRecord<'a>)>) {
        let frames = match self.foreign.contains(&old.number) {
            // The deleted data is in another store.
            true => Vec::new(),
            false => scan(old.key, 0, bytes, bytes.len() as u64).items,
        };
        let records = frames.iter().filter_map(|item| {
            let ScanItem::Frame { at, frame } = item else { return None };
            let record = LogRecord::read(frame)?;
            let place = FramePlace::new(old.number, *at, frame.len());
            self.view.counts(place, &record).then_some((frame.len(), record))
        });
        let records: Vec<_> = records.collect();
        let store = self.segments.store();
        let SegmentName { number, generation, .. } = name;
        let identity = store.map(|store| SegmentIdentity { store, number, generation });
        let begin = HEADER + identity.map_or(0, |_| SegmentIdentity::LENGTH) + size_of::<u64>();
        let length = begin + records.iter().map(|(length, _)| length).sum::<usize>();
        let alone = PlaceInGroup { is_first: true, is_last: true };
        let mut content = Vec::with_capacity(length);
        let begin = LogRecord::Begin { before, rewritten: Some(length as u64), identity };
        begin.write(name.key, 0, alone, &mut content);
        let mut moved = Vec::with_capacity(records.len());
        for (length, record) in records {
            let at = content.len() as u64;
            record.write(name.key, at, alone, &mut content);
            moved.push((FramePlace::new(name.number, at, length), record));
        }
        (content, moved)
    }
}

/// Removes the files of segments that were rewritten, and the remains of a killed process.
pub(crate) fn remove_old(log: &LogFiles) -> Result<(), Error> {
    let folder = log.folder();
    for name in file::names(&folder)? {
        let path = folder.join(&name);
        let counts = |segment: &Segment| *segment.path == *path;
        let is_old = SegmentName::parse(&name).is_some_and(|name| {
            let segment = log.segments.get(name.number);
            segment.is_some_and(|segment| name.generation <= segment.generation && !counts(segment))
        });
        if is_old || name == NEW {
            fs::remove_file(&path).map_err(|error| failed("removing", &path, error))?;
        }
    }
    Ok(())
}

/// A file without the name of a segment yet.
const NEW: &str = "new";
