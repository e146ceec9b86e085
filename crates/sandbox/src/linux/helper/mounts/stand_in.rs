//! A read-only empty file in the place of a hidden one.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_remount, unmount};

use super::held_mounts::name_of;
use crate::sandbox::HIDDEN_PLACE;

/// Mounts an empty file over each of the files that are open. `folder` is one that commands cannot write.
pub(super) fn cover(files: &[OwnedFd], folder: &Path) -> io::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let own = folder.join(HIDDEN_PLACE);
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("tmpfs", &own, "tmpfs", flags, Some(c"size=4k,mode=0755"))?;
    let empty = own.join("empty");
    fs::write(&empty, "")?;
    // The whole file system becomes read-only, and so does each place where its file is mounted.
    mount_remount(&own, flags | MountFlags::RDONLY, "")?;
    for file in files {
        mount_bind(&empty, name_of(file))?;
    }
    Ok(unmount(&own, UnmountFlags::DETACH)?)
}
