use std::ops::Range;

/// What may be a tag with attributes: its text is held until that is certain (P-19), and until the
/// action that it begins is over. The next one needs its room.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    /// Where its `<` stands in the wire text.
    pub(crate) at: u64,
    /// It is not over yet.
    pub(crate) is_open: bool,
    /// At most 1 KiB.
    text: String,
    attributes: Vec<Attribute>,
}

/// Where name and value stand in the tag.
#[derive(Debug)]
struct Attribute {
    name: Range<usize>,
    value: Range<usize>,
}

impl Tag {
    pub(crate) fn begin(&mut self, name: &str, at: u64) {
        self.at = at;
        self.is_open = true;
        self.text.clear();
        self.text.push_str(name);
        self.attributes.clear();
    }

    /// It is over, or was never begun; says which.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::take(&mut self.is_open)
    }

    /// What is held of it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The value of an attribute, without quotes: the first, if it is repeated.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let is_it = |one: &&Attribute| &self.text[one.name.clone()] == name;
        self.attributes.iter().find(is_it).map(|one| &self.text[one.value.clone()])
    }

    /// Text of an attribute's name. Between two names there is other text.
    pub(crate) fn push_name(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        match self.attributes.last_mut() {
            Some(last) if last.name.end == start => last.name.end = end,
            _ => self.attributes.push(Attribute { name: start..end, value: 0..0 }),
        }
    }

    /// Text of the value of the attribute that was named last.
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

    /// Text around names and values.
    pub(crate) fn push_glue(&mut self, text: &str) {
        self.text.push_str(text);
    }
}
