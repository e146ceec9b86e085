//! Keys that come faster than a person types: a text that was pasted at a terminal without bracketed
//! paste.
//!
//! Such a text is one paste if it has several lines. Otherwise its keys count as single keys, like
//! the keys of a program that types a line.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::typed_input::TypedInput;

/// Keys that came at once.
#[derive(Debug, Default)]
pub(super) struct KeyBurst {
    keys: Vec<KeyEvent>,
    line_ends: usize,
}

impl KeyBurst {
    /// Returns whether a key may belong to a pasted text.
    pub(super) fn takes(key: KeyEvent) -> bool {
        let is_plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        let is_text = matches!(key.code, KeyCode::Char(_) | KeyCode::Enter | KeyCode::Tab);
        // A line feed is Ctrl-J.
        is_text && is_plain || is_line_feed(key)
    }

    /// Adds a key.
    pub(super) fn push(&mut self, key: KeyEvent) {
        self.line_ends += usize::from(key.code == KeyCode::Enter || is_line_feed(key));
        self.keys.push(key);
    }

    /// Returns whether more may follow, so that it is worth to wait: a line has ended, and more than line
    /// ends have come, which a key that is held down sends.
    pub(super) fn may_go_on(&self) -> bool {
        self.line_ends > 0 && self.keys.len() > self.line_ends
    }

    /// Returns the input from the keyboard: a paste, or the keys.
    pub(super) fn end(self) -> Vec<TypedInput> {
        if self.line_ends < LINES || self.keys.len() == self.line_ends {
            return self.keys.into_iter().map(TypedInput::Key).collect();
        }
        let char = |key: &KeyEvent| match key.code {
            KeyCode::Char(_) if is_line_feed(*key) => '\n',
            KeyCode::Char(char) => char,
            KeyCode::Tab => '\t',
            _ => '\n',
        };
        vec![TypedInput::Paste(self.keys.iter().map(char).collect())]
    }
}

fn is_line_feed(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('j') && key.modifiers == KeyModifiers::CONTROL
}

/// The number of lines that end at once in a paste.
const LINES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(text: &str) -> Vec<TypedInput> {
        let mut burst = KeyBurst::default();
        for char in text.chars() {
            let key = match char {
                '\r' => KeyCode::Enter.into(),
                '\n' => KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL),
                '\t' => KeyCode::Tab.into(),
                char => KeyCode::Char(char).into(),
            };
            assert!(KeyBurst::takes(key));
            burst.push(key);
        }
        burst.end()
    }

    #[test]
    fn lines_that_come_at_once_are_a_paste() {
        for text in ["/exit\rb\r\tc\r", "/exit\nb\n\tc\n"] {
            let ended = ended(text);
            let [TypedInput::Paste(pasted)] = &ended[..] else { panic!("{ended:?}") };
            assert_eq!(pasted, "/exit\nb\n\tc\n");
        }
    }

    #[test]
    fn typed_bursts_and_held_keys_are_not_pastes() {
        for text in ["hello\r", "one\rtwo\r", "\r\r\r\r", "abc"] {
            assert_eq!(ended(text).len(), text.len(), "{text:?}");
        }
        assert!(!KeyBurst::takes(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
        assert!(!KeyBurst::takes(KeyCode::Esc.into()));
    }
}
