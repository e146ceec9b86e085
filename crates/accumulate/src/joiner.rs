//! Joins fragments into complete events.
//!
//! The joiner holds the text of the open section.

use silcrow_event::{Event, Fragment, Respond, TextFragment, TextKind};

/// A joiner that turns fragments into complete events.
///
/// ```
/// use silcrow_accumulate::TextJoiner;
/// use silcrow_event::{Event, Fragment, TextFragment, TextKind};
///
/// let kind = TextKind::Respond { last: true };
/// let piece = |text| Fragment::Text(TextFragment { kind, part: 1, id: None, text });
/// let mut joiner = TextJoiner::new();
/// assert_eq!(joiner.push(piece("2 + 2 ")), None);
/// assert_eq!(joiner.push(piece("is 4.\n")), None);
/// // White space at the end of a section is not part of the event.
/// assert_eq!(joiner.push(Fragment::Close { part: 1 }), Some(Event::respond("2 + 2 is 4.")));
/// ```
#[derive(Debug, Default)]
pub struct TextJoiner {
    open: Option<OpenSection>,
    /// The text of a malformed call whose id is not known yet.
    malformed: Option<String>,
}

#[derive(Debug)]
struct OpenSection {
    kind: TextKind,
    text: String,
}

impl TextJoiner {
    /// Creates a joiner without an open section.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a fragment, and returns the event that it completes. An invalid call completes the
    /// event of its text, because it has the id.
    pub fn push(&mut self, fragment: Fragment<'_>) -> Option<Event> {
        match fragment {
            Fragment::Text(text) => {
                self.push_text(text);
                None
            }
            Fragment::Thought { .. } => {
                if let Some(open) = &mut self.open {
                    open.kind = TextKind::Think;
                }
                None
            }
            Fragment::Close { .. } => self.close(),
            Fragment::Call(call) => Some(Event::Call(call)),
            Fragment::InvalidCall(bad) => {
                self.malformed.take().map(|text| Event::Respond(Respond::malformed(bad.id, text)))
            }
            Fragment::Block(mark) => Some(Event::Block(mark)),
            Fragment::Execute => Some(Event::Execute),
            Fragment::End => Some(Event::End),
            Fragment::Diagnostic(diagnostic) => Some(diagnostic.into()),
            _ => None,
        }
    }

    /// Drops the text of a malformed call, whose event the caller emits.
    pub(crate) fn drop_malformed(&mut self) {
        self.malformed = None;
    }

    /// Takes a fragment of text, which completes no event.
    pub(crate) fn push_text(&mut self, text: TextFragment<'_>) {
        match &mut self.open {
            Some(open) => open.text.push_str(text.text),
            None => self.open = Some(OpenSection { kind: text.kind, text: text.text.to_owned() }),
        }
    }

    /// Closes the open section and returns its event, if it is complete.
    pub(crate) fn close(&mut self) -> Option<Event> {
        let OpenSection { kind, mut text } = self.open.take()?;
        text.truncate(text.trim_end_matches([' ', '\t', '\r', '\n']).len());
        Some(match kind {
            TextKind::Think => Event::think(text),
            TextKind::Respond { last } => Event::Respond(Respond { last, ..Respond::new(text) }),
            TextKind::Malformed => {
                self.malformed = Some(text);
                return None;
            }
        })
    }
}
