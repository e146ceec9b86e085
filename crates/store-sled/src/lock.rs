use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::folder::failed;
use crate::reserve::is_no_room;
use crate::trust::open_options;

/// Holds a store for this process until it is dropped; a killed process holds nothing.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing it would not do: a child that is just being started holds a copy of the
        // descriptor until it runs its program.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// # Errors
    ///
    /// [`Locked`](ErrorKind::Locked) where another holds it, with who.
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(NAME);
        let mut file = open_options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| failed("opening", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(dir, &holder(&mut file))),
            Err(TryLockError::Error(error)) => return Err(failed("locking", &path, error)),
        }
        match file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())) {
            // It is locked all the same, and does not say by whom.
            Err(error) if !is_no_room(&error) => Err(failed("writing", &path, error)),
            _ => Ok(Self { file }),
        }
    }
}

/// The error for a store that is held by `holder`.
pub(crate) fn locked(dir: &Path, holder: &str) -> Error {
    let dir = dir.display();
    Error::new(
        ErrorKind::Locked,
        format!(
            "the store {dir} is in use by {holder}; wait for it, or choose another with --store"
        ),
    )
}

/// Who holds the lock, as far as it has said.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(32).read_to_string(&mut text);
    match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(id)) => format!("process {id}"),
        _ => "another process".to_owned(),
    }
}

/// In the store's folder.
pub(crate) const NAME: &str = "LOCK";
