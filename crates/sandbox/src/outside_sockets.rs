//! The local sockets of programs outside, in folders that a command sees.
//!
//! The kernel lists the sockets of this program's network with the names that they were given. A name may
//! be relative to a folder that nobody knows any more; then sockets of that name are looked for.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

/// Returns the sockets beneath the paths that are `shown`. Those with relative names are looked for in
/// the `searched` folders.
pub(crate) fn among<'p>(
    shown: impl Iterator<Item = &'p PathBuf> + Clone,
    searched: &[PathBuf],
) -> Vec<PathBuf> {
    let list = fs::read(LIST).unwrap_or_default();
    let (absolute, relative): (Vec<_>, Vec<_>) = names(&list).partition(|name| name.is_absolute());
    let mut found: BTreeSet<PathBuf> = absolute.into_iter().filter_map(real).collect();
    let names: BTreeSet<_> = relative.iter().filter_map(|path| path.file_name()).collect();
    if !names.is_empty() {
        searched.iter().for_each(|folder| look(folder, &names, &mut found));
    }
    let is_shown = |path: &PathBuf| shown.clone().any(|above| path.starts_with(above));
    found.into_iter().filter(|path| path.to_str().is_some() && is_shown(path)).collect()
}

/// Returns the names of a list of the kernel that are paths. The others begin with `@`.
fn names(list: &[u8]) -> impl Iterator<Item = &Path> {
    list.split(|byte| *byte == b'\n').skip(1).filter_map(|line| {
        let mut rest = line;
        for _ in 0..FIELDS_BEFORE {
            rest = rest.trim_ascii_start();
            rest = &rest[rest.iter().position(|byte| *byte == b' ')?..];
        }
        let name = rest.get(1..).filter(|name| !name.starts_with(b"@"))?;
        (!name.is_empty()).then(|| Path::new(OsStr::from_bytes(name)))
    })
}

/// Returns the path of a socket without links.
fn real(path: &Path) -> Option<PathBuf> {
    let real = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
    fs::symlink_metadata(&real).is_ok_and(|at| at.file_type().is_socket()).then_some(real)
}

/// Looks for sockets with one of the names.
fn look(top: &Path, names: &BTreeSet<&OsStr>, found: &mut BTreeSet<PathBuf>) {
    let (mut folders, mut left) = (vec![top.to_owned()], MOST_ENTRIES);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            left -= 1;
            let Ok(kind) = entry.file_type() else { continue };
            let name: OsString = entry.file_name();
            if kind.is_socket() && names.contains(&*name) {
                found.insert(entry.path());
            } else if kind.is_dir() {
                folders.push(entry.path());
            }
            if left == 0 {
                return;
            }
        }
    }
}

const LIST: &str = "/proc/self/net/unix";

/// The number of fields before the name in a line of the list.
const FIELDS_BEFORE: usize = 7;

/// The number of entries that a look reads.
const MOST_ENTRIES: usize = 200_000;

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn sockets_are_found_by_their_real_paths() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, other) = (folder.path().canonicalize().unwrap(), other.path());
        fs::create_dir(root.join("a b")).unwrap();
        std::os::unix::fs::symlink(&root, other.join("link")).unwrap();
        let _inside = UnixListener::bind(other.join("link/a b/so ck")).unwrap();
        let _beside = UnixListener::bind(other.join("beside")).unwrap();
        let _stale = UnixListener::bind(root.join("moved")).unwrap();
        fs::rename(root.join("moved"), root.join("away")).unwrap();
        fs::write(root.join("moved"), "").unwrap();
        let shown = [root.clone()];
        assert_eq!(among(shown.iter(), &shown), [root.join("a b/so ck")]);
    }

    #[test]
    fn a_list_of_the_kernel_is_read() {
        let list = b"Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 18446 /run/x y\n\
            0000000000000000: 00000002 00000000 00010000 0005 01  2446 sub/rel\n\
            0000000000000000: 00000002 00000000 00000000 0001 03 2450\n\
            0000000000000000: 00000002 00000000 00000000 0002 01 2451 @/tmp/x\n";
        let expected = ["/run/x y", "sub/rel"].map(Path::new);
        assert_eq!(names(list).collect::<Vec<_>>(), expected);
    }
}
