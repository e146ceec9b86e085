//! The repository that a folder lies in: its top folder and its git folders.
//!
//! A `.git` that is a file is a name from outside: a project can write any path into it. It counts
//! only if the folder that it names is laid out as git lays it out, belongs to the user, and points
//! back. To reach another repository in this way, a project would have to write in that repository
//! first.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::owned_file::{is_own, open_plain};

/// A repository. All paths are absolute and have no links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The folder whose files it has.
    pub(crate) top: PathBuf,
    /// The folder of data of this working tree alone, such as its index.
    pub(crate) own: PathBuf,
    /// The folder of the data that linked working trees share.
    pub(crate) common: PathBuf,
}

impl Repository {
    /// Returns the repository that a folder without links lies in. `home` is the folder of the user: a
    /// repository that has it in its working tree does not open it.
    pub(crate) fn around(root: &Path, home: Option<&Path>) -> Option<Self> {
        let top = root.ancestors().find(|folder| fs::symlink_metadata(folder.join(GIT)).is_ok())?;
        let is_wide = top.parent().is_none() || home.is_some_and(|home| home.starts_with(top));
        if is_wide && top != root {
            return None;
        }
        Self::at(top)
    }

    /// Returns the repository of a working tree.
    fn at(top: &Path) -> Option<Self> {
        let git = top.join(GIT);
        let found = fs::symlink_metadata(&git).ok()?;
        if found.is_dir() {
            let common = git;
            return is_git_folder(&common).then(|| Self {
                top: top.to_owned(),
                own: common.clone(),
                common,
            });
        }
        if !found.is_file() || !is_own(&git) {
            return None;
        }
        let text = small_text(&git)?;
        let own = named(top, text.strip_prefix("gitdir:")?)?;
        if !is_own(&own) || top.starts_with(&own) {
            return None;
        }
        let common = match linked(&own, &git) {
            Some(common) => common,
            None if is_git_folder(&own) && is_submodule_of(&own, top) => own.clone(),
            None => return None,
        };
        Some(Self { top: top.to_owned(), own, common })
    }

    /// Returns the paths of the repository.
    pub(crate) fn folders(&self) -> [&PathBuf; 3] {
        [&self.top, &self.own, &self.common]
    }
}

/// Returns the text of the settings of the repository that a folder lies in, such as its remotes. It
/// follows no name that a sandbox would not follow, and runs no program. `home` is the folder of the
/// user.
pub fn repository_settings(root: &Path, home: Option<&Path>) -> Option<String> {
    let root = root.canonicalize().ok()?;
    let home = home.and_then(|home| home.canonicalize().ok());
    small_text(&Repository::around(&root, home.as_deref())?.common.join("config"))
}

/// Returns the common folder of a linked working tree, if the folder of the tree is beneath it and
/// points back to the `.git` that names it.
fn linked(own: &Path, git: &Path) -> Option<PathBuf> {
    let all = own.parent().filter(|all| all.file_name().is_some_and(|name| name == WORKTREES))?;
    let common = all.parent()?;
    let is_common = named(own, &small_text(&own.join("commondir"))?)? == common;
    let back = named(own, &small_text(&own.join("gitdir"))?)?;
    (is_common && back == git && is_git_folder(common)).then(|| common.to_owned())
}

/// Returns whether a git folder belongs to a submodule whose settings name the working tree.
fn is_submodule_of(own: &Path, top: &Path) -> bool {
    let is_module = own.components().any(|part| part.as_os_str() == "modules");
    let settings = small_text(&own.join("config")).unwrap_or_default();
    let mut is_core = false;
    let tree = settings.lines().map(str::trim).find_map(|line| {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        }
        let (key, value) = line.split_once('=')?;
        let is_it = is_core && key.trim().eq_ignore_ascii_case("worktree");
        is_it.then(|| value.trim().trim_matches('"').to_owned())
    });
    is_module && tree.is_some_and(|tree| named(own, &tree).as_deref() == Some(top))
}

/// Returns whether a folder has the entries of a git folder, and belongs to the user.
fn is_git_folder(path: &Path) -> bool {
    let is_dir = |name: &str| fs::symlink_metadata(path.join(name)).is_ok_and(|at| at.is_dir());
    let head = fs::symlink_metadata(path.join("HEAD")).is_ok();
    is_own(path) && is_dir("objects") && is_dir("refs") && head
}

