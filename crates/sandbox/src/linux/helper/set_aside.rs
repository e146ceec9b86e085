//! Giving something a name that no program searches for.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{RenameFlags, renameat, renameat_with};
use rustix::io::Errno;

use crate::linux::helper::held_folder::entry;

/// Renames an entry of a folder to `NAME.set-aside-1`, or with the next free number, and returns
/// the new name. Both names are in the folder that is open, whatever its path leads to now.
pub(super) fn set_aside(folder: impl AsFd, name: &OsStr) -> io::Result<OsString> {
    // Whoever has taken the first names cannot have guessed this one.
    let last = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    for number in (1..=MOST).chain([last]) {
        let to = new_name(name, number);
        let flags = RenameFlags::NOREPLACE;
        match renameat_with(folder.as_fd(), name, folder.as_fd(), &to, flags) {
            Ok(()) => return Ok(to),
            Err(Errno::EXIST) => {}
            // Some file systems cannot refuse to replace.
            Err(Errno::INVAL) if entry(folder.as_fd(), &to).is_none() => {
                renameat(folder.as_fd(), name, folder.as_fd(), &to)?;
                return Ok(to);
            }
            Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// Returns the new name, with as much of the old one as a name can have.
fn new_name(name: &OsStr, number: u128) -> OsString {
    let end = format!(".set-aside-{number}");
    let bytes = name.as_bytes();
    let mut length = bytes.len().min(LONGEST - end.len());
    // A character is not cut.
    while length < bytes.len() && length > 0 && bytes[length] & 0xc0 == 0x80 {
        length -= 1;
    }
    let mut new = OsStr::from_bytes(&bytes[..length]).to_owned();
    new.push(end);
    new
}

/// The number of names that are tried one after the other.
const MOST: u128 = 1000;

/// The length of the longest name.
const LONGEST: usize = 255;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use rustix::fs::CWD;

    use super::*;
    use crate::linux::helper::held_folder::HeldFolder;

    #[test]
    fn an_exchange_between_opening_and_renaming_leads_nowhere() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = inside.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/.envrc"), "inside").unwrap();
        fs::write(outside.path().join(".envrc"), "outside").unwrap();
        symlink(outside.path(), root.join("link")).unwrap();
        let opened = HeldFolder::open(&root).unwrap().search(Path::new("a")).unwrap();
        let (a, link) = (root.join("a"), root.join("link"));
        renameat_with(CWD, &a, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        assert_eq!(set_aside(&opened, OsStr::new(".envrc")).unwrap(), ".envrc.set-aside-1");
        assert_eq!(fs::read_to_string(outside.path().join(".envrc")).unwrap(), "outside");
        let aside = link.join(".envrc.set-aside-1");
        assert_eq!(fs::read_to_string(aside).unwrap(), "inside");
    }

    #[test]
    fn setting_aside_never_overwrites() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".envrc"), "new").unwrap();
        fs::write(folder.path().join(".envrc.set-aside-1"), "first").unwrap();
        let opened = fs::File::open(folder.path()).unwrap();
        assert_eq!(set_aside(&opened, OsStr::new(".envrc")).unwrap(), ".envrc.set-aside-2");
        assert!(set_aside(&opened, OsStr::new(".envrc")).is_err(), "nothing is there");
        let first = fs::read_to_string(folder.path().join(".envrc.set-aside-1")).unwrap();
        assert_eq!(first, "first");
    }
    #[test]
    fn long_or_taken_names_are_still_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let opened = fs::File::open(folder.path()).unwrap();
        let long = format!("{}.code-workspace", "é".repeat(120));
        fs::write(folder.path().join(&long), "").unwrap();
        let new = set_aside(&opened, OsStr::new(&long)).unwrap().into_string().unwrap();
        assert!(new.starts_with("éé") && new.ends_with(".set-aside-1"), "{new}");
        for number in 1..=MOST {
            fs::write(folder.path().join(format!(".envrc.set-aside-{number}")), "").unwrap();
        }
        fs::write(folder.path().join(".envrc"), "").unwrap();
        set_aside(&opened, OsStr::new(".envrc")).unwrap();
        assert!(!folder.path().join(".envrc").exists());
    }
}
