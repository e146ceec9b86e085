//! The sections of `action` in order: P-19, P-21, P-22.

use std::collections::HashSet;

use super::block_steps::{self, BlockStep};
use super::elements::Elements;
use super::text::Text;
use super::*;

/// The maximal length of text outside of sections that is pending until the end of the turn.
const MOST_HELD: usize = 64 << 10;

pub(super) fn read(turn: &mut Turn<'_>) {
    let mut action = Action {
        turn,
        pieces: vec![],
        parts: vec![],
        waits: false,
        acted: false,
        spilled: false,
        answered: false,
        tag: 0,
        open: false,
        open_comment: false,
        taken: HashSet::new(),
        elements: Elements::new(),
        ends_value: false,
        step: BlockStep::Text,
    };
    action.read();
}

pub(super) struct Action<'a, 't> {
    pub(super) turn: &'t mut Turn<'a>,
    /// The text outside of sections, while it may be the answer, with its positions.
    pieces: Vec<(usize, String)>,
    /// The positions outside of comments in it.
    parts: Vec<usize>,
    /// Whether an action waits for its result (P-10).
    pub(super) waits: bool,
    /// Whether there was an action or a response.
    acted: bool,
    /// Whether there was more text outside of sections than may be pending.
    spilled: bool,
    /// Whether there was a final response, and the position of the last tag of a response.
    answered: bool,
    tag: usize,
    /// Whether a fence is open at the end of the input.
    open: bool,
    /// Whether a comment is open at the end of the input.
    open_comment: bool,
    /// The ids so far.
    pub(super) taken: HashSet<String>,
    /// The elements that are open outside of sections.
    pub(super) elements: Elements,
    /// Whether the closing tag of a value may follow.
    pub(super) ends_value: bool,
    /// The effect of the last block tag that was found.
    pub(super) step: BlockStep,
}

impl<'a> Action<'a, '_> {
    fn read(&mut self) {
        let mut section = Section::Outside;
        let mut last = true;
        let mut at = self.turn.start;
        loop {
            let found = match section {
                Section::Think => self.think(at),
                Section::Respond => self.respond(at, last),
                Section::Forged => self.turn.aside(at, section, DiagnosticKind::ForgedResult),
                _ => self.outside(at),
            };
            let Some((delimiter, start)) = found else { return self.finish(section) };
            at = start + delimiter.len();
            section = match delimiter {
                "<thought>" => Section::Think,
                "</thought>" | "</response>" | "</results>" => Section::Outside,
                "<results>" => {
                    if std::mem::take(&mut self.waits) {
                        self.turn.units.push(Unit::Event(Event::Execute));
                    }
                    Section::Forged
                }
                tag if block_steps::is_tag(tag) => {
                    self.block(tag, start);
                    Section::Outside
                }
                tag if tag.starts_with("<action") => {
                    let before = self.turn.units.len();
                    let found = self.action(tag, at);
                    let waits = |unit: &Unit| {
                        matches!(
                            unit,
                            Unit::Event(Event::Call(_)) | Unit::Bad { truncated: false, .. }
                        )
                    };
                    self.waits |= self.turn.units[before..].iter().any(waits);
                    match found {
                        // The thought continues after it.
                        Some((delimiter, start)) => {
                            at = start + delimiter.len();
                            section
                        }
                        None => return self.finish(Section::Calls),
                    }
                }
                tag => {
                    if section == Section::Think {
                        self.turn.report(DiagnosticKind::Unclosed, start);
                    }
                    let (_, attributes) = tag::attributes(tag, "<response").unwrap_or_default();
                    let said = attributes.iter().find(|(name, _)| *name == "final");
                    last = said.is_none_or(|(_, value)| *value != "false");
                    self.tag = start;
                    if !self.elements.open.is_empty() {
                        self.turn.report(DiagnosticKind::UnknownBlock, start);
                    }
                    Section::Respond
                }
            };
        }
    }

    /// Ends the turn, and reports open elements (P-6, P-21).
    fn finish(&mut self, section: Section) {
        if !self.acted && (self.spilled || !self.parts.is_empty()) {
            self.answer();
        }
        if self.open {
            self.turn.report(DiagnosticKind::OpenFence, self.turn.wire.len());
        }
        if section != Section::Outside || self.open_comment {
            self.turn.report(DiagnosticKind::Unclosed, self.turn.wire.len());
        }
        for _ in self.elements.open.iter().filter(|element| element.is_block()) {
            self.turn.report(DiagnosticKind::Unclosed, self.turn.wire.len());
        }
    }

    fn think(&mut self, at: usize) -> Option<Found<'a>> {
        let Text { begin, text, open, hidden, found, .. } = self.turn.text(at, Section::Think);
        self.turn.say(TextKind::Think, begin, &text);
        self.turn.report_hidden(&hidden);
        self.open = open;
        found
    }

    fn respond(&mut self, at: usize, last: bool) -> Option<Found<'a>> {
        let Text { begin, text, open, hidden, found, .. } = self.turn.text(at, Section::Respond);
        self.turn.say(TextKind::Respond { last }, begin, &text);
        self.open = open;
        // An empty piece does not count.
        if !text.trim_end_matches(is_white).is_empty() {
            self.act();
            if last && std::mem::replace(&mut self.answered, true) {
                self.turn.report(DiagnosticKind::SecondResponse, self.tag);
            }
        }
        self.turn.report_hidden(&hidden);
        found
    }

    fn outside(&mut self, at: usize) -> Option<Found<'a>> {
        let Text { begin, mut text, plain, open, open_comment, parts, hidden, found } =
            self.read_outside(at);
        self.elements.read(&plain);
        self.elements.begin_piece();
        self.open_comment = open_comment;
        if found.is_some() && text.ends_with('\n') {
            text.truncate(text.len() - if text.ends_with("\r\n") { 2 } else { 1 });
        }
        if self.acted {
            for part in parts {
                self.turn.report(DiagnosticKind::StrayText, part);
            }
        } else if !text.trim_matches(is_white).is_empty() {
            self.parts.extend(parts);
            self.pieces.push((begin, text));
            let joined: usize = self.pieces.iter().map(|(_, text)| text.len() + 1).sum();
            self.spilled |= joined - 1 > MOST_HELD;
            if self.spilled {
                self.answer();
            }
        }
        self.turn.report_hidden(&hidden);
        self.open |= open;
        found
    }

    /// Reads text outside of sections up to a delimiter that counts.
    fn read_outside(&mut self, at: usize) -> Text<'a> {
        let (mut elements, mut ends_value) = (self.elements.clone(), self.ends_value);
        let mut step = BlockStep::Text;
        let text = self.turn.text_with(at, Section::Outside, &mut |plain, tag| {
            elements.read(plain);
            step = block_steps::judge(tag, &mut elements, &mut ends_value);
            step != BlockStep::Text
        });
        (self.elements, self.ends_value, self.step) = (elements, ends_value, step);
        text
    }

    /// Makes the text outside of sections stray.
    pub(super) fn act(&mut self) {
        self.acted = true;
        self.pieces.clear();
        for part in self.parts.drain(..) {
            self.turn.report(DiagnosticKind::StrayText, part);
        }
    }

    /// Makes the text outside of sections the answer.
    fn answer(&mut self) {
        self.parts.clear();
        let begin = self.pieces.first().map_or(0, |(begin, _)| *begin);
        let pieces: Vec<String> = self.pieces.drain(..).map(|(_, text)| text).collect();
        self.turn.say(RESPOND, begin, &pieces.join("\n"));
    }
}
