//! The changes of a call in files, for observers of a run.
//!
//! The journal of the tools keeps the contents, so no log has this event.

use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;
use crate::unknown_word::{UnknownWord, find};

/// The files that a call has changed: the event `changes`. It comes before the result of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct CallChanges {
    /// The call's id.
    pub id: String,
    /// The files, each once.
    pub files: Vec<FileDelta>,
}

/// The difference that a call made to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileDelta {
    /// The path from the root, safe to show.
    pub path: String,
    /// The kind of the change.
    pub kind: DeltaKind,
    /// The number of lines that were added. Both numbers are 0 if lines were not compared.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
    /// The hunks of a unified diff, without the two lines that name the file. They are empty if the
    /// change is only named: for changes by a command, for files that are not text, and for long
    /// differences.
    pub hunks: String,
}

/// The kind of a change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a file appears, changes or goes")]
pub enum DeltaKind {
    /// The file did not exist before.
    Created,
    /// The content, the permissions or the target of a link changed.
    Changed,
    /// The file no longer exists.
    Removed,
}

impl FileDelta {
    /// Creates the difference of a file whose lines are not compared.
    ///
    /// ```
    /// use silcrow_event::{DeltaKind, FileDelta};
    ///
    /// let delta = FileDelta::new("logo.png", DeltaKind::Removed);
    /// assert_eq!(delta.short(), "logo.png removed");
    /// assert_eq!(FileDelta::new("a.rs", DeltaKind::Changed).with_lines(3, 1).short(), "a.rs +3 −1");
    /// ```
    pub fn new(path: impl Into<String>, kind: DeltaKind) -> Self {
        Self { path: path.into(), kind, added: 0, removed: 0, hunks: String::new() }
    }

    /// Sets the numbers of lines that were added and removed.
    #[must_use]
    pub fn with_lines(self, added: u64, removed: u64) -> Self {
        Self { added, removed, ..self }
    }

    /// Sets the hunks of the unified diff.
    #[must_use]
    pub fn with_hunks(self, hunks: impl Into<String>) -> Self {
        Self { hunks: hunks.into(), ..self }
    }

    /// Returns the difference on one line, such as `src/a.rs +3 −1` or `logo.png removed`.
    pub fn short(&self) -> String {
        let Self { path, kind, added, removed, .. } = self;
        match (kind, added, removed) {
            (DeltaKind::Changed, 0, 0) => format!("{path} changed"),
            (DeltaKind::Changed, added, removed) => format!("{path} +{added} −{removed}"),
            (kind, 0, 0) => format!("{path} {kind}", kind = kind.as_str()),
            (DeltaKind::Created, added, _) => format!("{path} created, +{added}"),
            (DeltaKind::Removed, _, removed) => format!("{path} removed, −{removed}"),
        }
    }
}

impl DeltaKind {
    /// Lists every kind.
    pub const ALL: [Self; 3] = [Self::Created, Self::Changed, Self::Removed];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

impl std::fmt::Display for DeltaKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for DeltaKind {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "kind of change", Self::ALL, Self::as_str)
    }
}

impl CallChanges {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("id", &self.id);
        to.objects("files", &self.files, |file, to| {
            to.string("path", &file.path);
            to.string("kind", file.kind.as_str());
            to.integer("added", file.added);
            to.integer("removed", file.removed);
            if !file.hunks.is_empty() {
                to.string("hunks", &file.hunks);
            }
        });
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let file = |fields: &Fields<'_>| {
            Ok(FileDelta {
                path: fields.text("path")?,
                kind: fields.word("kind", DeltaKind::Changed)?,
                added: fields.number("added").unwrap_or_default(),
                removed: fields.number("removed").unwrap_or_default(),
                hunks: fields.maybe("hunks").unwrap_or_default(),
            })
        };
        let files = fields.objects("files");
        let files =
            files.ok_or_else(|| ReadEntryError::new("`files` is not an array of objects"))?;
        let files = files.iter().map(file).collect::<Result<_, _>>()?;
        Ok(Self { id: fields.text("id")?, files })
    }
}
