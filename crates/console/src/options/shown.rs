//! A person's choices for showing runs, before it is known whether a live screen is possible.

use super::{Detail, DiffShown, NotifyWay, StatusParts, ThemeName, Thoughts};

/// The choices of a person about the display of a run.
///
/// ```
/// use silcrow_console::options::{Detail, DiffShown, ShownParts};
///
/// let mut shown = ShownParts::default();
/// assert_eq!((shown.detail(), shown.diff(false)), (Detail::Normal, DiffShown::Short));
/// shown.quiet = true;
/// assert_eq!((shown.detail(), shown.diff(true)), (Detail::Quiet, DiffShown::Off));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct ShownParts {
    /// The length of thoughts.
    pub thoughts: Option<Thoughts>,
    /// The part of changes in files. Without a choice a live screen shows more of it than lines.
    pub diff: Option<DiffShown>,
    /// The colours.
    pub theme: Option<ThemeName>,
    /// The way in which the terminal calls a person who looks elsewhere.
    pub notify: Option<NotifyWay>,
    /// The parts of the line of status.
    pub status: Option<StatusParts>,
    /// Whether the line editor uses vi keys.
    pub has_vi_keys: bool,
    /// Whether only the answer, questions and errors are shown.
    pub quiet: bool,
    /// Whether all that calls print is shown, and faults in the text.
    pub verbose: bool,
}

/// The pieces in which text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "text is shown in one of these ways")]
pub enum TextPieces {
    /// As it is written.
    Token,
    /// In complete units.
    Event,
    /// In complete units, and the model is not asked to write in pieces.
    None,
}

impl ShownParts {
    /// Returns the shown parts of changes in files, on a live screen or as lines.
    pub const fn diff(&self, is_live: bool) -> DiffShown {
        match (self.diff, self.quiet, is_live) {
            (Some(diff), _, _) => diff,
            (None, true, _) => DiffShown::Off,
            (None, false, true) => DiffShown::Full,
            (None, false, false) => DiffShown::Short,
        }
    }

    /// Returns how much is shown.
    pub const fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        }
    }
}
