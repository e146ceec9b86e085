//! A reader of JSON as models write it.
//!
//! This module has the grammar. It gives up if a text has several readings.

use super::{JsonMend, MendedJson};
use crate::scan::MAX_DEPTH;

/// A reader of lenient JSON, which writes strict JSON.
pub(super) struct JsonMender<'a> {
    rest: &'a str,
    out: String,
    mends: Vec<JsonMend>,
}

impl<'a> JsonMender<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, out: String::with_capacity(text.len() + 16), mends: Vec::new() }
    }

    /// Notes that something is mended.
    pub(super) fn note(&mut self, mend: JsonMend) {
        if !self.mends.contains(&mend) {
            self.mends.push(mend);
        }
    }

    /// Reads the whole text.
    pub(super) fn read(mut self) -> Option<MendedJson> {
        // White space around the object is not a part of it.
        self.rest = self.rest.trim_matches(is_blank);
        self.blanks()?;
        self.object(0)?;
        self.blanks()?;
        let is_whole = self.rest.is_empty();
        is_whole.then_some(MendedJson { json: self.out, mends: self.mends })
    }

    fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips white space and comments. Returns `None` for a comment without an end.
    fn blanks(&mut self) -> Option<()> {
        loop {
            let rest = self.rest.trim_start_matches(is_blank);
            if !self.rest[..self.rest.len() - rest.len()].is_ascii() {
                self.note(JsonMend::Blanks);
            }
            self.rest = rest;
            if rest.starts_with("//") || rest.starts_with('#') {
                self.rest = rest.find('\n').map_or("", |end| &rest[end..]);
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.rest = &comment[comment.find("*/")? + 2..];
            } else {
                return Some(());
            }
            self.note(JsonMend::Comments);
        }
    }

    fn object(&mut self, depth: u8) -> Option<()> {
        if depth == MAX_DEPTH || !self.take('{') {
            return None;
        }
        self.out.push('{');
        self.items('}', |reader| {
            reader.key()?;
            reader.blanks()?;
            if reader.take('：') {
                reader.note(JsonMend::Commas);
            } else if !reader.take(':') {
                return None;
            }
            reader.out.push(':');
            reader.blanks()?;
            reader.value(depth + 1)
        })
    }

    fn array(&mut self, depth: u8) -> Option<()> {
        if depth == MAX_DEPTH || !self.take('[') {
            return None;
        }
        self.out.push('[');
        self.items(']', |reader| reader.value(depth + 1))
    }

    /// Reads items up to a closing bracket.
    fn items(&mut self, end: char, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let mut is_first = true;
        loop {
            self.blanks()?;
            if self.take(end) {
                self.out.push(end);
                return Some(());
            }
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            item(self)?;
            let before = self.rest.len();
            self.blanks()?;
            if self.take('，') {
                self.note(JsonMend::Commas);
            } else if self.take(',') {
                self.blanks()?;
                if self.rest.starts_with(end) {
                    self.note(JsonMend::Commas);
                }
            } else if !self.rest.starts_with(end) {
                // Between two items is something, or they are one that cannot be read.
                if self.rest.len() == before {
                    return None;
                }
                self.note(JsonMend::Commas);
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        if self.rest.starts_with(is_quote) {
            return self.string(|after| after.starts_with([':', '：']));
        }
        let end = self.rest.find(|char: char| !is_word(char) && char != '-')?;
        let word = &self.rest[..end];
        if !word.starts_with(|char: char| is_word(char) && !char.is_ascii_digit()) {
            return None;
        }
        self.out.push('"');
        self.out.push_str(word);
        self.out.push('"');
        self.rest = &self.rest[end..];
        self.note(JsonMend::BareKeys);
        Some(())
    }

    fn value(&mut self, depth: u8) -> Option<()> {
        match self.rest.chars().next()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            char if is_quote(char) => self.string(|after| {
                // After a value comes its end, the next one, or a comment.
                after.is_empty()
                    || after.starts_with([',', '，', '}', ']', '/', '#'])
                    || after.starts_with(is_quote)
            }),
            '+' | '-' | '.' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Option<()> {
        let end = self.rest.find(|char| !is_word(char)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let json = match word {
            "true" | "false" | "null" => word,
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ => return None,
        };
        if json != word {
            self.note(JsonMend::PythonWords);
        }
        self.out.push_str(json);
        self.rest = rest;
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let is_part = |char: char| char.is_ascii_alphanumeric() || "+-._".contains(char);
        let end = self.rest.find(|char| !is_part(char)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        let is_negative = number.starts_with('-');
        let digits = number.trim_start_matches(['+', '-']);
        if number.len() - digits.len() > 1 {
            return None;
        }
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let (fraction, exponent) = match fraction.find(['e', 'E']) {
            Some(at) => fraction.split_at(at),
            None => (fraction, ""),
        };
        let mut json = String::with_capacity(number.len() + 2);
        if is_negative {
            json.push('-');
        }
        json.push_str(if whole.is_empty() && !fraction.is_empty() { "0" } else { whole });
        if !fraction.is_empty() {
            json.push('.');
            json.push_str(fraction);
        }
        json.push_str(exponent);
        // Leading zeros and other bases may mean several numbers.
        serde_json::from_str::<serde_json::Number>(&json).ok()?;
        if json != number {
            self.note(JsonMend::Numbers);
        }
        self.out.push_str(&json);
        self.rest = rest;
        Some(())
    }

    /// Reads a string, after whose closing quote and blanks this has to hold.
    fn string(&mut self, fits: impl Fn(&str) -> bool) -> Option<()> {
        let mut chars = self.rest.char_indices();
        let (_, open) = chars.next()?;
        let close = closing(open);
        if open != '"' {
            self.note(JsonMend::Quotes);
        }
        self.out.push('"');
        // Whether a control character is escaped, and whether a backslash escapes nothing.
        let (mut is_escape, mut is_literal) = (false, false);
        while let Some((at, char)) = chars.next() {
            match char {
                '\\' => match chars.next()?.1 {
                    escaped @ ('"' | '\\' | '/') => self.out.extend(['\\', escaped]),
                    escaped @ ('b' | 'f' | 'n' | 'r' | 't' | 'u') => {
                        let digits = self.rest[at + 2..].bytes().take(4);
                        if escaped == 'u' && digits.filter(u8::is_ascii_hexdigit).count() < 4 {
                            return None;
                        }
                        is_escape = true;
                        self.out.extend(['\\', escaped]);
                    }
                    quote if quote == close => {
                        self.note(JsonMend::Backslashes);
                        self.out.push(quote);
                    }
                    other if other >= ' ' => {
                        is_literal = true;
                        self.note(JsonMend::Backslashes);
                        self.out.extend(['\\', '\\', other]);
                    }
                    _ => return None,
                },
                char if char == close => {
                    self.out.push('"');
                    self.rest = &self.rest[at + char.len_utf8()..];
                    let after = self.rest.trim_start_matches(is_blank);
                    return (fits(after) && !(is_escape && is_literal)).then_some(());
                }
                '"' => self.out.push_str("\\\""),
                char if char < ' ' => {
                    self.note(JsonMend::ControlCharacters);
                    match char {
                        '\n' => self.out.push_str("\\n"),
                        '\r' => self.out.push_str("\\r"),
                        '\t' => self.out.push_str("\\t"),
                        _ => self.out.push_str(&format!("\\u{:04x}", u32::from(char))),
                    }
                }
                char => self.out.push(char),
            }
        }
        None
    }
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n' | '\u{a0}' | '\u{3000}' | '\u{feff}')
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

fn is_quote(char: char) -> bool {
    matches!(char, '"' | '\'' | '“' | '‘')
}

/// Returns the quote that ends a string which this one begins.
const fn closing(open: char) -> char {
    match open {
        '“' => '”',
        '‘' => '’',
        same => same,
    }
}
