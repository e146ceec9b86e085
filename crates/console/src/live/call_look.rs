//! The look of calls: the signs, the room, and the amount of output and changes.

use super::signs::LineSigns;
use crate::options::DiffShown;
use crate::tool_facts::ToolFacts;

/// The look of calls.
pub(super) struct CallLook<'a> {
    pub(super) signs: &'a LineSigns,
    pub(super) columns: usize,
    /// The number of lines of output that stay on the screen.
    pub(super) output_lines: usize,
    /// The shown parts of changes in files.
    pub(super) diff: DiffShown,
    /// The command that shows the whole of a change.
    pub(super) whole: &'static str,
    /// The facts about calls from their tools.
    pub(super) facts: ToolFacts,
}
