//! An answer of the terminal about its background that comes too late, and that would be mistaken
//! for keys: Alt-`]`, `11;rgb:`, a colour, and an end.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Leaves out the keys of a late answer.
#[derive(Debug, Default)]
pub(super) struct LateAnswer {
    /// The number of keys of an answer that were left out; 0 outside of one.
    taken: usize,
}

impl LateAnswer {
    /// Returns whether a key belongs to an answer.
    pub(super) fn takes(&mut self, key: KeyEvent) -> bool {
        let is_alt = key.modifiers == KeyModifiers::ALT;
        let KeyCode::Char(char) = key.code else {
            self.taken = 0;
            return false;
        };
        let belongs = match self.taken {
            0 => is_alt && char == ']',
            taken if taken <= BEGIN.len() => BEGIN[taken - 1] == char,
            LONGEST.. => false,
            _ if is_end(key, char) => {
                self.taken = 0;
                return true;
            }
            _ => char == '/' || char.is_ascii_hexdigit(),
        };
        self.taken = if belongs { self.taken + 1 } else { 0 };
        belongs
    }
}

fn is_end(key: KeyEvent, char: char) -> bool {
    key.modifiers == KeyModifiers::ALT && char == '\\'
        || key.modifiers == KeyModifiers::CONTROL && char == 'g'
}

/// The characters after the first key.
const BEGIN: [char; 7] = ['1', '1', ';', 'r', 'g', 'b', ':'];

/// The number of keys of an answer.
const LONGEST: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    fn left(keys: &[KeyEvent]) -> String {
        let mut late = LateAnswer::default();
        let typed = keys.iter().filter(|key| !late.takes(**key));
        typed.filter_map(|key| key.code.as_char()).collect()
    }

    fn keys(text: &str) -> Vec<KeyEvent> {
        text.chars().map(|char| KeyCode::Char(char).into()).collect()
    }

    #[test]
    fn only_late_terminal_replies_are_dropped() {
        let alt = |char| KeyEvent::new(KeyCode::Char(char), KeyModifiers::ALT);
        let bell = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL);
        let color = keys("11;rgb:1e1e/1e1e/1e1e");
        let answer = |end| [&keys("a")[..], &[alt(']')], &color, &[end], &keys("bc")].concat();
        assert_eq!(left(&answer(alt('\\'))), "abc");
        assert_eq!(left(&answer(bell)), "abc");
        assert_eq!(left(&[&[alt(']')][..], &keys("word")].concat()), "word");
        assert_eq!(left(&keys("11;rgb:1e")), "11;rgb:1e");
    }
}
