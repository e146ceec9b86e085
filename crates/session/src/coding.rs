//! The work of an agent on code, for a root that is a repository or has a build manifest: a guide
//! for the system message, and facts about this machine and this repository.
//!
//! The guide is the same for every repository, so that it stays in the cache of a provider. Files are
//! read here, and no program runs.

use std::env::consts::{ARCH, OS};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use silcrow_sanitize::sanitize_line;
use silcrow_term::fit::shortened;

/// Returns whether the root contains code that is worked on.
pub(crate) fn has_code(root: &Path) -> bool {
    CodeRepository::around(root).is_some() || MANIFESTS.iter().any(|name| root.join(name).is_file())
}

/// Returns the facts of a run on code: the platform, the shell of commands, and the branch.
pub(crate) fn facts(root: &Path) -> String {
    let platform = format!("The platform is {OS} on {ARCH}, and commands run in bash.");
    match CodeRepository::around(root).and_then(|repository| repository.head()) {
        Some(CheckedOut::Branch(name)) => {
            format!("{platform} The branch is `{name}`, as this began.")
        }
        Some(CheckedOut::Commit(commit)) => {
            format!("{platform} No branch is checked out, but the commit {commit}.")
        }
        None => platform,
    }
}

/// Returns the branch that is checked out in the repository around a folder, or the first letters of the
/// commit if there is no branch.
///
/// It is read from git's own files, and no program runs.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// assert_eq!(silcrow_session::checked_out(folder.path()), None);
/// std::fs::create_dir(folder.path().join(".git"))?;
/// std::fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/topic\n")?;
/// assert_eq!(silcrow_session::checked_out(folder.path()).as_deref(), Some("topic"));
/// # std::io::Result::Ok(())
/// ```
pub fn checked_out(root: &Path) -> Option<String> {
    CodeRepository::around(root)?.head().map(|head| match head {
        CheckedOut::Branch(name) | CheckedOut::Commit(name) => name,
    })
}

/// What a repository has checked out.
enum CheckedOut {
    /// The name of a branch.
    Branch(String),
    /// The first letters of a commit.
    Commit(String),
}

/// A repository of git around a folder.
struct CodeRepository {
    /// The folder of git's own data, which a linked worktree has elsewhere.
    data: PathBuf,
}

impl CodeRepository {
    fn around(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        root.ancestors().find_map(|folder| {
            let named = folder.join(".git");
            if named.is_dir() {
                return named.join("HEAD").is_file().then_some(Self { data: named });
            }
            let pointer = beginning(&named)?;
            let data = folder.join(pointer.strip_prefix("gitdir: ")?.trim());
            data.join("HEAD").is_file().then_some(Self { data })
        })
    }

    /// Returns what is checked out.
    fn head(&self) -> Option<CheckedOut> {
        let head = beginning(&self.data.join("HEAD"))?;
        let head = head.trim();
        match head.strip_prefix("ref: ") {
            Some(name) => {
                let name = name.strip_prefix("refs/heads/").unwrap_or(name);
                Some(CheckedOut::Branch(shortened(&sanitize_line(name), LONGEST_BRANCH)))
            }
            None if head.len() >= 8 && head.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                Some(CheckedOut::Commit(head[..8].to_owned()))
            }
            None => None,
        }
    }
}

/// Returns the beginning of a small text file.
fn beginning(path: &Path) -> Option<String> {
    // Opening something else, such as a pipe, might never end.
    path.metadata().ok().filter(|found| found.is_file())?;
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST_POINTER).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The guide.
pub(crate) const GUIDE: &str = "\
You work on the code in this folder for the person who asks.
Finish the task before you answer, and find out instead of guessing.
Look before you change something: read the code around it, and follow its style, names and libraries.
Change what mends the cause, and nothing else: no unrelated repairs, no new headers, and comments \
only where the code around has them.
Use the file tools to search and read, `shell` for the rest, and send calls together that do not need \
each other's results.
Run the narrowest check that shows whether the change works, then the wider ones, and say what you \
did not run.
Others may have changed files here: leave their changes alone, and look at `git status` before you \
touch many files.
Commit, push, switch branches or rewrite history only if asked to; a message then follows the style \
of the log.
Ask before something that cannot be undone or leaves this machine; a call that is denied is an \
answer, so do not try the same in another way.
Make a short plan for a long task, and keep to it.
Stop when the task is done.
Answer in a few lines: first the result, then what the person has to know or decide; name places as \
`file:line`, and do not retell the changes, which the person sees.
";

/// Files that say how something is built.
const MANIFESTS: [&str; 24] = [
    "BUILD.bazel",
    "CMakeLists.txt",
    "Cargo.toml",
    "Gemfile",
    "Justfile",
    "MODULE.bazel",
    "Makefile",
    "Package.swift",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "build.zig",
    "composer.json",
    "deno.json",
    "dune-project",
    "go.mod",
    "meson.build",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "setup.py",
    "stack.yaml",
];

/// The number of bytes that are read of a file that git keeps.
const LONGEST_POINTER: u64 = 4 << 10;

/// The number of characters of a branch's name that are shown.
const LONGEST_BRANCH: usize = 100;

#[cfg(test)]
mod tests {
    use std::fs;

    use silcrow_event::Message;
    use silcrow_provider::Estimate;

    use super::*;

    #[test]
    fn the_guide_and_the_facts_are_short() {
        let facts = "The platform is linux on x86_64, and commands run in bash. The branch is ";
        let text = format!("{GUIDE}{facts}`{}`, as this began.", "b".repeat(LONGEST_BRANCH));
        assert!(text.chars().count() <= 3200, "{}", text.chars().count());
        let tokens = Estimate::of_messages(&[Message::system(&text)]);
        assert!(tokens <= 700, "{tokens}");
    }

    #[test]
    fn branch_is_read_in_subfolders_and_worktrees() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("main/.git/worktrees/w")).unwrap();
        fs::create_dir_all(root.join("main/src/deep")).unwrap();
        fs::create_dir_all(root.join("w")).unwrap();
        fs::write(root.join("main/.git/HEAD"), "ref: refs/heads/topic/one\n").unwrap();
        fs::write(root.join("main/.git/worktrees/w/HEAD"), "0123456789abcdef0123\n").unwrap();
        fs::write(root.join("w/.git"), "gitdir: ../main/.git/worktrees/w\n").unwrap();
        for (place, end) in [
            ("main", " The branch is `topic/one`, as this began."),
            ("main/src/deep", " The branch is `topic/one`, as this began."),
            ("w", " No branch is checked out, but the commit 01234567."),
        ] {
            let told = facts(&root.join(place));
            assert!(told.ends_with(end), "{place}: {told}");
            assert!(has_code(&root.join(place)), "{place}");
        }
        let bare = folder.path().join("bare");
        fs::create_dir(&bare).unwrap();
        assert!(!has_code(&bare));
        fs::write(bare.join("Cargo.toml"), "").unwrap();
        assert!(has_code(&bare) && facts(&bare).ends_with("run in bash."));
        // A pointer that leads nowhere makes no repository.
        fs::remove_file(bare.join("Cargo.toml")).unwrap();
        fs::write(bare.join(".git"), "gitdir: /nowhere/at-all\n").unwrap();
        assert!(!has_code(&bare));
    }
}
