//! Mounts on open files, so that no process can exchange them meanwhile.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, StatVfsMountFlags, fstatvfs};
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, mount_remount, move_mount, open_tree,
};

use crate::linux::helper::held_folder::open_without_links;

/// Opens the entry at a path, to mount on it.
pub(super) fn opened(path: &Path) -> io::Result<OwnedFd> {
    open_without_links(path, OFlags::PATH)
}

/// Mounts an open entry on itself, with the mounts in it, and returns the new mount.
pub(super) fn bind_itself(opened: &OwnedFd) -> io::Result<OwnedFd> {
    let tree = cloned(opened)?;
    attach(&tree, opened)?;
    Ok(tree)
}

/// Makes a mount of an open entry, with the mounts in it, that is not attached anywhere yet.
pub(super) fn cloned(opened: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(opened, c"", flags)?)
}

/// Attaches such a mount to an open entry.
pub(super) fn attach(tree: &OwnedFd, to: &OwnedFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(tree, c"", to, c"", flags)?)
}

/// Makes a mount read-only, and leaves its other flags as they are.
pub(super) fn make_read_only(mounted: &OwnedFd) -> io::Result<()> {
    let kept = fstatvfs(mounted)?.f_flag;
    let flags = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = flags.into_iter().filter(|(flag, _)| kept.contains(*flag)).map(|(_, flag)| flag);
    let flags = kept.collect::<MountFlags>() | MountFlags::BIND | MountFlags::RDONLY;
    Ok(mount_remount(name_of(mounted), flags, "")?)
}

/// Returns a path that leads to the open entry, wherever that is.
pub(super) fn name_of(opened: &OwnedFd) -> PathBuf {
    format!("/proc/self/fd/{}", opened.as_raw_fd()).into()
}
