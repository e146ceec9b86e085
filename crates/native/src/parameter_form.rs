//! The forms of parameters.
//!
//! Its only logic is the list of marks that may follow each other.

/// The form of a family's calls with parameters.
#[derive(Debug)]
pub(crate) struct ParameterForm {
    /// The form of the name.
    pub(crate) name: NameForm,
    /// The tag of a key, or of a parameter with its key.
    pub(crate) key: TagForm,
    /// The tag of a type, between the key and the value.
    pub(crate) kind: Option<TagForm>,
    /// The mark before a value, or nothing if the tag of the key opens it.
    pub(crate) value_open: &'static str,
    /// The mark after a value.
    pub(crate) value_close: &'static str,
    /// The marks after a whole call.
    pub(crate) ends: &'static [&'static str],
    /// The marks after the block of a call, which end the call, too.
    pub(crate) outer: &'static [&'static str],
    /// The marks of another call, before which a call may lack its end.
    pub(crate) opens: &'static [&'static str],
    /// Marks that may precede the parameters and mean nothing.
    pub(crate) skipped: &'static [&'static str],
    /// Whether one line break on each side of a value is not a part of it.
    pub(crate) has_framing: bool,
    /// The mark after a value that begins with [`CDATA`], or nothing.
    pub(crate) cdata_close: &'static str,
    /// Whether the end of the text ends a call.
    pub(crate) may_end_open: bool,
}

/// The form of a call's name.
#[derive(Debug)]
pub(crate) enum NameForm {
    /// In a tag.
    Tag(TagForm),
    /// As bare text before the first parameter.
    Bare,
    /// As bare text, perhaps after this mark.
    BareBehind(&'static str),
}

/// A tag, with its name as bare text or in an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagForm {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// The attribute that holds the name.
    pub(crate) attribute: Option<&'static str>,
    /// Whether attributes have entities, and say types.
    pub(crate) decodes_entities: bool,
}

impl TagForm {
    /// Returns a tag with bare text.
    pub(crate) const fn bare(open: &'static str, close: &'static str) -> Self {
        Self { open, close, attribute: None, decodes_entities: false }
    }

    /// Returns a tag with attributes.
    pub(crate) const fn with(
        open: &'static str,
        attribute: &'static str,
        close: &'static str,
    ) -> Self {
        Self { open, close, attribute: Some(attribute), decodes_entities: false }
    }
}

impl ParameterForm {
    /// A form with nothing in it, to be changed.
    pub(crate) const BASE: Self = Self {
        name: NameForm::Bare,
        key: TagForm::bare("<parameter=", ">"),
        kind: None,
        value_open: "",
        value_close: "</parameter>",
        ends: &[],
        outer: &[],
        opens: &[],
        skipped: &[],
        has_framing: false,
        cdata_close: "",
        may_end_open: false,
    };

    /// Returns the marks that may begin a call: first the tag with its name.
    pub(crate) fn start_marks(&self) -> Vec<&'static str> {
        let open = match &self.name {
            NameForm::Tag(tag) => tag.open,
            NameForm::BareBehind(mark) => mark,
            NameForm::Bare => "",
        };
        [open].into_iter().chain(self.skipped.iter().copied()).collect()
    }

    /// Returns the marks that may follow the name or a whole parameter.
    pub(crate) fn next_marks(&self) -> Vec<&'static str> {
        let marks = [self.key.open].into_iter().chain(self.ends.iter().copied());
        let more = self.outer.iter().chain(self.skipped).chain(self.opens).copied();
        marks.chain(more).collect()
    }

    /// Returns the marks that may end a value: its closer, and the ends of a call whose last value
    /// lacks it.
    pub(crate) fn closers(&self) -> Vec<&'static str> {
        let without = if self.outer.is_empty() { &[] } else { self.ends };
        [self.value_close].into_iter().chain(without.iter().copied()).collect()
    }

    /// Returns the marks, one of which must follow the closer of a value.
    pub(crate) fn marks_behind_value(&self) -> Vec<&'static str> {
        let marks = [self.key.open].into_iter().chain(self.ends.iter().copied());
        marks.chain(self.outer.iter().chain(self.opens).copied()).collect()
    }
}

/// The beginning of a value that ends at its own mark.
pub(crate) const CDATA: &str = "<![CDATA[";
