//! The files that match a replacement, and their new contents.
//!
//! This module reads and does not write.

use std::collections::BTreeSet;

use silcrow_tool::{CancellationToken, ToolError};

use crate::approved_risk::ApprovedRisk;
use crate::change_set::FileChange;
use crate::diff::LineDiff;
use crate::messages;
use crate::replacement::Replacement;
use crate::resolve::{PathAccess, PathError};
use crate::root::Root;
use crate::text_file::{TextFile, edit_risk};
use crate::tree_walk::{TreeWalk, WalkFilter};
use crate::write_target::WriteTarget;

/// The changes of a replacement.
#[derive(Debug, Default)]
pub(crate) struct ReplacePlan {
    pub(crate) files: Vec<PlannedFile>,
    /// The number of files that were looked through.
    looked: usize,
    /// The number of files that need their own approval.
    risky: usize,
    /// The number of files that are not clean text, or too long.
    no_text: usize,
    /// The number of files that git ignores.
    ignored: usize,
    /// The number of files that change and have other names.
    linked: usize,
    /// The number of bytes of all new contents.
    bytes: usize,
}

/// A file with matches.
#[derive(Debug)]
pub(crate) struct PlannedFile {
    pub(crate) change: FileChange,
    /// The number of occurrences.
    pub(crate) places: usize,
    pub(crate) diff: LineDiff,
}

impl ReplacePlan {
    /// Looks through the files that paths and globs name.
    pub(crate) fn make(
        root: &Root,
        files: &[String],
        replacement: &Replacement,
        cancel: &CancellationToken,
    ) -> Result<Self, ToolError> {
        let named = NamedFiles::resolve(root, files)?;
        let mut plan = Self::default();
        for path in &named.files {
            plan.add(root, path, replacement, true)?;
        }
        if named.has_globs() {
            let filter = WalkFilter::new(&named.globs, false)?;
            let mut walk = TreeWalk::begin(root, ".", filter, cancel)?;
            while let Some(file) = walk.next() {
                match file.shown.to_str() {
                    Some(path) if named.files.contains(path) => {}
                    Some(path) => plan.add(root, path, replacement, false)?,
                    None => plan.no_text += 1,
                }
            }
            plan.risky += walk.counts.secret + walk.counts.private;
            plan.ignored = walk.counts.ignored;
        }
        match cancel.is_cancelled() {
            true => Err(messages::cancelled()),
            false => Ok(plan),
        }
    }

    /// Adds a file if something is found in it. A fault of a file that was named is an error, and
    /// other files with faults are left out.
    fn add(
        &mut self,
        root: &Root,
        path: &str,
        replacement: &Replacement,
        is_named: bool,
    ) -> Result<(), ToolError> {
        let target = match WriteTarget::find(root, path, &ApprovedRisk::Any) {
            Ok(target) => target,
            Err(why) if is_named => return Err(why),
            Err(_) => {
                self.no_text += 1;
                return Ok(());
            }
        };
        if let Some(risk) = edit_risk(&target)? {
            if is_named {
                let why = messages::needs_approval(path, &risk);
                return Err(ToolError::new(format!("{why}; file_edit asks for it")));
            }
            self.risky += 1;
            return Ok(());
        }
        let text = match TextFile::read(path, &target, None) {
            Ok(text) => text,
            Err(why) if is_named => return Err(why),
            Err(_) => {
                self.no_text += 1;
                return Ok(());
            }
        };
        self.looked += 1;
        let Some((new, places)) = replacement.apply(text.text()) else { return Ok(()) };
        if new == text.text() {
            return Ok(());
        }
        let path = target.path().to_string_lossy().into_owned();
        let diff = LineDiff::new(&text.shown(text.text()), &text.shown(&new));
        let (old, new) = (text.encode(&path, text.text())?, text.encode(&path, &new)?);
        self.bytes += old.len() + new.len();
        if self.files.len() == MAX_FILES || self.bytes > MAX_BYTES {
            let most = format!("more than {MAX_FILES} files or {} MiB", MAX_BYTES >> 20);
            let next = "nothing was changed; name fewer files";
            return Err(ToolError::new(format!("the replacement changes {most}; {next}")));
        }
        self.linked += usize::from(target.has_other_names());
        let change = FileChange { path, old, new, mode: target.old_mode() };
        self.files.push(PlannedFile { change, places, diff });
        Ok(())
    }

