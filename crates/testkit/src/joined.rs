//! Fragments that are joined, so that they do not depend on the cuts of the input.
//!
//! A section is open from its first text until it is closed. Another module parses fragments.

use silcrow_event::{
    Call, CallTextFragment, Diagnostic, Event, Fragment, Respond, TextKind, mend_json,
};

/// Fragments in normal form, which does not depend on the cuts of the input (L-1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// The joined fragments in order.
    pub units: Vec<Unit>,
    /// The bodies of calls as they were written, if the parser emits them.
    pub bodies: Vec<WrittenBody>,
    /// The number of the open section.
    open: Option<u32>,
    /// The number of complete calls, including invalid ones.
    calls: u32,
    /// The id of the malformed call whose text has come.
    malformed: Option<String>,
}

/// The body of a call as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests compare each field")]
pub struct WrittenBody {
    /// The number of the call in the turn, from 1.
    pub call: u32,
    /// The id, once the last piece has come.
    pub id: Option<String>,
    /// The name, and the position in the text at which it became known.
    pub name: Option<(String, usize)>,
    /// The text itself.
    pub text: String,
}

/// A joined fragment.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "tests match all of it")]
pub enum Unit {
    /// The whole text of one section; its end is not trimmed.
    Text {
        /// Whether it is a thought or an answer.
        kind: TextKind,
        /// The number of its section, from 1.
        part: u32,
        /// The text itself.
        text: String,
    },
    /// A call, the execution point, or the end.
    Event(Event),
    /// An invalid call, without the reason, because its words are not compared.
    Bad {
        /// The id, which is used like any other.
        id: String,
        /// Whether its body was cut off.
        truncated: bool,
    },
    /// A diagnostic.
    Diagnostic(Diagnostic),
}

impl Joined {
    /// Joins the next fragment.
    ///
    /// # Panics
    ///
    /// Panics if it cannot follow the fragments before it: an empty text, a text of another section
    /// inside an open one, a close without an open section, text of a call that is complete or not
    /// the next one, a call that differs from its text or its id, text of a malformed call without
    /// its id, or anything after the end.
    pub fn push(&mut self, fragment: Fragment<'_>) {
        assert_ne!(self.units.last(), Some(&Unit::Event(Event::End)), "{fragment:?} after the end");
        match fragment {
            Fragment::Text(piece) => {
                assert_ne!(piece.text, "", "an empty text");
                let is_malformed = piece.kind == TextKind::Malformed;
                assert_eq!(piece.id.is_some(), is_malformed, "the id of {piece:?}");
                self.malformed = piece.id.map(str::to_owned);
                match (self.open, self.units.last_mut()) {
                    (Some(part), Some(Unit::Text { kind, text, .. }))
                        if part == piece.part && *kind == piece.kind =>
                    {
                        text.push_str(piece.text);
                    }
                    (None, _) => {
                        self.open = Some(piece.part);
                        self.units.push(Unit::Text {
                            kind: piece.kind,
                            part: piece.part,
                            text: piece.text.to_owned(),
                        });
                    }
                    (_, last) => panic!("{piece:?} after {last:?}, which is open"),
                }
            }
            Fragment::Thought { part } => {
                assert_eq!(self.open, Some(part), "it is not open");
                let Some(Unit::Text { kind, .. }) = self.units.last_mut() else {
                    panic!("no text before the end of a thought")
                };
                assert!(kind.is_respond(), "{kind:?} becomes a thought");
                *kind = TextKind::Think;
            }
            Fragment::Close { part } => assert_eq!(self.open.take(), Some(part), "it is not open"),
            Fragment::CallText(piece) => self.push_body(piece),
            Fragment::Call(call) => {
                self.end_body(call.id());
                if let Some(body) = self.bodies.last().filter(|body| body.call == self.calls) {
                    body.check(&call);
                }
                self.units.push(Unit::Event(Event::Call(call)));
            }
            Fragment::InvalidCall(bad) => {
                self.end_body(&bad.id);
                if let Some(id) = self.malformed.take() {
                    assert_eq!(id, bad.id, "the id of the text");
                }
                self.units.push(Unit::Bad { id: bad.id, truncated: bad.truncated });
            }
            Fragment::Block(mark) => self.units.push(Unit::Event(Event::Block(mark))),
            Fragment::Execute => self.units.push(Unit::Event(Event::Execute)),
            Fragment::End => self.units.push(Unit::Event(Event::End)),
            Fragment::Diagnostic(diagnostic) => {
                self.units.push(Unit::Diagnostic(diagnostic));
            }
            other => panic!("unknown fragment {other:?}"),
        }
    }