/// Returns the path without links that a text names, from a folder.
fn named(folder: &Path, text: &str) -> Option<PathBuf> {
    let path = folder.join(text.trim()).canonicalize().ok()?;
    path.to_str().is_some().then_some(path)
}

/// Returns the text of a regular file that is not long. It follows no link and does not wait for a pipe.
pub(crate) fn small_text(path: &Path) -> Option<String> {
    let file = open_plain(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let length = file.take(LONGEST + 1).read_to_string(&mut text).ok()?;
    (u64::try_from(length).ok()? <= LONGEST).then_some(text)
}

const GIT: &str = ".git";

const WORKTREES: &str = "worktrees";

/// The length of the longest text that is read, in bytes.
const LONGEST: u64 = 256 * 1024;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, words: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]);
        command.args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]);
        let done = command.args(words).current_dir(folder).env_remove("GIT_DIR").output().unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    }

    /// A repository with a linked working tree and a submodule.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for name in ["main", "other"] {
            fs::create_dir_all(root.join(name).join("sub")).unwrap();
            git(&root.join(name), &["init", "-q"]);
            git(&root.join(name), &["commit", "-q", "--allow-empty", "-m", "one"]);
        }
        git(&root.join("main"), &["worktree", "add", "-q", "../side"]);
        git(&root.join("main"), &["submodule", "--quiet", "add", "../other", "module"]);
        (place, root)
    }

    #[test]
    fn settings_are_those_of_the_whole_repository() {
        let (_place, root) = place();
        git(&root.join("main"), &["remote", "add", "origin", "https://example.org/a.git"]);
        for folder in ["main", "main/sub", "side"] {
            let settings = repository_settings(&root.join(folder), None).unwrap();
            assert!(settings.contains("https://example.org/a.git"), "{folder}: {settings}");
        }
        assert_eq!(repository_settings(&root, None), None);
    }

    #[test]
    fn the_repository_is_found_from_everywhere_in_it() {
        let (_place, root) = place();
        let main = root.join("main");
        let around = |path: &str| Repository::around(&root.join(path), None);
        let git = main.join(".git");
        let own = Repository { top: main.clone(), own: git.clone(), common: git.clone() };
        assert_eq!(around("main"), Some(own.clone()));
        assert_eq!(around("main/sub"), Some(own.clone()));
        let side = root.join("side");
        let linked = Repository { top: side, own: git.join("worktrees/side"), common: git.clone() };
        assert_eq!(around("side"), Some(linked));
        let module = git.join("modules/module");
        let module = Repository { top: main.join("module"), own: module.clone(), common: module };
        assert_eq!(around("main/module"), Some(module));
        assert_eq!(Repository::around(&root, None), None);
        // The home folder is never opened because it is in a repository.
        assert_eq!(Repository::around(&main.join("sub"), Some(&main)), None);
        assert_eq!(Repository::around(&main, Some(&main)), Some(own));
    }

    #[test]
    fn outside_name_opens_no_other_repository() {
        let (_place, root) = place();
        let hostile = root.join("hostile");
        fs::create_dir_all(hostile.join("fake/worktrees/x")).unwrap();
        let common = root.join("main/.git");
        let own = |path: &Path| path.display().to_string();
        // A fake folder of a working tree whose common folder is a real one.
        fs::write(hostile.join("fake/worktrees/x/commondir"), own(&common)).unwrap();
        fs::write(hostile.join("fake/worktrees/x/gitdir"), own(&hostile.join(".git"))).unwrap();
        std::os::unix::fs::symlink(&common, hostile.join("linked")).unwrap();
        for target in [
            common.clone(),
            common.join("worktrees/side"),
            common.join("modules/module"),
            root.join("other/.git"),
            "/etc".into(),
            "fake/worktrees/x".into(),
            "linked/worktrees/side".into(),
            "linked".into(),
            "..".into(),
            ".".into(),
        ] {
            fs::write(hostile.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
            assert_eq!(Repository::around(&hostile, None), None, "{}", target.display());
        }
        fs::remove_file(hostile.join(".git")).unwrap();
        std::os::unix::fs::symlink(&common, hostile.join(".git")).unwrap();
        assert_eq!(Repository::around(&hostile, None), None);
    }
}
