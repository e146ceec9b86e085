/// Reasoning that a provider gives beside the wire text.
#[derive(Debug, Default)]
pub(crate) struct Reasoning {
    /// Of the section that is open.
    text: String,
    /// Sections so far; the parts of the wire text are counted on from them.
    sections: u32,
    /// The part of the wire text that is open, and the number it is shown with.
    open: Option<(u32, u32)>,
}

impl Reasoning {
    pub(crate) fn is_open(&self) -> bool {
        !self.text.is_empty()
    }

    /// Takes a piece; gives the number to show it with.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        self.sections += u32::from(!self.is_open());
        self.text.push_str(text);
        self.open.map_or(0, |(part, _)| part) + self.sections
    }

    /// Ends the section that is open. Gives its text, if it is more than white space.
    pub(crate) fn close(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.text);
        let content = text.trim_matches([' ', '\t', '\r', '\n']);
        (!content.is_empty()).then(|| content.to_owned())
    }

    /// The number to show a part of the wire text with.
    pub(crate) fn part(&mut self, part: u32) -> u32 {
        match self.open {
            Some((open, shown)) if open == part => shown,
            _ => {
                let shown = part + self.sections;
                self.open = Some((part, shown));
                shown
            }
        }
    }
}
