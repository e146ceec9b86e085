//! The files that git ignores: the rules of `.gitignore` files and of `.git/info/exclude`.
//!
//! The rules of a folder continue the rules of the folders above it, up to the repository's top,
//! which may be above the root. This module reads the files of rules, for any tool. It does not
//! read the settings of the person, such as `core.excludesFile`.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::open_folder::OpenFolder;
use crate::root::Root;

/// The rules that hold in a folder.
#[derive(Clone, Debug)]
pub(crate) struct IgnoreRules {
    /// The path of the folder from the topmost one whose rules hold.
    path: PathBuf,
    innermost: Option<Arc<FolderRules>>,
}

/// The rules of one folder.
#[derive(Debug)]
struct FolderRules {
    /// The path of the folder from the topmost one.
    path: PathBuf,
    matcher: Gitignore,
    above: Option<Arc<Self>>,
}

impl IgnoreRules {
    /// Returns the rules of the folders above a root that apply to it, without its own.
    pub(crate) fn above(root: &Root) -> Self {
        let mut rules = Self { path: PathBuf::new(), innermost: None };
        if has_git(root.folder()) {
            return rules;
        }
        let mut above: Vec<OpenFolder> = Vec::new();
        for folder in root.folder().above().take(MAX_ABOVE) {
            let is_top = has_git(&folder);
            above.push(folder);
            if is_top {
                let names = root.path().map(|path| names(path, above.len())).unwrap_or_default();
                if names.len() == above.len() {
                    for (folder, name) in above.iter().rev().zip(names) {
                        rules = rules.with(folder).at(&name);
                    }
                }
                break;
            }
        }
        rules
    }

    /// Returns the rules with the folder's own.
    pub(crate) fn with(mut self, folder: &OpenFolder) -> Self {
        let mut builder = GitignoreBuilder::new(".");
        let git = folder.enter(OsStr::new(".git")).and_then(|git| git.enter(OsStr::new("info")));
        if let Ok(info) = git {
            add(&mut builder, &info, "exclude");
        }
        add(&mut builder, folder, ".gitignore");
        if let Ok(matcher) = builder.build()
            && !matcher.is_empty()
        {
            let above = self.innermost.take();
            let rules = FolderRules { path: self.path.clone(), matcher, above };
            self.innermost = Some(Arc::new(rules));
        }
        self
    }

    /// Returns the rules in the folder with this name, without its own.
    pub(crate) fn at(&self, name: &OsStr) -> Self {
        Self { path: self.path.join(name), innermost: self.innermost.clone() }
    }

    /// Returns whether git ignores the entry with this name.
    pub(crate) fn ignores(&self, name: &OsStr, is_folder: bool) -> bool {
        let mut rules = self.innermost.as_deref();
        if rules.is_none() {
            return false;
        }
        let path = self.path.join(name);
        while let Some(FolderRules { path: folder, matcher, above }) = rules {
            let below = path.strip_prefix(folder).unwrap_or(&path);
            match matcher.matched(below, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => rules = above.as_deref(),
            }
        }
        false
    }
}

fn has_git(folder: &OpenFolder) -> bool {
    matches!(folder.look(OsStr::new(".git")), Ok(Some(_)))
}

/// Returns the last names of a path, the outermost first.
fn names(path: &Path, number: usize) -> Vec<OsString> {
    let mut names: Vec<_> = path.iter().rev().take(number).map(OsStr::to_owned).collect();
    names.reverse();
    names
}

/// Adds the rules of a regular file. Only a regular file adds rules, and other lines do not count.
fn add(builder: &mut GitignoreBuilder, folder: &OpenFolder, name: &str) {
    let Ok((file, metadata)) = folder.open(OsStr::new(name)) else { return };
    if !metadata.is_file() {
        return;
    }
    let mut rules = Vec::new();
    if file.take(MAX_RULES).read_to_end(&mut rules).is_ok() {
        for line in String::from_utf8_lossy(&rules).lines() {
            // The error belongs to this line.
            let _ = builder.add_line(None, line);
        }
    }
}

/// The number of bytes that are read of a file of rules.
const MAX_RULES: u64 = 256 << 10;

/// The number of folders above a root in which its repository is searched.
const MAX_ABOVE: usize = 32;
