//! Character references in attributes and titles.
//!
//! This module has the numeric ones and the most frequent names. The references of a text are
//! decoded by the converter to Markdown, which has all of them.

/// Decodes the known references, and keeps others as they are written.
pub(super) fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        decoded.push_str(before);
        match reference_at(reference) {
            Some((char, length)) => {
                decoded.push(char);
                rest = &reference[length..];
            }
            None => {
                decoded.push('&');
                rest = &reference[1..];
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// Returns the character of the reference at the beginning of a text, and the reference's length.
fn reference_at(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_REFERENCE).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let char = match name.strip_prefix('#') {
        Some(number) => {
            let hex = number.strip_prefix(['x', 'X']);
            let code = hex.map_or_else(|| number.parse(), |hex| u32::from_str_radix(hex, 16));
            char::from_u32(code.ok()?).filter(|char| *char != '\0')?
        }
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((char, end + 1))
}

/// The length of the longest reference that is decoded.
const MAX_REFERENCE: usize = 12;

/// The names that titles and URLs use.
const NAMED: [(&str, char); 36] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("middot", '·'),
    ("bull", '•'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
    ("larr", '←'),
    ("rarr", '→'),
    ("times", '×'),
    ("deg", '°'),
    ("sect", '§'),
    ("euro", '€'),
    ("pound", '£'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("szlig", 'ß'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("agrave", 'à'),
];
