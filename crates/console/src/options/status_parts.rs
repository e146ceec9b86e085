//! The parts of the line of status, in the order that a person chose.

use super::StatusPart;

/// The parts of the line of status that a live screen shows below a run, in order and each once.
///
/// ```
/// use silcrow_console::options::{StatusPart, StatusParts};
///
/// let usual = StatusParts::default();
/// assert_eq!(usual.iter().next(), Some(StatusPart::Mode));
/// let own = StatusParts::new([StatusPart::Branch, StatusPart::Cost, StatusPart::Branch]);
/// assert!(own.iter().eq([StatusPart::Branch, StatusPart::Cost]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusParts {
    /// The parts, and then `None` to the end.
    parts: [Option<StatusPart>; StatusPart::ALL.len()],
}

impl StatusParts {
    /// Creates a list of parts. A part that is named again is left out.
    pub fn new(parts: impl IntoIterator<Item = StatusPart>) -> Self {
        let mut list = Self { parts: [None; StatusPart::ALL.len()] };
        for part in parts {
            if list.has(part) {
                continue;
            }
            if let Some(free) = list.parts.iter_mut().find(|place| place.is_none()) {
                *free = Some(part);
            }
        }
        list
    }

    /// Returns the parts in order.
    pub fn iter(&self) -> impl Iterator<Item = StatusPart> {
        self.parts.into_iter().flatten()
    }

    /// Returns whether a part is in the list.
    pub fn has(&self, part: StatusPart) -> bool {
        self.parts.contains(&Some(part))
    }
}

impl Default for StatusParts {
    /// Returns the mode, the sandbox, the model, the time, the tokens, the cost and the window.
    fn default() -> Self {
        Self::new([
            StatusPart::Mode,
            StatusPart::Sandbox,
            StatusPart::Model,
            StatusPart::Time,
            StatusPart::Tokens,
            StatusPart::Cost,
            StatusPart::Window,
        ])
    }
}
