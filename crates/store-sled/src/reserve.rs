//! Room that is kept for the day when the disk is full: sled writes when it opens its files, so
//! without any it opens nothing, and nobody could read what is stored.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::engine::Engine;
use crate::folder::Folder;
use crate::snapshot;
use crate::trust::open_options;

/// Opens the files in `folder`, on a full disk with the room of the reserve. Says whether the disk
/// is full: then nothing may be written, or the reserve would be gone the next time. Blocks.
pub(crate) fn open(folder: &Folder) -> Result<(Engine, bool), Error> {
    let dir = &folder.dir;
    let error = match Engine::open(folder) {
        Ok(engine) => {
            fill(dir);
            return Ok((engine, false));
        }
        Err(error) if error.kind() == ErrorKind::Locked || !is_full(dir) => return Err(error),
        Err(error) => error,
    };
    if fs::remove_file(dir.join(NAME)).is_err() {
        return Err(full(dir, "opened", error));
    }
    // The snapshot that there was no room for would be in its way.
    let opened = snapshot::clear(&folder.data()).and_then(|()| Engine::open(folder));
    // What is left of it: the files are as long as they must be now.
    take(dir);
    opened.map(|engine| (engine, true)).map_err(|error| full(dir, "opened", error))
}

/// Whether there is no room, whatever sled says: on a full disk it also takes its files for damaged
/// that are not.
pub(crate) fn is_full(dir: &Path) -> bool {
    let probe = dir.join("RESERVE.probe");
    let made = open_options().write(true).create(true).truncate(true).open(&probe);
    let written = made.and_then(|mut file| file.write_all(&noise()[..PROBE]));
    let _ = fs::remove_file(probe);
    written.is_err_and(|error| is_no_room(&error))
}

/// The error for a disk without the room for what was to be done.
pub(crate) fn full(dir: &Path, done: &str, error: Error) -> Error {
    let dir = dir.display();
    let message = format!(
        "the disk under the store {dir} is full, so that it cannot be {done}; make room there, \
         then try again"
    );
    Error::new(ErrorKind::Io, message).with_source(error)
}

/// Whether the system says that there is no room.
pub(crate) fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Takes all of the room, where there is so much; else what is there is left to what is appended.
fn fill(dir: &Path) {
    let path = dir.join(NAME);
    let before = fs::metadata(&path).map_or(0, |reserve| reserve.len());
    if before >= SIZE as u64 || take(dir) {
        return;
    }
    let _ = match before {
        0 => fs::remove_file(path),
        _ => open_options().write(true).open(path).and_then(|file| file.set_len(before)),
    };
}

/// Takes as much room as there is; says whether that is all of it. It is never synced: without it
/// a store is as good, until the disk is full.
fn take(dir: &Path) -> bool {
    // What was taken before stays taken.
    let file = open_options().write(true).create(true).truncate(false).open(dir.join(NAME));
    file.and_then(|mut file| file.write_all(&noise())).is_ok()
}

/// Bytes that no file system makes shorter.
fn noise() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = (0..SIZE / size_of::<u64>()).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.flatten().collect()
}

/// In the store's folder.
const NAME: &str = "RESERVE";

/// In bytes. To open a store of 8 MiB took between 64 and 600 KiB.
const SIZE: usize = 2 << 20;

/// With less room than this a disk counts as full, in bytes.
const PROBE: usize = 64 << 10;
