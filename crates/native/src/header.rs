//! Reads the text between the mark of a call and its JSON: the name, perhaps an id, and marks.
//!
//! This module matches patterns, all at once, without JSON.

use std::ops::Range;

/// A part of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeaderPart {
    /// This text.
    Text(&'static str),
    /// Any number of blanks.
    Blanks,
    /// The name of the tool.
    Name,
    /// The id of the call.
    Id,
    /// An id that holds the name: `functions.NAME:N`.
    NameInId,
}

/// A pattern of a header.
pub(crate) type HeaderPattern = &'static [HeaderPart];

/// The state of all patterns beside each other.
#[derive(Debug, Default)]
pub(crate) struct HeaderReader {
    text: String,
    cursors: Vec<HeaderCursor>,
}

/// The contents of a complete header.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CallHeader {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
}

/// The state of a header after a character.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeaderStep {
    More,
    /// A pattern was complete before the character.
    Complete(CallHeader),
    /// No pattern fits.
    Refuted,
}

#[derive(Clone, Debug)]
struct HeaderCursor {
    pattern: HeaderPattern,
    part: usize,
    /// The position in the text of the part.
    at: usize,
    name: Range<usize>,
    id: Range<usize>,
}

impl HeaderReader {
    pub(crate) fn new(patterns: &[HeaderPattern]) -> Self {
        let cursor = |pattern: &HeaderPattern| HeaderCursor {
            pattern,
            part: 0,
            at: 0,
            name: 0..0,
            id: 0..0,
        };
        Self { text: String::new(), cursors: patterns.iter().map(cursor).collect() }
    }

    pub(crate) fn push(&mut self, character: char) -> HeaderStep {
        let at = self.text.len();
        let text = &self.text;
        let mut complete = None;
        self.cursors.retain_mut(|cursor| match cursor.step(character, at) {
            CursorStep::Taken => true,
            CursorStep::Dead => false,
            CursorStep::Complete => {
                complete.get_or_insert_with(|| cursor.header(text));
                false
            }
        });
        // A longer pattern that continues counts more than one that is complete.
        if let Some(header) = complete.filter(|_| self.cursors.is_empty()) {
            return HeaderStep::Complete(header);
        }
        self.text.push(character);
        if self.cursors.is_empty() || self.text.len() > MAX_HEADER {
            return HeaderStep::Refuted;
        }
        HeaderStep::More
    }

    /// Returns the name so far.
    pub(crate) fn name(&self) -> String {
        self.cursors.first().map_or_else(String::new, |cursor| cursor.header(&self.text).name)
    }
}

enum CursorStep {
    Taken,
    Complete,
    Dead,
}

impl HeaderCursor {
    fn step(&mut self, character: char, position: usize) -> CursorStep {
        loop {
            let Some(part) = self.pattern.get(self.part) else { return CursorStep::Complete };
            match part {
                HeaderPart::Text(text) => {
                    if !text[self.at..].starts_with(character) {
                        return CursorStep::Dead;
                    }
                    self.at += character.len_utf8();
                    if self.at == text.len() {
                        (self.part, self.at) = (self.part + 1, 0);
                    }
                    return CursorStep::Taken;
                }
                HeaderPart::Blanks if character.is_whitespace() => return CursorStep::Taken,
                HeaderPart::Blanks => self.part += 1,
                HeaderPart::Name | HeaderPart::Id | HeaderPart::NameInId => {
                    let is_name = matches!(part, HeaderPart::Name);
                    let range = if is_name { &mut self.name } else { &mut self.id };
                    if is_name_part(character) {
                        if range.start == range.end {
                            range.start = position;
                        }
                        range.end = position + character.len_utf8();
                        return CursorStep::Taken;
                    }
                    if range.start == range.end {
                        return CursorStep::Dead;
                    }
                    self.part += 1;
                }
            }
        }
    }

    fn header(&self, text: &str) -> CallHeader {
        let id = Some(&text[self.id.clone()]).filter(|id| !id.is_empty());
        let has_name_in_id = self.pattern.iter().any(|part| matches!(part, HeaderPart::NameInId));
        let name =
            if has_name_in_id { name_in(id.unwrap_or_default()) } else { &text[self.name.clone()] };
        CallHeader { name: name.to_owned(), id: id.map(str::to_owned) }
    }
}

/// Returns the name in an id of the form `functions.NAME:N`.
fn name_in(id: &str) -> &str {
    let id = id.strip_prefix("functions.").unwrap_or(id);
    match id.rsplit_once(':') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => id,
    }
}

/// Returns whether a character may be in the name of a tool, outside of quotes.
pub(crate) fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || "_-.:/$@#".contains(character)
}

const MAX_HEADER: usize = 512;
