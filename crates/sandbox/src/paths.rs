//! Paths without links, so that one path inside another is recognized by its text.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders without links, by the paths that name them: many paths are in the same few folders, and each
/// look at one asks the system for every folder above it. The texts of paths are compared, because paths
/// are compared part by part, which takes most of the time here.
#[derive(Default)]
struct RealFolders(HashMap<OsString, Option<PathBuf>>);

impl RealFolders {
    /// Returns the path with the links of its folder resolved, up to the first missing part. The
    /// path itself may be a link, or missing.
    fn without_links(&mut self, path: &Path) -> PathBuf {
        for folder in path.ancestors().skip(1) {
            let name = folder.as_os_str();
            if !self.0.contains_key(name) {
                self.0.insert(name.to_owned(), folder.canonicalize().ok());
            }
            if let (Some(Some(real)), Ok(rest)) = (self.0.get(name), path.strip_prefix(folder)) {
                return real.join(rest);
            }
        }
        path.to_owned()
    }
}

/// Returns the target of a path that has no link before its last part, if its last part is a link.
fn target(path: &Path) -> Option<PathBuf> {
    let may_lead = path.file_name().is_none() || fs::symlink_metadata(path).ok()?.is_symlink();
    may_lead.then(|| path.canonicalize().ok()).flatten()
}

/// Returns the paths without links, and the targets of those that are links.
pub(crate) fn with_targets(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders = RealFolders::default();
    let mut all: Vec<_> = paths.iter().map(|path| folders.without_links(path)).collect();
    let targets: Vec<_> = all.iter().filter_map(|path| target(path)).collect();
    all.extend(targets);
    all.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    all.dedup();
    all
}

/// Returns the links that the paths and the home folder lead through, each without another link on
/// its way.
pub(crate) fn links<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
    let (mut found, mut plain) = (BTreeSet::new(), HashSet::new());
    for path in paths.into_iter().cloned().chain(env::home_dir()) {
        let mut next = Some(path);
        for _ in 0..MOST_LINKS {
            next = next.and_then(|path| follow(&path, &mut found, &mut plain));
        }
    }
    found.into_iter().collect()
}

/// Follows the first link on a path, records it, and returns the resulting path. `plain` are the
/// paths that are known not to be links.
fn follow(
    path: &Path,
    found: &mut BTreeSet<PathBuf>,
    plain: &mut HashSet<OsString>,
) -> Option<PathBuf> {
    let mut at = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        match part {
            // The part before has no link.
            Component::ParentDir => drop(at.pop()),
            part => at.push(part),
        }
        if plain.contains(at.as_os_str()) {
            continue;
        }
        if let Ok(target) = fs::read_link(&at) {
            let folder = at.parent().unwrap_or(&at).to_owned();
            found.insert(at);
            return Some(folder.join(target).join(parts.as_path()));
        }
        plain.insert(at.as_os_str().to_owned());
    }
    None
}

/// The number of links that the kernel follows on the way to a file.
const MOST_LINKS: usize = 40;

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn many_paths_are_resolved_as_each_by_itself() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        fs::create_dir_all(at("real/in")).unwrap();
        fs::write(at("real/file"), "a").unwrap();
        for (link, target) in [("link", "real"), ("real/back", "../link/in"), ("lost", "nowhere")] {
            symlink(target, at(link)).unwrap();
        }
        let names = [
            "real",
            "link",
            "link/file",
            "link/in",
            "link/back",
            "real/back",
            "lost",
            "lost/a",
            "none/a/b",
            "link/in/..",
            "real/in/../file",
            "link/none",
        ];
        let paths: Vec<_> = names.map(at).into();
        let mut each = BTreeSet::new();
        for path in &paths {
            let without_links = path.ancestors().skip(1).find_map(|folder| {
                Some(folder.canonicalize().ok()?.join(path.strip_prefix(folder).ok()?))
            });
            let without_links = without_links.unwrap();
            each.extend(without_links.canonicalize());
            each.insert(without_links);
        }
        assert_eq!(with_targets(&paths), Vec::from_iter(each));
        let followed = links(&paths);
        for link in [at("link"), at("lost"), place.path().canonicalize().unwrap().join("real/back")]
        {
            assert!(followed.contains(&link), "{followed:?} has {link:?}");
        }
    }
}
