//! Reasoning that a provider sends beside the wire text.
//!
//! It becomes thoughts between the sections of the wire text. A thought is *open* from its first
//! piece until it is closed. Each thought takes a part number, so the parts of the wire text are
//! shown with numbers that are higher by the number of thoughts before them.

/// The provider's reasoning in one turn.
#[derive(Debug, Default)]
pub(crate) struct Reasoning {
    /// The text of the open thought; empty if none is open.
    text: String,
    /// The number of thoughts so far.
    thoughts: u32,
    /// The open part of the wire text, and the number with which it is shown.
    open: Option<(u32, u32)>,
}

impl Reasoning {
    /// Returns whether a thought is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.text.is_empty()
    }

    /// Takes a piece and returns the part number to show it with.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        self.thoughts += u32::from(!self.is_open());
        self.text.push_str(text);
        self.open.map_or(0, |(part, _)| part) + self.thoughts
    }

    /// Closes the open thought and returns its text, if it is more than white space.
    pub(crate) fn close(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.text);
        let content = text.trim_matches([' ', '\t', '\r', '\n']);
        (!content.is_empty()).then(|| content.to_owned())
    }

    /// Returns the number to show a part of the wire text with.
    pub(crate) fn part(&mut self, part: u32) -> u32 {
        match self.open {
            Some((open, shown)) if open == part => shown,
            _ => {
                let shown = part + self.thoughts;
                self.open = Some((part, shown));
                shown
            }
        }
    }
}
