//! The section of a model's answer that is being written.

use super::answer::OpenAnswer;
use super::thought::OpenThought;

/// The section that is being written.
pub(super) struct ShownSection {
    pub(super) part: u32,
    pub(super) text: OpenText,
}

pub(super) enum OpenText {
    Thought(OpenThought),
    Answer(Box<OpenAnswer>),
    /// Text that is not shown, such as a malformed call.
    Hidden,
}
