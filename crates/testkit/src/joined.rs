use silcrow_event::{Call, CallTextFragment, Diagnostic, Event, Fragment, Respond, TextKind};

/// Fragments in normal form: nothing is left of how the input was cut (L-1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// In their order.
    pub units: Vec<Unit>,
    /// The bodies of calls as they were written, where they are given out.
    pub bodies: Vec<Body>,
    /// The number of the text that is still open.
    open: Option<u32>,
    /// Calls that are complete, also those that cannot be run.
    calls: u32,
}

/// The body of a call, not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Which call of the turn it is, from 1.
    pub call: u32,
    /// The name that was told, and from which byte of the text on.
    pub name: Option<(String, usize)>,
    /// The text.
    pub text: String,
}

/// What fragments join to.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "tests match all of it")]
pub enum Unit {
    /// All text of one section, its end not trimmed.
    Text {
        /// Whether it is thought or said.
        voice: TextKind,
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
    Note(Diagnostic),
}

impl Joined {
    /// Takes the next fragment.
    ///
    /// # Panics
    ///
    /// If it cannot follow the ones before: an empty text, a text of another section inside an
    /// open one, a close without an open text, text of a call that is over or not the next one, a
    /// call that is not what its text says, anything behind `end`.
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
            Fragment::CallText(piece) => self.push_body(piece),
            Fragment::Call(call) => {
                self.calls += 1;
                if let Some(body) = self.bodies.last().filter(|body| body.call == self.calls) {
                    body.check(&call);
                }
                self.units.push(Unit::Event(Event::Call(call)));
            }
            Fragment::InvalidCall(bad) => {
                self.calls += 1;
                self.units.push(Unit::Bad { id: bad.id, truncated: bad.truncated });
            }
            Fragment::Execute => self.units.push(Unit::Event(Event::Execute)),
            Fragment::End => self.units.push(Unit::Event(Event::End)),
            Fragment::Diagnostic(note) => self.units.push(Unit::Note(note)),
            other => panic!("unknown fragment {other:?}"),
        }
    }

    fn push_body(&mut self, piece: CallTextFragment<'_>) {
        assert_ne!(piece.text, "", "an empty text");
        assert_eq!(piece.call, self.calls + 1, "{piece:?} is not of the next call");
        if self.bodies.last().is_none_or(|body| body.call != piece.call) {
            self.bodies.push(Body { call: piece.call, name: None, text: String::new() });
        }
        let body = self.bodies.last_mut().expect("it is there");
        if let (None, Some(name)) = (&body.name, piece.name) {
            body.name = Some((name.to_owned(), body.text.len()));
        }
        assert_eq!(body.name.as_ref().map(|(name, _)| &**name), piece.name, "another name");
        body.text.push_str(piece.text);
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
                    TextKind::Think => Event::think(content),
                    TextKind::Respond { last } => {
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
    pub fn notes(&self) -> impl Iterator<Item = &Diagnostic> {
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
            Unit::Note(note) => Unit::Note(Diagnostic { content: String::new(), ..note }),
            other => other,
        };
        self.units.iter().map(fixed).collect()
    }
}

impl Body {
    /// Its text told the name, and is what the call was made of, unless that was repaired or is an
    /// action.
    fn check(&self, call: &Call) {
        let name = Some(call.name()).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
        assert_eq!(self.name.as_ref().map(|(name, _)| &**name), name, "{self:?}");
        let repaired = self.text.contains(|char| char < ' ');
        assert!(repaired || call.action().is_some() || call.content() == self.text, "{self:?}");
    }
}

/// P-4.
fn trim_end(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n'])
}
