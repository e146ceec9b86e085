//! The spelling of names, literals and sets of characters in GBNF.

use crate::char_set::CharSet;

/// Returns the name of a rule without underscores, which GBNF does not allow.
pub(crate) fn rule_name(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Returns a text as a literal.
pub(crate) fn literal(text: &str) -> String {
    let chars = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        _ => escape(char.into()),
    });
    format!("\"{}\"", chars.collect::<String>())
}

/// Returns a set of characters.
pub(crate) fn class(set: &CharSet) -> String {
    if *set == CharSet::all() {
        return ".".to_owned();
    }
    let complement = set.complement();
    let (sign, set) = if set.contains(char::MAX.into()) { ("^", &complement) } else { ("", set) };
    let ranges = set.ranges().iter().map(|&(low, high)| match high - low {
        0 => in_class(low),
        1 => in_class(low) + &in_class(high),
        _ => format!("{}-{}", in_class(low), in_class(high)),
    });
    format!("[{sign}{}]", ranges.collect::<String>())
}

fn in_class(point: u32) -> String {
    match char::from_u32(point) {
        Some(char @ ('\\' | ']' | '[')) => format!("\\{char}"),
        Some('-' | '^') => format!("\\x{point:02X}"),
        _ => escape(point),
    }
}

fn escape(point: u32) -> String {
    match char::from_u32(point) {
        Some('\n') => "\\n".to_owned(),
        Some('\r') => "\\r".to_owned(),
        Some('\t') => "\\t".to_owned(),
        Some(char) if !char.is_control() => char.to_string(),
        _ if point <= 0xFF => format!("\\x{point:02X}"),
        _ if point <= 0xFFFF => format!("\\u{point:04X}"),
        _ => format!("\\U{point:08X}"),
    }
}
