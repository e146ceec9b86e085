//! Delimiters with invisible characters in them or right before them.
//!
//! This module recognizes characters without a width, whatever the delimiters mean.

use silcrow_lex::Delimiter;

use super::AnswerContext;
use super::prose::Prose;

/// Returns the first delimiter of the dialect that would count without such characters: a call
/// before a brace, or any other at the start of a line.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<&'static str> {
    let text = &*prose.prose;
    let may_be_there = INVISIBLE_LEADS.iter().any(|lead| prose.bytes.has(*lead));
    if !may_be_there || !text.contains(is_invisible) {
        return None;
    }
    let dialect = context.options.dialect;
    let last_brace = text.rfind('{').unwrap_or_default();
    text.match_indices(dialect.first_char()).find_map(|(at, _)| {
        let before = &text[..at];
        let line = before.trim_end_matches(|char| char == ' ' || is_invisible(char));
        let begins_line = line.is_empty() || line.ends_with('\n');
        let counts = |(delimiter, literal): &(Delimiter, &'static str)| {
            let is_call = matches!(delimiter, Delimiter::Call | Delimiter::Calls);
            // A tag may have attributes.
            let is_hidden = hides(&text[at..], literal.trim_end_matches('>'));
            is_hidden.is_some_and(|is_within| {
                (is_within || before.ends_with(is_invisible))
                    && (begins_line || (is_call && at < last_brace))
            })
        };
        dialect.delimiters().find(counts).map(|(_, literal)| literal)
    })
}

/// Returns whether a text begins with a literal that contains invisible characters, or `None` if it
/// does not begin with the literal.
fn hides(text: &str, literal: &str) -> Option<bool> {
    let mut chars = text.chars();
    let mut is_within = false;
    for expected in literal.chars() {
        let mut char = chars.next()?;
        while is_invisible(char) {
            is_within = true;
            char = chars.next()?;
        }
        if char != expected {
            return None;
        }
    }
    Some(is_within)
}

fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// The first bytes of these characters.
const INVISIBLE_LEADS: [u8; 3] = [0xc2, 0xe2, 0xef];
