use silcrow_event::{Event, Fragment, Note, Respond, Voice};

/// Fragments in normal form: nothing is left of how the input was cut (L-1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// In their order.
    pub units: Vec<Unit>,
    /// The number of the text that is still open.
    open: Option<u32>,
}

/// What fragments join to.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "tests match all of it")]
pub enum Unit {
    /// All text of one section, its end not trimmed.
    Text {
        /// Whether it is thought or said.
        voice: Voice,
        /// The number of its section, from 1.
        part: u32,
        /// The text.
        text: String,
    },
    /// A call, `execute` or `end`.
    Event(Event),
    /// A call that cannot be run; what was wrong with it is in words that nobody compares.
    Bad {
        /// Taken like any other call's.
        id: String,
        /// Its body was cut off.
        truncated: bool,
    },
    /// Something odd.
    Note(Note),
}

impl Joined {
    /// Takes the next fragment.
    ///
    /// # Panics
    ///
    /// If it cannot follow the ones before: an empty text, a text of another section inside an
    /// open one, a close without an open text, anything behind `end`.
    pub fn push(&mut self, fragment: Fragment<'_>) {
        assert_ne!(
            self.units.last(),
            Some(&Unit::Event(Event::End)),
            "{fragment:?} behind the end"
        );
        match fragment {
            Fragment::Text(piece) => {
                assert_ne!(piece.text, "", "an empty text");
                match (self.open, self.units.last_mut()) {
                    (Some(part), Some(Unit::Text { voice, text, .. }))
                        if part == piece.part && *voice == piece.voice =>
                    {
                        text.push_str(piece.text);
                    }
                    (None, _) => {
                        self.open = Some(piece.part);
                        self.units.push(Unit::Text {
                            voice: piece.voice,
                            part: piece.part,
                            text: piece.text.to_owned(),
                        });
                    }
                    (_, last) => panic!("{piece:?} behind {last:?}, which is open"),
                }
            }
            Fragment::Close { part } => assert_eq!(self.open.take(), Some(part), "it is not open"),
            Fragment::Call(call) => self.units.push(Unit::Event(Event::Call(call))),
            Fragment::BadCall(bad) => {
                self.units.push(Unit::Bad { id: bad.id, truncated: bad.truncated });
            }
            Fragment::Execute => self.units.push(Unit::Event(Event::Execute)),
            Fragment::End => self.units.push(Unit::Event(Event::End)),
            Fragment::Note(note) => self.units.push(Unit::Note(note)),
            other => panic!("unknown fragment {other:?}"),
        }
    }

    /// The same when the input is over.
    ///
    /// # Panics
    ///
    /// If a text is still open.
    #[must_use]
    pub fn finish(self) -> Self {
        assert_eq!(self.open, None, "every part closes");
        self
    }

    /// The complete events, texts trimmed at their ends; without notes and calls that cannot be
    /// run.
    pub fn events(&self) -> Vec<Event> {
        let event = |unit: &Unit| match unit {
            Unit::Text { voice, text, .. } => {
                let content = trim_end(text).to_owned();
                Some(match voice {
                    Voice::Think => Event::think(content),
                    Voice::Respond { last } => {
                        Event::Respond(Respond { content, wire: None, last: *last })
                    }
                })
            }
            Unit::Event(event) => Some(event.clone()),
            Unit::Bad { .. } | Unit::Note(_) => None,
        };
        self.units.iter().filter_map(event).collect()
    }

    /// The notes.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.units.iter().filter_map(|unit| match unit {
            Unit::Note(note) => Some(note),
            _ => None,
        })
    }

    /// What the protocol fixes of them: texts trimmed at their ends, notes without their words.
    pub fn essence(&self) -> Vec<Unit> {
        let fixed = |unit: &Unit| match unit.clone() {
            Unit::Text { voice, part, text } => {
                Unit::Text { voice, part, text: trim_end(&text).to_owned() }
            }
            Unit::Note(note) => Unit::Note(Note { content: String::new(), ..note }),
            other => other,
        };
        self.units.iter().map(fixed).collect()
    }
}

/// P-4.
fn trim_end(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n'])
}
