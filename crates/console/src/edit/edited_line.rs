//! The end of editing a line.

/// The way in which a line ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who reads a line has to know how it ends")]
pub enum EditedLine {
    /// It was sent.
    Sent {
        /// The text, with pasted texts written out.
        text: String,
        /// Whether the last prompt was taken back to make it.
        replaces_last: bool,
    },
    /// The person asks for the keys.
    Help,
    /// Ctrl-C was pressed.
    Interrupted,
    /// Ctrl-D was pressed in an empty line, or the terminal is gone.
    End,
}
