//! Redirections, and the ones that leave a text plain.
//!
//! Only a redirection to `/dev/null`, or of errors to the output and back, does.

use super::script::ShellWord;

/// A redirection whose target is the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redirection {
    Output,
    Input,
    /// To or from another descriptor, such as `2>&1`.
    Descriptor,
    /// Of a word as the input, with `<<<`.
    HereString,
}

impl Redirection {
    /// Returns why a redirection to this target is not plain, if it is not.
    pub(super) fn reason_against(self, target: &ShellWord) -> Option<&'static str> {
        let is_null = target.text == "/dev/null" && target.glob.is_none();
        match self {
            _ if target.is_dynamic => Some("it opens a file whose name is not known here"),
            Self::Output if !is_null => Some("it writes its output to a file"),
            Self::Input if !is_null => Some("it reads its input from a file"),
            Self::Descriptor if !["1", "2"].contains(&&*target.text) => {
                Some("it changes a descriptor")
            }
            Self::HereString => Some("it reads its input from a here-string"),
            _ => None,
        }
    }
}

/// A here-document whose text begins after the current line.
#[derive(Debug)]
pub(super) struct HereDocument {
    pub(super) end: String,
    /// Whether tabs in front of a line do not count.
    pub(super) strips_tabs: bool,
}