    fn push_body(&mut self, piece: CallTextFragment<'_>) {
        assert_eq!(piece.text.is_empty(), piece.id.is_some(), "the last piece has the id only");
        assert_eq!(piece.call, self.calls + 1, "{piece:?} is not of the next call");
        if self.bodies.last().is_none_or(|body| body.call != piece.call) {
            let body = WrittenBody { call: piece.call, id: None, name: None, text: String::new() };
            self.bodies.push(body);
        }
        let body = self.bodies.last_mut().expect("it is there");
        assert_eq!(body.id, None, "a piece after the last one");
        body.id = piece.id.map(str::to_owned);
        if let (None, Some(name)) = (&body.name, piece.name) {
            body.name = Some((name.to_owned(), body.text.len()));
        }
        assert_eq!(body.name.as_ref().map(|(name, _)| &**name), piece.name, "another name");
        body.text.push_str(piece.text);
    }

    /// Counts a call, whose text has ended if the parser emits it.
    fn end_body(&mut self, id: &str) {
        self.calls += 1;
        if !self.bodies.is_empty() {
            let body = self.bodies.last().filter(|body| body.call == self.calls);
            assert_eq!(body.and_then(|body| body.id.as_deref()), Some(id), "call {}", self.calls);
        }
    }

    /// Returns the joined fragments at the end of the input.
    ///
    /// # Panics
    ///
    /// Panics if a section is still open.
    #[must_use]
    pub fn finish(self) -> Self {
        assert_eq!(self.open, None, "every part closes");
        self
    }

    /// Returns the complete events with the ends of their texts trimmed, without diagnostics and
    /// without malformed calls that have no text.
    pub fn events(&self) -> Vec<Event> {
        let event = |(number, unit): (usize, &Unit)| match unit {
            Unit::Text { kind, text, .. } => {
                let content = trim_end(text).to_owned();
                Some(match kind {
                    TextKind::Think => Event::think(content),
                    TextKind::Respond { last } => {
                        Event::Respond(Respond { last: *last, ..Respond::new(content) })
                    }
                    TextKind::Malformed => {
                        Event::Respond(Respond::malformed(self.next_bad(number), content))
                    }
                })
            }
            Unit::Event(event) => Some(event.clone()),
            Unit::Bad { .. } | Unit::Diagnostic(_) => None,
        };
        self.units.iter().enumerate().filter_map(event).collect()
    }

    /// Returns the id of the invalid call after a unit.
    fn next_bad(&self, number: usize) -> &str {
        let bad = self.units[number..].iter().find_map(|unit| match unit {
            Unit::Bad { id, .. } => Some(&**id),
            _ => None,
        });
        bad.unwrap_or_default()
    }

    /// Returns the diagnostics.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.units.iter().filter_map(|unit| match unit {
            Unit::Diagnostic(diagnostic) => Some(diagnostic),
            _ => None,
        })
    }

    /// Returns the part that the protocol fixes: the ends of texts are trimmed, and diagnostics
    /// have no words.
    pub fn essence(&self) -> Vec<Unit> {
        let fixed = |unit: &Unit| match unit.clone() {
            Unit::Text { kind, part, text } => {
                Unit::Text { kind, part, text: trim_end(&text).to_owned() }
            }
            Unit::Diagnostic(note) => {
                Unit::Diagnostic(Diagnostic { content: String::new(), ..note })
            }
            other => other,
        };
        self.units.iter().map(fixed).collect()
    }
}

impl WrittenBody {
    /// Checks that the text is a call's: its name, and its content unless that was repaired or is
    /// an action. Repaired JSON must not contain a name.
    fn check(&self, call: &Call) {
        let repaired = self.text.contains(|char| char < ' ');
        let is_mended = mend_json(&self.text).is_some_and(|mended| {
            mended.json == call.content() || call.action().is_some() && self.name.is_none()
        });
        if is_mended {
            return;
        }
        let name = Some(call.name()).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
        assert_eq!(self.name.as_ref().map(|(name, _)| &**name), name, "{self:?}");
        assert!(repaired || call.action().is_some() || call.content() == self.text, "{self:?}");
    }
}

/// Trims the end of a section's text (P-4).
fn trim_end(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n'])
}
