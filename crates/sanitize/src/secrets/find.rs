//! A search for pieces of secrets in other forms: in other case, broken by white space, cut short,
//! or escaped.

use std::collections::HashSet;
use std::ops::Range;

/// Every run of [`LEAST`] characters of some secrets. A text that contains such a run, in any of
/// the forms above, contains a piece of a secret.
#[derive(Clone, Default)]
pub(crate) struct SecretRuns(HashSet<u64>);

impl SecretRuns {
    /// Adds the runs of a secret. A secret without [`LEAST`] ASCII characters in a row has none.
    pub(crate) fn add(&mut self, secret: &str) {
        let units = secret.char_indices().map(DecodedChar::from);
        each_run(units, |run, _| {
            self.0.insert(run);
        });
    }

    /// Emits the places of the runs in the text, in no order; they may overlap.
    pub(crate) fn find(&self, text: &str, mut emit: impl FnMut(Range<usize>)) {
        if self.0.is_empty() {
            return;
        }
        let mut take = |run, place| {
            if self.0.contains(&run) {
                emit(place);
            }
        };
        each_run(text.char_indices().map(DecodedChar::from), &mut take);
        if !text.contains(['%', '\\', '&']) {
            return;
        }
        // Escapes may be nested.
        let mut units: Vec<_> = text.char_indices().map(DecodedChar::from).collect();
        for _ in 0..LAYERS {
            let decoded = unescape(&units);
            if decoded.len() == units.len() {
                return;
            }
            units = decoded;
            each_run(units.iter().copied(), &mut take);
        }
    }
}

/// A decoded character, and the bytes of the text that encode it.
#[derive(Clone, Copy)]
struct DecodedChar {
    char: char,
    start: usize,
    end: usize,
}

impl From<(usize, char)> for DecodedChar {
    fn from((start, char): (usize, char)) -> Self {
        Self { char, start, end: start + char.len_utf8() }
    }
}

/// Calls `take` with every run of [`LEAST`] ASCII characters in lower case, one byte each, and its
/// place. Invisible characters are left out.
fn each_run(units: impl Iterator<Item = DecodedChar>, mut take: impl FnMut(u64, Range<usize>)) {
    let (mut run, mut count, mut starts) = (0, 0, [0; LEAST]);
    for DecodedChar { char, start, end } in units {
        if is_unseen(char) {
            continue;
        }
        if !char.is_ascii() {
            count = 0;
            continue;
        }
        run = run << 8 | u64::from(char.to_ascii_lowercase() as u8);
        starts[count % LEAST] = start;
        count += 1;
        if count >= LEAST {
            take(run, starts[count % LEAST]..end);
        }
    }
}

fn is_unseen(char: char) -> bool {
    let has_no_width = matches!(char, '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}');
    char.is_whitespace() || char.is_control() || has_no_width
}

/// Undoes one layer of percent-encoding, of backslashes and of character references.
fn unescape(units: &[DecodedChar]) -> Vec<DecodedChar> {
    let mut decoded = Vec::with_capacity(units.len());
    let mut rest = units;
    while let [first, after @ ..] = rest {
        let (char, length) = match first.char {
            '%' => number(after, 2, 16).map(|char| (char, 3)),
            '\\' => backslash(after).map(|(char, length)| (char, length + 1)),
            '&' => reference(after).map(|(char, length)| (char, length + 1)),
            _ => None,
        }
        .unwrap_or((first.char, 1));
        decoded.push(DecodedChar { char, start: first.start, end: rest[length - 1].end });
        rest = &rest[length..];
    }
    decoded
}

/// Decodes the text after a backslash: `n`, `u0073`, `x73`, or the character itself.
fn backslash(after: &[DecodedChar]) -> Option<(char, usize)> {
    match after.first()?.char {
        'n' | 'r' | 't' => Some((' ', 1)),
        'u' => number(&after[1..], 4, 16).map(|char| (char, 5)),
        'x' => number(&after[1..], 2, 16).map(|char| (char, 3)),
        char if char.is_ascii_alphanumeric() => None,
        char => Some((char, 1)),
    }
}

/// Decodes the text after an ampersand: `#115;`, `#x73;` or `amp;`.
fn reference(after: &[DecodedChar]) -> Option<(char, usize)> {
    let end = after.iter().take(REFERENCE).position(|unit| unit.char == ';')?;
    let name: String = after[..end].iter().map(|unit| unit.char.to_ascii_lowercase()).collect();
    let code = match name.strip_prefix('#') {
        Some(code) => match code.strip_prefix('x') {
            Some(code) => u32::from_str_radix(code, 16).ok()?,
            None => code.parse().ok()?,
        },
        None => NAMED.iter().find(|(named, _)| *named == name).map(|(_, char)| *char as u32)?,
    };
    Some((char::from_u32(code)?, end + 1))
}

/// Returns the character whose code is the first `count` digits.
fn number(digits: &[DecodedChar], count: usize, radix: u32) -> Option<char> {
    let code = digits
        .get(..count)?
        .iter()
        .try_fold(0, |code, unit| unit.char.to_digit(radix).map(|digit| code * radix + digit));
    char::from_u32(code?)
}

/// The minimum number of characters of a piece of a secret; they fit into a `u64`.
pub(crate) const LEAST: usize = 8;

/// The number of nested layers of escapes that are undone.
const LAYERS: usize = 4;

/// The maximum number of characters of a character reference.
const REFERENCE: usize = 10;

const NAMED: [(&str, char); 5] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];

#[cfg(test)]
mod tests;
