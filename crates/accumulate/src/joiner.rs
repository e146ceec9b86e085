use silcrow_event::{Event, Fragment, Respond, TextFragment, TextKind, Think, ThoughtOrigin};

/// Makes complete events of fragments.
#[derive(Debug, Default)]
pub struct TextJoiner {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    voice: TextKind,
    text: String,
}

impl TextJoiner {
    /// Without an open section.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a fragment; gives the event that it completes. A call that cannot be run completes
    /// none: the note before it tells of it.
    pub fn push(&mut self, fragment: Fragment<'_>) -> Option<Event> {
        match fragment {
            Fragment::Text(text) => {
                self.text(text);
                None
            }
            Fragment::Close { .. } => self.close(),
            Fragment::Call(call) => Some(Event::Call(call)),
            Fragment::Execute => Some(Event::Execute),
            Fragment::End => Some(Event::End),
            Fragment::Diagnostic(note) => Some(note.into()),
            _ => None,
        }
    }

    fn text(&mut self, text: TextFragment<'_>) {
        match &mut self.open {
            Some(open) => open.text.push_str(text.text),
            None => self.open = Some(Open { voice: text.voice, text: text.text.to_owned() }),
        }
    }

    fn close(&mut self) -> Option<Event> {
        let Open { voice, mut text } = self.open.take()?;
        text.truncate(text.trim_end_matches([' ', '\t', '\r', '\n']).len());
        Some(match voice {
            TextKind::Think => Event::Think(Think { content: text, origin: ThoughtOrigin::Model }),
            TextKind::Respond { last } => {
                Event::Respond(Respond { content: text, wire: None, last })
            }
        })
    }
}
