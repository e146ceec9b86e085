//! Text that may be a tag with attributes.
//!
//! A tag is open from its name to its `>`. Its callers interpret attributes.

use std::ops::Range;

use silcrow_lex::Delimiter;

/// Text that may be a tag with attributes. It is pending until that is certain (P-19), and is kept
/// until the action that the tag begins is complete. The next tag reuses the buffers.
#[derive(Debug, Default)]
pub(crate) struct PendingTag {
    /// The position of its `<` in the wire text.
    pub(crate) at: u64,
    /// Whether it is incomplete.
    pub(crate) is_open: bool,
    /// Whether it has the name of a control block.
    pub(crate) is_block: bool,
    /// The text, which is at most 1 KiB long.
    text: String,
    attributes: Vec<TagAttribute>,
}

/// The ranges of a name and a value in the tag.
#[derive(Debug)]
struct TagAttribute {
    name: Range<usize>,
    value: Range<usize>,
}

impl PendingTag {
    pub(crate) fn begin(&mut self, delimiter: Delimiter, name: &str, at: u64) {
        self.at = at;
        self.is_block = delimiter.is_block();
        self.is_open = true;
        self.text.clear();
        self.text.push_str(name);
        self.attributes.clear();
    }

    /// Ends it. Returns whether it was open.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::take(&mut self.is_open)
    }

    /// Returns its text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value of an attribute without quotes; the first one, if the attribute is
    /// repeated.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let is_it = |attribute: &&TagAttribute| &self.text[attribute.name.clone()] == name;
        self.attributes.iter().find(is_it).map(|attribute| &self.text[attribute.value.clone()])
    }

    /// Returns whether it has attributes.
    pub(crate) const fn has_attributes(&self) -> bool {
        !self.attributes.is_empty()
    }

    /// Returns the names of its attributes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|attribute| &self.text[attribute.name.clone()])
    }

    /// Takes text of an attribute's name. Between two names there is always other text.
    pub(crate) fn push_name(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        match self.attributes.last_mut() {
            Some(last) if last.name.end == start => last.name.end = end,
            _ => self.attributes.push(TagAttribute { name: start..end, value: 0..0 }),
        }
    }

    /// Takes text of the value of the last attribute.
    pub(crate) fn push_value(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        if let Some(last) = self.attributes.last_mut() {
            if last.value.is_empty() {
                last.value.start = start;
            }
            last.value.end = self.text.len();
        }
    }

    /// Takes text around names and values.
    pub(crate) fn push_glue(&mut self, text: &str) {
        self.text.push_str(text);
    }
}