    /// Returns the number of occurrences in all files.
    pub(crate) fn places(&self) -> usize {
        self.files.iter().map(|file| file.places).sum()
    }

    /// Returns the number of added and removed lines.
    pub(crate) fn lines(&self) -> LineDiff {
        let mut all = LineDiff::default();
        for PlannedFile { diff, .. } in &self.files {
            all.added += diff.added;
            all.removed += diff.removed;
        }
        all
    }

    /// Returns the changes of the plan in a few words, such as `3 places in 2 files, +3 -3 lines`.
    pub(crate) fn summary(&self) -> String {
        let places = messages::count(self.places(), "place", "places");
        let files = messages::count(self.files.len(), "file", "files");
        format!("{places} in {files}, {} lines", self.lines().counts())
    }

    /// Returns the error for a replacement that finds nothing.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        if !self.files.is_empty() {
            return Ok(());
        }
        let looked = messages::count(self.looked, "file", "files");
        let left_out = self.notices().into_iter().flatten().map(|notice| format!("; {notice}"));
        let left_out: String = left_out.collect();
        let next = "look for it with file_search";
        Err(ToolError::new(format!(
            "nothing was changed, because `find` changes nothing in {looked}{left_out}; {next}"
        )))
    }

    /// Returns notices about files that were left out.
    pub(crate) fn notices(&self) -> [Option<String>; 4] {
        let notice = |number, one, many| (number > 0).then(|| messages::count(number, one, many));
        [
            notice(
                self.risky,
                "file that needs its own approval is left out",
                "files that need their own approval are left out",
            ),
            notice(
                self.no_text,
                "file that is not clean text is left out",
                "files that are not clean text are left out",
            ),
            notice(
                self.ignored,
                "entry that git ignores is left out",
                "entries that git ignores are left out",
            ),
            notice(
                self.linked,
                "changed file has other names (hard links), which keep the old text",
                "changed files have other names (hard links), which keep the old text",
            ),
        ]
    }
}

/// The files that paths and globs name.
#[derive(Debug, Default)]
struct NamedFiles {
    /// The paths of files from the root.
    files: BTreeSet<String>,
    globs: Vec<String>,
}

impl NamedFiles {
    /// Distinguishes paths from globs. A folder means all files in it.
    fn resolve(root: &Root, names: &[String]) -> Result<Self, ToolError> {
        if names.is_empty() {
            return Err(ToolError::new("`files` is empty; write paths or globs, such as `src/**`"));
        }
        let mut named = Self::default();
        for name in names {
            let is_pattern = name.contains(['*', '?', '[', '{']) || name.starts_with('!');
            match root.find(name, PathAccess::Read) {
                Ok(place) => {
                    let path = place.path().to_string_lossy().into_owned();
                    match (place.rest.is_empty(), &*path) {
                        (false, _) => drop(named.files.insert(path)),
                        (true, "") => named.globs.push("**".to_owned()),
                        (true, _) => named.globs.push(format!("/{path}/**")),
                    }
                }
                Err(PathError::System(_)) if is_pattern => named.globs.push(name.clone()),
                Err(error) => return Err(root.failure(name, error)),
            }
        }
        Ok(named)
    }

    /// Returns whether a glob names files, and not only leaves some out.
    fn has_globs(&self) -> bool {
        self.globs.iter().any(|glob| !glob.starts_with('!'))
    }
}

/// The number of files that are changed.
const MAX_FILES: usize = 1000;

/// The number of bytes of the contents of all files that are changed, before and after.
const MAX_BYTES: usize = 128 << 20;
