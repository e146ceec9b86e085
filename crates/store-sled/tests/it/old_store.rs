//! Stores of an earlier version, which that version wrote. They are in `tests/stores`, without the
//! zeros at the end of sled's file and without the room that was reserved for a full disk.
//!
//! - `whole`: conversations with an imported run, with an event in pieces, and with 100 events; a
//!   deleted conversation; values in several versions and at the limits of pieces.
//! - `empty`: a store that was opened and never written to.
//! - `damaged`: the fifth event of the conversation `event`, the summary of the conversation
//!   `summary` and the value `damaged` each have a flipped bit; the conversation `whole` has none.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Everything in the store `whole`, as the version that wrote it exported it.
pub(crate) const EXPORT: &str = include_str!("../stores/whole.jsonl");

/// Makes one of the stores in the folder `to`, which does not exist.
pub(crate) fn install(name: &str, to: &Path) {
    let stores = concat!(env!("CARGO_MANIFEST_DIR"), "/../store-sled/tests/stores");
    copy(&Path::new(stores).join(name), to);
    // Git keeps no empty folders.
    make_folder(&to.join("data/blobs"));
    let db = fs::File::options().write(true).open(to.join("data/db")).unwrap();
    db.set_len(SEGMENT).unwrap();
}

/// Copies a folder for its owner alone, whatever modes a checkout has.
fn copy(from: &Path, to: &Path) {
    make_folder(to);
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
            fs::set_permissions(&to, Permissions::from_mode(0o600)).unwrap();
        }
    }
}

fn make_folder(path: &Path) {
    fs::create_dir_all(path).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
}

/// The length of sled's file, in bytes.
const SEGMENT: u64 = 524_287;
