//! sled's own view of a closed store.

use std::path::Path;

/// The data of the store in `dir`. Other tests start children meanwhile, each of which may hold
/// sled's lock for a moment.
pub(crate) fn open(dir: &Path) -> sled::Db {
    try_open(dir).unwrap()
}

pub(crate) fn try_open(dir: &Path) -> sled::Result<sled::Db> {
    loop {
        match sled::open(dir.join("data")) {
            Err(sled::Error::Io(error)) if error.to_string().contains("acquire lock") => {
                std::thread::yield_now();
            }
            opened => return opened,
        }
    }
}
