//! A worktree of git for a session: a folder with its own branch, so that an agent does not disturb
//! other work.
//!
//! It is removed at the end only if it contains nothing that would be lost. No step here forces
//! git, and no hook of the repository runs.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;

/// A worktree, below `.silcrow/worktrees` of the main checkout, on the branch `silcrow/NAME`.
///
/// ```no_run
/// use silcrow_session::Worktree;
///
/// let worktree = Worktree::open(".".as_ref(), "parser")?;
/// println!("{} is a checkout", worktree.folder().display());
/// println!("{}", worktree.close()?);
/// # Ok::<_, silcrow_session::Error>(())
/// ```
#[derive(Debug)]
pub struct Worktree {
    /// The main checkout.
    main: PathBuf,
    folder: PathBuf,
    branch: String,
}

/// Describes the work that would be lost with a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorktreeState {
    /// The number of files that are not committed as they are.
    pub changes: usize,
    /// The number of commits that no other branch, remote or tag has.
    pub commits: usize,
}

impl Worktree {
    /// Opens the worktree of this name, which is made from `HEAD` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the root is in no repository, if the name cannot be one of a branch, or if git fails.
    pub fn open(root: &Path, name: &str) -> Result<Self, Error> {
        let (worktree, common) = Self::named(root, name)?;
        if worktree.exists() {
            return Ok(worktree);
        }
        worktree.exclude(&common)?;
        let path = worktree.folder.to_string_lossy().into_owned();
        let has_branch = git(
            root,
            &["rev-parse", "--verify", "--quiet", &format!("refs/heads/{}", worktree.branch)],
        )
        .is_ok();
        match has_branch {
            true => git(root, &["worktree", "add", "--quiet", &path, &worktree.branch])?,
            false => {
                git(root, &["worktree", "add", "--quiet", "-b", &worktree.branch, &path, "HEAD"])?
            }
        };
        Ok(worktree)
    }

    /// Returns the worktree of this name that was made earlier.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none, or as [`open`](Self::open) does.
    pub fn existing(root: &Path, name: &str) -> Result<Self, Error> {
        let (worktree, _) = Self::named(root, name)?;
        match worktree.exists() {
            true => Ok(worktree),
            false => Err(Error::given(format!("silcrow made no worktree `{name}` here"))),
        }
    }

    /// Returns the worktrees that were made earlier, by their names.
    ///
    /// # Errors
    ///
    /// Returns an error if the root is in no repository, or if git fails.
    pub fn list(root: &Path) -> Result<Vec<Self>, Error> {
        let (main, _) = checkout(root)?;
        let Ok(folders) = fs::read_dir(main.join(FOLDER)) else { return Ok(Vec::new()) };
        let names = folders.filter_map(|folder| folder.ok()?.file_name().into_string().ok());
        let mut names: Vec<_> = names.collect();
        names.sort();
        Ok(names.iter().filter_map(|name| Self::existing(root, name).ok()).collect())
    }

    /// Returns the worktree of this name, which may not exist, and the folder of git's data.
    fn named(root: &Path, name: &str) -> Result<(Self, PathBuf), Error> {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.starts_with(['-', '.']) || !name.bytes().all(is_fine) {
            return Err(Error::given(format!(
                "`{name}` cannot name a worktree; use letters, digits, `-`, `_` and `.`"
            )));
        }
        let (main, common) = checkout(root)?;
        let (folder, branch) = (main.join(FOLDER).join(name), format!("silcrow/{name}"));
        Ok((Self { main, folder, branch }, common))
    }

