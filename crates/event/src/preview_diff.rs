//! The lines that a call would change, for the person who is asked about it.
//!
//! This module defines its JSON, and compares the lines that two differences change.

use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;

/// The lines that a call would change in files, as they are now.
///
/// ```
/// use silcrow_event::{FileDiff, PreviewDiff};
///
/// let change = |hunks: &str| {
///     PreviewDiff::new(vec![FileDiff { path: "a.txt".to_owned(), hunks: hunks.to_owned() }])
/// };
/// let asked = change("@@ -1 +1 @@\n-one\n+two\n");
/// // Somebody has written 8 lines above it meanwhile, and the change is still the same.
/// assert!(asked.changes_same_lines(&change("@@ -9 +9 @@\n-one\n+two\n")));
/// assert!(!asked.changes_same_lines(&change("@@ -1 +1 @@\n-one\n+six\n")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreviewDiff {
    /// The files that change. Each of them has changes; the list is empty if nothing would change.
    pub files: Vec<FileDiff>,
    /// The names of the arguments that the difference shows completely, so that a person who reads
    /// it does not need them. All other arguments are shown.
    pub args: Vec<String>,
}

/// The lines that change in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a difference is a file and its lines")]
pub struct FileDiff {
    /// The path, as the target of the preview shows it.
    pub path: String,
    /// The hunks of a unified diff, without the two lines that name the file. Each line begins with
    /// a blank, `+`, `-`, `@@` or `\\`.
    pub hunks: String,
}

impl PreviewDiff {
    /// Creates the difference of some files.
    pub fn new(files: Vec<FileDiff>) -> Self {
        Self { files, args: Vec::new() }
    }

    /// Names the arguments that the difference shows completely.
    #[must_use]
    pub fn with_shown_args(self, args: &[&str]) -> Self {
        Self { args: args.iter().map(|&arg| arg.to_owned()).collect(), ..self }
    }

    /// Returns whether both remove and add the same lines of the same files, wherever these are.
    pub fn changes_same_lines(&self, other: &Self) -> bool {
        self.changed_lines().eq(other.changed_lines())
    }

    fn changed_lines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flat_map(|file| {
            let changed = file.hunks.split('\n').filter(|line| line.starts_with(['+', '-', '\\']));
            changed.map(|line| (&*file.path, line))
        })
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.objects("files", &self.files, |FileDiff { path, hunks }, to| {
            to.string("path", path);
            to.string("hunks", hunks);
        });
        if !self.args.is_empty() {
            to.strings("args", self.args.iter().map(String::as_str));
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let file = |fields: &Fields<'_>| {
            Ok(FileDiff { path: fields.text("path")?, hunks: fields.text("hunks")? })
        };
        let files = fields.objects("files");
        let files =
            files.ok_or_else(|| ReadEntryError::new("`files` is not an array of objects"))?;
        let files = files.iter().map(file).collect::<Result<_, _>>()?;
        Ok(Self { files, args: fields.strings("args") })
    }
}
