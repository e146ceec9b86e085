//! The mounts that a command sees: its own `/proc`, and everything read-only except where it may
//! write.
//!
//! Landlock confines files, too. Mounts add what Landlock cannot do: a read-only path inside a
//! writable one, and modes and times, which Landlock does not look at.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount,
};

use crate::settings::HelperSettings;

/// Mounts everything, and returns the protected and hidden paths that a mount guards from now on.
pub(super) fn apply(settings: &HelperSettings) -> io::Result<Vec<PathBuf>> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let hers = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", hers)?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    mount("proc", "/proc", "proc", plain | MountFlags::NOEXEC, None)?;
    if Path::new(SHARED_MEMORY).is_dir() {
        mount("tmpfs", SHARED_MEMORY, "tmpfs", plain, Some(c"size=256m,mode=1777"))?;
    }
    for path in &settings.writable {
        mount_bind_recursive(path, path)?;
    }
    let protected = inside(&settings.protected, settings);
    for path in &protected {
        mount_bind_recursive(path, path)?;
    }
    make_read_only(settings, &protected)?;
    let hidden = inside(&settings.hidden, settings);
    for path in &hidden {
        if path.is_dir() {
            mount("tmpfs", path, "tmpfs", plain | MountFlags::RDONLY, None)?;
        } else {
            mount_bind("/dev/null", path)?;
        }
    }
    Ok([protected, hidden].concat())
}

/// The folder of shared memory, which is the command's own.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// Returns the paths that exist inside writable ones. A link cannot be mounted on.
fn inside(paths: &[PathBuf], settings: &HelperSettings) -> Vec<PathBuf> {
    let exists = |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|at| !at.is_symlink());
    let is_inside = |path: &&PathBuf| settings.writable.iter().any(|root| path.starts_with(root));
    paths.iter().filter(is_inside).filter(exists).cloned().collect()
}

/// Makes the mounts read-only that are protected or not writable. Landlock denies writing to all of
/// them anyway, so one that the kernel does not let change is an error only if it is protected.
fn make_read_only(settings: &HelperSettings, protected: &[PathBuf]) -> io::Result<()> {
    for (path, flags) in list()? {
        let is_beneath = |roots: &[PathBuf]| roots.iter().any(|root| path.starts_with(root));
        let is_protected = is_beneath(protected);
        if !is_protected && (is_beneath(&settings.writable) || path.starts_with(SHARED_MEMORY)) {
            continue;
        }
        let done = mount_remount(&path, flags | MountFlags::BIND | MountFlags::RDONLY, "");
        if is_protected {
            done?;
        }
    }
    Ok(())
}

/// Returns all mounts with their flags, which must stay when one is made read-only.
fn list() -> io::Result<Vec<(PathBuf, MountFlags)>> {
    let text = fs::read_to_string("/proc/self/mountinfo")?;
    Ok(text.lines().filter_map(entry).collect())
}

fn entry(line: &str) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(' ').skip(4);
    let (path, options) = (fields.next()?, fields.next()?);
    let flags = options.split(',').filter_map(|option| {
        Some(match option {
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            _ => return None,
        })
    });
    Some((PathBuf::from(unescaped(path)), flags.collect()))
}

/// Returns a path of the list as it is: the kernel writes four characters in octal.
fn unescaped(path: &str) -> String {
    let path = path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n");
    path.replace("\\134", "\\")
}
