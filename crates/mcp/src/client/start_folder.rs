//! The empty folder in which a server's program runs, so that it loads no files that somebody else
//! left there.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_system::SystemFolder as _;

/// A folder that was empty when it was made, and that only its owner can open. Dropping it removes it
/// with everything in it.
#[derive(Debug)]
pub(crate) struct StartFolder(PathBuf);

impl StartFolder {
    /// Makes a folder within another one, and removes those that killed processes left empty there.
    pub(crate) fn make(within: &Path) -> io::Result<Self> {
        remove_left(within);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = within.join(format!("{}-{number}", process::id()));
            match DirBuilder::new().private().create(&path) {
                Ok(()) => return Ok(Self(path)),
                // An earlier process with this id left it behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for StartFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn remove_left(within: &Path) {
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return;
    }
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.split_once('-')).map(|(owner, _)| owner);
        if owner.is_some_and(|owner| !processes.join(owner).exists()) {
            // It fails for a folder that is not empty, which stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The number of the next folder of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

#[test]
fn each_start_has_an_empty_folder() {
    let within = tempfile::tempdir().unwrap();
    let mine = within.path().join(format!("{}-0", process::id()));
    fs::create_dir_all(mine.join("left")).unwrap();
    fs::create_dir(within.path().join("4194305-0")).unwrap();
    let (one, other) =
        (StartFolder::make(within.path()).unwrap(), StartFolder::make(within.path()).unwrap());
    for folder in [&one, &other] {
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(folder.path()).unwrap());
        assert_eq!(mode & 0o7777, 0o700);
    }
    assert!(!within.path().join("4194305-0").exists(), "its process is gone");
    fs::write(one.path().join("written"), "x").unwrap();
    drop((one, other));
    assert_eq!(fs::read_dir(within.path()).unwrap().count(), 1);
}