    fn exists(&self) -> bool {
        self.folder.join(".git").is_file()
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.branch.trim_start_matches("silcrow/")
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the branch.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Returns the changes that would be lost with the worktree.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn state(&self) -> Result<WorktreeState, Error> {
        let changes = git(&self.folder, &["status", "--porcelain", "--untracked-files=all"])?;
        let branch = format!("refs/heads/{}", self.branch);
        // Its own commits are the ones that no other branch, remote or tag has.
        let exclude = format!("--exclude={}", self.branch);
        let own = ["rev-list", "--count", &branch, "--not", "HEAD", &exclude];
        let own = git(&self.main, &[&own[..], &["--branches", "--remotes", "--tags"]].concat())?;
        let commits = own.trim().parse().unwrap_or(usize::MAX);
        Ok(WorktreeState { changes: changes.lines().count(), commits })
    }

    /// Removes the worktree and its branch, if it has no changes and no commit that exists only
    /// there, and returns a line about the result.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails. The worktree is then kept.
    pub fn close(self) -> Result<String, Error> {
        let path = self.folder.to_string_lossy().into_owned();
        if !self.state()?.is_empty() {
            return Ok(format!("the worktree {path} is kept, on the branch {}", self.branch));
        }
        git(&self.main, &["worktree", "remove", &path])?;
        // git keeps a branch whose commits are only in other branches.
        let removed = git(&self.main, &["branch", "--quiet", "-d", &self.branch]);
        let end = if removed.is_ok() { "with its branch" } else { "without its branch" };
        Ok(format!("the worktree {path} had no changes, and is removed {end}"))
    }

    /// Keeps the folder of worktrees out of the status of the main checkout.
    fn exclude(&self, common: &Path) -> Result<(), Error> {
        let path = common.join("info/exclude");
        let failed =
            |error: io::Error| Error::failed(format!("cannot write {}: {error}", path.display()));
        let before = fs::read_to_string(&path).unwrap_or_default();
        let line = format!("/{FOLDER}/");
        if before.lines().any(|other| other == line) {
            return Ok(());
        }
        let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
        fs::write(&path, format!("{before}{end}{line}\n")).map_err(failed)
    }
}

impl WorktreeState {
    /// Returns whether nothing would be lost.
    pub const fn is_empty(&self) -> bool {
        self.changes == 0 && self.commits == 0
    }
}

impl fmt::Display for WorktreeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let words = match (self.changes, self.commits) {
            (0, 0) => "no changes".to_owned(),
            (changes, 0) => counted(changes, "changed file"),
            (0, commits) => counted(commits, "own commit"),
            (changes, commits) => {
                format!("{}, {}", counted(changes, "changed file"), counted(commits, "own commit"))
            }
        };
        f.pad(&words)
    }
}

/// Returns the main checkout of a repository, and the folder of git's data.
fn checkout(root: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let common = git(root, &["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
    let common = PathBuf::from(common.trim());
    let main = common.parent().map(Path::to_owned).filter(|_| common.ends_with(".git"));
    let main = main.ok_or_else(|| Error::given("a bare repository has no worktrees here"))?;
    Ok((main, common))
}

/// Returns git's output. It runs no hook of the repository.
fn git(folder: &Path, args: &[&str]) -> Result<String, Error> {
    let mut command = Command::new("git");
    command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager"]);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| Error::failed(format!("git cannot be started: {error}")))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&output.stderr);
            let why = why.lines().next().unwrap_or("it says nothing");
            Err(Error::failed(format!("git {}: {why}", args.first().unwrap_or(&""))))
        }
    }
}

/// The folder of worktrees in the main checkout.
const FOLDER: &str = ".silcrow/worktrees";

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "-b", "main"]).unwrap();
        commit(folder.path(), "a.txt");
        folder
    }

    fn commit(folder: &Path, name: &str) {
        fs::write(folder.join(name), name).unwrap();
        git(folder, &["add", name]).unwrap();
        git(folder, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", name]).unwrap();
    }

    #[test]
    fn worktree_is_removed_only_without_loss() {
        let folder = repository();
        let root = folder.path().canonicalize().unwrap();
        let clean = Worktree::open(&root, "one").unwrap();
        let path = clean.folder().to_owned();
        assert!(path.join("a.txt").is_file() && path.starts_with(root.join(FOLDER)));
        assert_eq!(git(&root, &["status", "--porcelain"]).unwrap(), "", "the checkout is clean");
        assert!(clean.close().unwrap().contains("is removed"));
        assert!(!path.exists());
        assert!(
            git(&root, &["rev-parse", "--verify", "--quiet", "refs/heads/silcrow/one"]).is_err()
        );

        // An untracked file, and a commit that is nowhere else.
        let dirty = Worktree::open(&root, "two").unwrap();
        let path = dirty.folder().to_owned();
        fs::write(path.join("new.txt"), "").unwrap();
        assert!(dirty.close().unwrap().contains("is kept"));
        fs::remove_file(path.join("new.txt")).unwrap();
        commit(&path, "b.txt");
        let again = Worktree::open(&path, "two").unwrap();
        assert_eq!((again.folder(), again.branch()), (&*path, "silcrow/two"));
        let state = again.state().unwrap();
        assert_eq!((state.changes, state.commits, &*state.to_string()), (0, 1, "1 own commit"));
        let names = |root: &Path| {
            let all = Worktree::list(root).unwrap();
            all.iter().map(|one| one.name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!((names(&root), names(&path)), (vec!["two".to_owned()], vec!["two".to_owned()]));
        assert!(again.close().unwrap().contains("is kept"));
        assert!(path.join("b.txt").is_file());
        assert!(Worktree::existing(&root, "one").is_err());
    }

    #[test]
    fn worktree_name_is_a_branch_name() {
        let folder = repository();
        for name in ["", "-f", "..", "a/b", "a b", "a~1"] {
            assert!(Worktree::open(folder.path(), name).is_err(), "{name}");
        }
        let none = tempfile::tempdir().unwrap();
        assert!(Worktree::open(none.path(), "one").is_err());
    }
}
