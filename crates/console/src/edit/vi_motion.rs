//! The motions of vi: their targets in a line.

use super::line_buffer::LineBuffer;

/// Returns the target of a motion.
pub(super) fn target(motion: char, times: usize, buffer: &mut LineBuffer) -> Option<usize> {
    let before = buffer.at();
    for _ in 0..times {
        let to = match motion {
            'h' => buffer.previous().max(buffer.line_start()),
            'l' | ' ' => buffer.next().min(buffer.line_end()),
            '0' => buffer.line_start(),
            '^' => {
                let start = buffer.line_start();
                let line = &buffer.text()[start..buffer.line_end()];
                start + line.len() - line.trim_start().len()
            }
            '$' => buffer.line_end(),
            'w' => next_word(buffer.text(), buffer.at()),
            'b' => buffer.word_start(false),
            'e' => word_end(buffer.text(), buffer.at()),
            _ => {
                buffer.move_to(before);
                return None;
            }
        };
        buffer.move_to(to);
    }
    let to = buffer.at();
    buffer.move_to(before);
    Some(to)
}

/// The kinds of characters between which words begin.
fn kind(char: char) -> u8 {
    match char {
        char if char.is_whitespace() => 0,
        char if char.is_alphanumeric() || char == '_' => 1,
        _ => 2,
    }
}

/// Returns the beginning of the word after the one at a position.
fn next_word(text: &str, at: usize) -> usize {
    let mut rest = text[at..].char_indices();
    let Some((_, first)) = rest.next() else { return at };
    let mut before = kind(first);
    for (index, char) in rest {
        if kind(char) != before && kind(char) != 0 {
            return at + index;
        }
        before = kind(char);
    }
    text.len()
}

/// Returns the last character of the word at a position, or of the next one.
fn word_end(text: &str, at: usize) -> usize {
    let mut chars = text[at..].char_indices().skip(1).peekable();
    while let Some((index, char)) = chars.next() {
        let follows = chars.peek().map_or(0, |(_, next)| kind(*next));
        if kind(char) != 0 && follows != kind(char) {
            return at + index;
        }
    }
    text.len().saturating_sub(text.chars().next_back().map_or(0, char::len_utf8)).max(at)
}
