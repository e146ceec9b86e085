//! Names that look like another one: accents in one character or two, blanks other than the space,
//! and typographic quotes.
//!
//! People and models write the plain form of a name, while a file has the form that a program gave
//! it. An exact match is never replaced. This module reads folders and decides nothing about them.

use std::ffi::{OsStr, OsString};

use cap_std::fs::Dir;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Returns a name in a folder that looks like a missing name, if there is one.
///
/// # Errors
///
/// Returns the first of several such names, spelled out.
pub(crate) fn lookalike(folder: &Dir, name: &OsStr) -> Result<Option<OsString>, Vec<String>> {
    let Some(wanted) = name.to_str().filter(|name| name.contains(may_differ)) else {
        return Ok(None);
    };
    let wanted = plain(wanted);
    let Ok(entries) = folder.read_dir(".") else { return Ok(None) };
    let names = entries.flatten().take(MAX_COMPARED).map(|entry| entry.file_name());
    let is_alike = |name: &OsString| name.to_str().is_some_and(|name| plain(name) == wanted);
    let mut alike: Vec<_> = names.filter(is_alike).take(MAX_ALIKE).collect();
    if alike.len() > 1 {
        alike.sort();
        return Err(alike.iter().map(|name| spelled_out(&name.to_string_lossy())).collect());
    }
    Ok(alike.pop())
}

/// Returns a name with the characters that are easily taken for others as their numbers.
pub(crate) fn spelled_out(name: &str) -> String {
    let is_special = |char: char| is_combining_mark(char) || plain_char(char) != char;
    let spell = |char: char| match is_special(char) {
        true => char.escape_unicode().to_string(),
        false => char.to_string(),
    };
    name.chars().map(spell).collect()
}

/// Returns whether another character looks like this one.
fn may_differ(char: char) -> bool {
    !char.is_ascii() || matches!(char, ' ' | '\'' | '"')
}

fn plain(name: &str) -> String {
    name.nfc().map(plain_char).collect()
}

/// Returns the plain form of a character.
fn plain_char(char: char) -> char {
    match char {
        char if !char.is_ascii() && char.is_whitespace() => ' ',
        '\u{2018}'..='\u{201b}' | '\u{2bc}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        char => char,
    }
}

/// The number of names of a folder that are compared.
const MAX_COMPARED: usize = 100_000;

/// The maximum number of similar names in a message.
const MAX_ALIKE: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookalike_names_have_one_plain_form() {
        for (one, other, is_alike) in [
            ("Absch\u{e4}tzung", "Abscha\u{308}tzung", true),
            ("at 3.00 PM", "at 3.00\u{202f}PM", true),
            ("a b", "a\u{a0}b", true),
            ("it's", "it\u{2019}s", true),
            ("\"a\"", "\u{201c}a\u{201d}", true),
            ("a b", "a\u{3000}b", true),
            ("ab", "a\u{200b}b", false),
            ("a", "\u{430}", false),
            ("A", "a", false),
            ("a-b", "a\u{2013}b", false),
            ("a", "\u{ff41}", false),
        ] {
            assert_eq!(plain(one) == plain(other), is_alike, "{one} {other}");
        }
        assert_eq!(spelled_out("a\u{a0}b\u{e4}c\u{308}"), "a\\u{a0}b\u{e4}c\\u{308}");
    }
}
