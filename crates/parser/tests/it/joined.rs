use silcrow_event::{Event, Fragment, Note, Respond, Voice};
use silcrow_lex::Utf8;
use silcrow_parser::{Options, Parser};

/// Fragments in normal form: texts of one part joined, nothing left of how the input was cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Joined {
    pub(crate) units: Vec<Unit>,
    /// The number of the text that is still open.
    open: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unit {
    Text { voice: Voice, part: u32, text: String, closed: bool },
    Event(Event),
    Bad { id: String, truncated: bool },
    Note(Note),
}

impl Joined {
    pub(crate) fn push(&mut self, fragment: Fragment<'_>) {
        match fragment {
            Fragment::Text(piece) if self.open == Some(piece.part) => match self.units.last_mut() {
                Some(Unit::Text { text, .. }) => text.push_str(piece.text),
                other => panic!("part {} goes on behind {other:?}", piece.part),
            },
            Fragment::Text(piece) => {
                assert!(self.open.is_none(), "a text begins inside another");
                assert!(!piece.text.is_empty());
                self.open = Some(piece.part);
                self.units.push(Unit::Text {
                    voice: piece.voice,
                    part: piece.part,
                    text: piece.text.to_owned(),
                    closed: false,
                });
            }
            Fragment::Close { part } => {
                assert_eq!(self.open.take(), Some(part), "only an open part closes");
                if let Some(Unit::Text { closed, .. }) = self.units.last_mut() {
                    *closed = true;
                }
            }
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

    /// The complete events, without notes and calls that cannot be run.
    pub(crate) fn events(&self) -> Vec<Event> {
        let event = |unit: &Unit| match unit {
            Unit::Text { voice, text, .. } => {
                let content = text.trim_end_matches([' ', '\t', '\r', '\n']).to_owned();
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

    pub(crate) fn notes(&self) -> impl Iterator<Item = &Note> {
        self.units.iter().filter_map(|unit| match unit {
            Unit::Note(note) => Some(note),
            _ => None,
        })
    }
}

pub(crate) fn parse<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
    options: impl Into<Options>,
) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options);
    for piece in pieces {
        parser.push(piece, &mut |fragment| joined.push(fragment));
    }
    parser.finish(&mut |fragment| joined.push(fragment));
    assert_eq!(joined.open, None, "every part closes");
    joined
}

/// The way of a byte stream: through the decoder first.
pub(crate) fn parse_bytes<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    options: impl Into<Options>,
) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options);
    let mut utf8 = Utf8::new();
    for piece in pieces {
        utf8.push(piece, &mut |text| parser.push(text.text, &mut |fragment| joined.push(fragment)));
    }
    utf8.finish(&mut |text| parser.push(text.text, &mut |fragment| joined.push(fragment)));
    parser.finish(&mut |fragment| joined.push(fragment));
    joined
}
