//! A text that the model reads in place of the oldest part of a conversation.

use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;

/// A summary of the oldest part of a conversation, which the model reads in its place.
///
/// Only the last summary in a log counts. To edit it, store another text with the same positions; to
/// undo it, store [`ContextSummary::default`]. The log keeps all events that a summary replaces.
///
/// ```
/// use silcrow_event::{ContextSummary, Event, SummaryAuthor, read_entry};
///
/// let edited = ContextSummary {
///     content: "The build is green; the docs are open.".to_owned(),
///     until: 41,
///     author: SummaryAuthor::Person,
///     ..ContextSummary::default()
/// };
/// let stored = read_entry(&Event::Summary(edited.clone()).to_json()).unwrap();
/// assert_eq!(stored.event, Event::Summary(edited));
/// // The default replaces nothing, so storing it brings the whole conversation back.
/// assert!(ContextSummary::default().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct ContextSummary {
    /// The text: the requests, the decisions, the work done, and the open points.
    pub content: String,
    /// The position of the last event that the text replaces; 0 if it replaces none.
    pub until: u64,
    /// The position of the last event whose thought is left out, or whose long result is shortened;
    /// 0 without such an event.
    pub shortened: u64,
    /// The author of the text.
    pub author: SummaryAuthor,
    /// The shortened results that are kept in full, with the names under which the model reads them.
    pub outputs: Vec<KeptOutput>,
}

/// The name of a result that a [`ContextSummary`] shortens and that is kept as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct KeptOutput {
    /// The turn of the call.
    pub turn: u32,
    /// The id of the call.
    pub id: String,
    /// The name under which the model can read the output.
    pub name: String,
}

/// The author of a [`ContextSummary`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names them all")]
pub enum SummaryAuthor {
    /// A model that read the entries that the summary replaces.
    Model,
    /// A person.
    Person,
    /// The framework, because no model was asked, or because it gave no answer.
    #[default]
    Framework,
}

impl ContextSummary {
    /// Returns whether every event is in the context as it is.
    pub const fn is_empty(&self) -> bool {
        self.until == 0 && self.shortened == 0
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("content", &self.content);
        to.integer("until", self.until);
        to.integer("shortened", self.shortened);
        to.string("author", self.author.as_str());
        if !self.outputs.is_empty() {
            to.objects("outputs", &self.outputs, KeptOutput::write);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        Ok(Self {
            content: fields.text("content")?,
            until: fields.number("until").unwrap_or_default(),
            shortened: fields.number("shortened").unwrap_or_default(),
            author: fields.word("author", SummaryAuthor::default())?,
            outputs: fields
                .objects("outputs")
                .unwrap_or_default()
                .iter()
                .map(KeptOutput::read)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl KeptOutput {
    fn write(&self, to: &mut Object<'_>) {
        to.integer("turn", self.turn.into());
        to.string("id", &self.id);
        to.string("name", &self.name);
    }

    fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        Ok(Self {
            turn: fields.number("turn").unwrap_or_default(),
            id: fields.text("id")?,
            name: fields.text("name")?,
        })
    }
}

impl SummaryAuthor {
    /// Lists every author.
    pub const ALL: [Self; 3] = [Self::Model, Self::Person, Self::Framework];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Person => "person",
            Self::Framework => "framework",
        }
    }
}
