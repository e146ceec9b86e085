//! The part of a text that no continuation can change.
//!
//! This module decides what may open an inline style, and is careful: it may take settled text for
//! unsettled, and not the reverse.

use pulldown_cmark::{Event, Tag};

use crate::inline::{LEAD, parse_text};

/// Returns the last place between two words of a text that begins with [`LEAD`], up to which its
/// style is settled: no style is open there, and nothing before could still open one.
pub(crate) fn settled(source: &str) -> Option<usize> {
    let mut last = None;
    let mut depth = 0_usize;
    let mut brackets = 0_usize;
    for (event, range) in parse_text(source).into_offset_iter() {
        match event {
            // A span of code wins over a link that it overlaps.
            Event::Start(
                Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. },
            ) if dest_url.contains('`') || title.contains('`') => {
                return last;
            }
            Event::Start(Tag::Paragraph) => {}
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::SoftBreak if depth == 0 && brackets == 0 => last = Some(range.start),
            Event::Text(_) => {
                let before = &source[..range.start];
                let is_escaped = before.ends_with('\\');
                for (index, char) in source[range.clone()].char_indices() {
                    let at = range.start + index;
                    match char {
                        ' ' if depth == 0 && brackets == 0 && at >= LEAD.len() => last = Some(at),
                        _ if index == 0 && is_escaped => {}
                        '[' => brackets += 1,
                        ']' if source[at + 1..].starts_with('(') => return last,
                        ']' => brackets = brackets.saturating_sub(1),
                        _ if may_open(char, &source[..at], &source[at + char.len_utf8()..]) => {
                            return last;
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    last
}

/// Returns whether a character that was read as text may become the beginning of a style.
fn may_open(char: char, before: &str, after: &str) -> bool {
    let is_before_space = after.chars().next().is_none_or(char::is_whitespace);
    match char {
        '`' => true,
        '*' | '~' | '<' => !is_before_space,
        '_' => !is_before_space && !before.ends_with(char::is_alphanumeric),
        _ => false,
    }
}
