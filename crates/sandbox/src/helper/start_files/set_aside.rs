//! Giving something a name that no program looks for.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;

use rustix::fs::{RenameFlags, renameat, renameat_with};
use rustix::io::Errno;

use crate::helper::held_folder::entry;

/// Renames an entry of a folder to `NAME.set-aside-1`, or with the next number that is free, and
/// returns the new name. Both names are in the folder that is open, whatever its path leads to now.
pub(super) fn set_aside(folder: impl AsFd, name: &OsStr) -> io::Result<OsString> {
    for number in 1..=MOST {
        let mut to = name.to_owned();
        to.push(format!(".set-aside-{number}"));
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

/// The number of names that are tried.
const MOST: u32 = 1000;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use rustix::fs::CWD;

    use super::*;
    use crate::helper::held_folder::HeldFolder;

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
    fn what_has_the_new_name_already_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".envrc"), "new").unwrap();
        fs::write(folder.path().join(".envrc.set-aside-1"), "first").unwrap();
        let opened = fs::File::open(folder.path()).unwrap();
        assert_eq!(set_aside(&opened, OsStr::new(".envrc")).unwrap(), ".envrc.set-aside-2");
        assert!(set_aside(&opened, OsStr::new(".envrc")).is_err(), "nothing is there");
        let first = fs::read_to_string(folder.path().join(".envrc.set-aside-1")).unwrap();
        assert_eq!(first, "first");
    }
}
