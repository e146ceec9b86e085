//! The mounts that a command sees: readable and writable paths, its own `/proc`, and everything
//! read-only except the writable paths.
//!
//! Landlock confines files, too. Mounts add protections that Landlock lacks: a read-only path
//! inside a writable one, modes and times, and local sockets, which Landlock does not check.

mod held_mounts;
mod stand_in;
mod view;

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{FileType, fstat};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change, mount_remount};

use self::held_mounts::{bind_itself, make_read_only, name_of, opened};
use super::held_folder::{identity_of, kind};
use crate::supervised::settings::{GuardedPath, HelperSettings};

/// Mounts everything, and returns the protected and hidden paths that a mount guards from now on.
pub(super) fn apply(settings: &HelperSettings) -> io::Result<Vec<PathBuf>> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let hers = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", hers)?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    view::enter(settings)?;
    if Path::new(SHARED_MEMORY).is_dir() {
        mount("tmpfs", SHARED_MEMORY, "tmpfs", plain, Some(c"size=256m,mode=1777"))?;
    }
    for path in &settings.writable {
        bind_itself(&opened(path)?)?;
    }
    for path in &settings.kept_in_place {
        bind_itself(&opened(path)?)?;
    }
    let guarded = guarded(settings);
    let protected: Vec<_> = guarded.iter().map(|guarded| guarded.path.clone()).collect();
    for guarded in &guarded {
        guard(guarded)?;
    }
    make_rest_read_only(settings, &protected)?;
    let hidden = inside(&settings.hidden, settings);
    let (folders, files): (Vec<_>, Vec<_>) = hidden.iter().partition(|path| path.is_dir());
    for path in folders {
        keep_in_place(path, settings)?;
        mount("tmpfs", name_of(&opened(path)?), "tmpfs", plain | MountFlags::RDONLY, None)?;
    }
    let sockets = settings.outside_sockets.iter().filter_map(|path| open_socket(path));
    let files = files.into_iter().map(|path| opened(path)).collect::<io::Result<Vec<_>>>()?;
    stand_in::cover(&files.into_iter().chain(sockets).collect::<Vec<_>>(), &settings.given)?;
    Ok([protected, hidden].concat())
}

/// Returns the paths to guard: the ones that existed when they were searched. A helper that tries
/// out the layers searches itself.
fn guarded(settings: &HelperSettings) -> Vec<GuardedPath> {
    if settings.command.is_some() {
        return settings.guarded.clone();
    }
    let there = inside(&settings.protected, settings).into_iter();
    let there = there.filter_map(|path| {
        let identity = identity_of(opened(&path).ok()?)?;
        Some(GuardedPath { path, identity })
    });
    there.collect()
}

/// Makes a path read-only, if it is still the same file.
fn guard(guarded: &GuardedPath) -> io::Result<()> {
    let GuardedPath { path, identity } = guarded;
    let there = opened(path).ok().filter(|there| identity_of(there) == Some(*identity));
    let there = there.ok_or_else(|| {
        let words = "was moved or replaced while the command was about to start; try again, or \
            first stop what moves it in the background";
        io::Error::other(format!("{} {words}", path.display()))
    })?;
    make_read_only(&bind_itself(&there)?)
}

/// Opens a local socket to mount on it, if it is still there.
fn open_socket(path: &Path) -> Option<OwnedFd> {
    let there = opened(path).ok()?;
    (kind(&fstat(&there).ok()?) == FileType::Socket).then_some(there)
}

/// Mounts the folders on the way to a hidden one on themselves, because a mounted folder cannot be
/// moved away, which would reveal the hidden one at the next command.
fn keep_in_place(path: &Path, settings: &HelperSettings) -> io::Result<()> {
    let is_inside = |folder: &&Path| {
        settings.writable.iter().any(|root| folder.starts_with(root) && folder != root)
    };
    let mut folders: Vec<_> = path.ancestors().skip(1).filter(is_inside).collect();
    folders.reverse();
    for folder in folders {
        bind_itself(&opened(folder)?)?;
    }
    Ok(())
}

/// The folder of shared memory, which is the command's own.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// Returns the paths that exist inside the folders of the command. A link cannot be mounted on.
fn inside(paths: &[PathBuf], settings: &HelperSettings) -> Vec<PathBuf> {
    let exists = |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|at| !at.is_symlink());
    let folders =
        || settings.writable.iter().chain(&settings.watched).chain(&settings.looked_through);
    let is_inside = |path: &&PathBuf| folders().any(|root| path.starts_with(root));
    paths.iter().filter(is_inside).filter(exists).cloned().collect()
}

/// Makes the mounts read-only that are inside protected ones or not writable. Landlock denies writing
/// to all of them anyway, so one that the kernel does not let change is an error only if it is
/// protected.
fn make_rest_read_only(settings: &HelperSettings, protected: &[PathBuf]) -> io::Result<()> {
    for (path, flags) in list()? {
        // The nearest folder counts: submodules of a repository can be written in a protected one.
        let depth = |roots: &[PathBuf]| {
            let above = roots.iter().filter(|root| path.starts_with(root));
            above.map(|root| root.iter().count()).max()
        };
        let writable = depth(&settings.writable);
        if depth(protected) >= writable && depth(protected).is_some() {
            // Those that are protected themselves are done.
            if !protected.contains(&path) {
                make_read_only(&opened(&path)?)?;
            }
        } else if writable.is_none() && !path.starts_with(SHARED_MEMORY) {
            let _ = mount_remount(&path, flags | MountFlags::BIND | MountFlags::RDONLY, "");
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

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::*;

    /// The check comes before any mount, for which this process may lack the privilege.
    #[test]
    fn exchanged_path_is_not_mounted_on() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = inside.path().canonicalize().unwrap();
        for folder in ["a", "b"] {
            fs::create_dir(root.join(folder)).unwrap();
            fs::write(root.join(folder).join(".envrc"), "").unwrap();
        }
        fs::write(outside.path().join(".envrc"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        let path = root.join("a/.envrc");
        let identity = identity_of(opened(&path).unwrap()).unwrap();
        let guarded = GuardedPath { path, identity };
        for other in ["b", "link"] {
            let (a, other) = (root.join("a"), root.join(other));
            renameat_with(CWD, &a, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            let error = guard(&guarded).unwrap_err();
            assert!(error.to_string().contains("was moved or replaced"), "{error}");
            renameat_with(CWD, &a, CWD, &other, RenameFlags::EXCHANGE).unwrap();
        }
    }
}
