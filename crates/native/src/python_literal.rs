//! Reads literals of Python and writes them as JSON.
//!
//! This module reads strings, numbers, words, lists, tuples and dictionaries. It runs nothing, and
//! it accepts JSON's spellings of true, false and null, because models write both.

use crate::json_text;

/// Returns the arguments of a call, which all have a name, as a JSON object.
pub(crate) fn arguments(text: &str) -> Option<String> {
    let mut reader = LiteralReader { rest: text.trim_start() };
    let mut out = String::with_capacity(text.len() + 8);
    out.push('{');
    while !reader.rest.is_empty() {
        let end = reader.rest.find('=')?;
        let name = reader.rest[..end].trim();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        if out.len() > 1 {
            out.push(',');
        }
        json_text::string(name, &mut out);
        out.push(':');
        reader.skip(end + 1);
        reader.value(&mut out, MAX_DEPTH)?;
        if !reader.rest.is_empty() && !reader.take(',') {
            return None;
        }
    }
    out.push('}');
    Some(out)
}

/// Returns one literal as JSON.
pub(crate) fn literal(text: &str) -> Option<String> {
    let mut reader = LiteralReader { rest: text.trim_start() };
    let mut out = String::with_capacity(text.len() + 8);
    reader.value(&mut out, MAX_DEPTH)?;
    reader.rest.is_empty().then_some(out)
}

/// The rest of a text. Blanks before it are skipped.
struct LiteralReader<'a> {
    rest: &'a str,
}

impl LiteralReader<'_> {
    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }

    fn take(&mut self, character: char) -> bool {
        let is_next = self.rest.starts_with(character);
        if is_next {
            self.skip(character.len_utf8());
        }
        is_next
    }

    fn value(&mut self, out: &mut String, room: u8) -> Option<()> {
        let room = room.checked_sub(1)?;
        match self.rest.chars().next()? {
            '"' | '\'' => self.string(out),
            '[' => self.list(']', out, room),
            '(' => self.list(')', out, room),
            '{' => self.dictionary(out, room),
            '-' | '+' | '.' | '0'..='9' => self.number(out),
            _ => self.word(out),
        }
    }

    fn list(&mut self, close: char, out: &mut String, room: u8) -> Option<()> {
        self.skip(1);
        out.push('[');
        let mut is_first = true;
        while !self.take(close) {
            if !is_first {
                out.push(',');
            }
            is_first = false;
            self.value(out, room)?;
            if !self.take(',') {
                if !self.take(close) {
                    return None;
                }
                break;
            }
        }
        out.push(']');
        Some(())
    }

    fn dictionary(&mut self, out: &mut String, room: u8) -> Option<()> {
        self.skip(1);
        out.push('{');
        let mut is_first = true;
        while !self.take('}') {
            if !is_first {
                out.push(',');
            }
            is_first = false;
            if !self.rest.starts_with(['"', '\'']) {
                return None;
            }
            self.string(out)?;
            if !self.take(':') {
                return None;
            }
            out.push(':');
            self.value(out, room)?;
            if !self.take(',') {
                if !self.take('}') {
                    return None;
                }
                break;
            }
        }
        out.push('}');
        Some(())
    }

    fn word(&mut self, out: &mut String) -> Option<()> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let end = end.unwrap_or(self.rest.len());
        out.push_str(match &self.rest[..end] {
            "True" | "true" => "true",
            "False" | "false" => "false",
            "None" | "null" => "null",
            _ => return None,
        });
        self.skip(end);
        Some(())
    }

    fn number(&mut self, out: &mut String) -> Option<()> {
        let is_part = |c: char| c.is_ascii_digit() || "+-._eE".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let written = self.rest[..end].strip_prefix('+').unwrap_or(&self.rest[..end]);
        let (sign, digits) = match written.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", written),
        };
        let mut number = String::from(sign);
        if digits.starts_with('.') {
            number.push('0');
        }
        number.extend(digits.chars().filter(|c| *c != '_'));
        if number.ends_with('.') {
            number.push('0');
        }
        // The grammar counts, not the range: a number keeps its digits.
        let grammar = number.split(['e', 'E']).next()?;
        if !json_text::is_number(grammar) && !json_text::is_number(&number) {
            return None;
        }
        serde_json::from_str::<&serde_json::value::RawValue>(&number).ok()?;
        out.push_str(&number);
        self.skip(end);
        Some(())
    }

    fn string(&mut self, out: &mut String) -> Option<()> {
        let quote = self.rest.chars().next()?;
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        loop {
            let (at, character) = characters.next()?;
            if character == quote {
                json_text::string(&text, out);
                self.skip(at + 1);
                return Some(());
            }
            if character != '\\' {
                text.push(character);
                continue;
            }
            let (_, escape) = characters.next()?;
            let digits = match escape {
                'n' => {
                    text.push('\n');
                    0
                }
                't' => {
                    text.push('\t');
                    0
                }
                'r' => {
                    text.push('\r');
                    0
                }
                'b' => {
                    text.push('\u{8}');
                    0
                }
                'f' => {
                    text.push('\u{c}');
                    0
                }
                '0' => {
                    text.push('\0');
                    0
                }
                '\\' | '\'' | '"' | '/' => {
                    text.push(escape);
                    0
                }
                '\n' => 0,
                'x' => 2,
                'u' => 4,
                'U' => 8,
                other => {
                    text.push('\\');
                    text.push(other);
                    0
                }
            };
            if digits > 0 {
                let code = self.code(&mut characters, digits)?;
                text.push(self.joined(code, &mut characters)?);
            }
        }
    }

    fn code(
        &self,
        characters: &mut impl Iterator<Item = (usize, char)>,
        digits: usize,
    ) -> Option<u32> {
        let mut code = 0;
        for _ in 0..digits {
            code = code * 16 + characters.next()?.1.to_digit(16)?;
        }
        Some(code)
    }

    /// Returns the character of a code, which may be the first half of a pair.
    fn joined(
        &self,
        code: u32,
        characters: &mut impl Iterator<Item = (usize, char)>,
    ) -> Option<char> {
        if !(0xd800..0xdc00).contains(&code) {
            return char::from_u32(code);
        }
        let is_pair = characters.next()?.1 == '\\' && characters.next()?.1 == 'u';
        let low = self.code(characters, 4).filter(|_| is_pair)?;
        let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((code - 0xd800) << 10) + low)
    }
}

/// The maximum depth of nested containers.
const MAX_DEPTH: u8 = 126;
