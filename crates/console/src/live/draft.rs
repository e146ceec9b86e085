//! The text that the person types while the agent works.
//!
//! This is one line that can be corrected at its end, with line breaks where they were pasted or
//! asked for. A whole editor takes over when the agent is done.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use silcrow_term::{Line, Style, TextRole};

use super::signs::LineSigns;

/// A text that is being typed.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    /// Whether Esc was pressed, so that a second one clears the text.
    is_clearing: bool,
}

impl Draft {
    /// Takes a key. Returns the text once it is sent, which is never blank.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<String> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let was_clearing = std::mem::take(&mut self.is_clearing);
        match key.code {
            KeyCode::Esc if was_clearing => self.text.clear(),
            KeyCode::Esc => self.is_clearing = !self.text.is_empty(),
            KeyCode::Enter if alt || key.modifiers.contains(KeyModifiers::SHIFT) => {
                self.text.push('\n');
            }
            KeyCode::Enter if self.text.ends_with('\\') => {
                self.text.pop();
                self.text.push('\n');
            }
            KeyCode::Enter if self.text.trim().is_empty() => self.text.clear(),
            KeyCode::Enter => return Some(std::mem::take(&mut self.text)),
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char('j') if control => self.text.push('\n'),
            KeyCode::Char('u') if control => self.text.clear(),
            KeyCode::Char('w') if control => {
                let kept = self.text.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.text.truncate(kept);
            }
            KeyCode::Char(char) if !control && !alt => self.text.push(char),
            _ => {}
        }
        None
    }

    /// Returns whether nothing is typed.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes a text that was pasted.
    pub(super) fn paste(&mut self, text: &str) {
        self.text.push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
    }

    /// Removes and returns the text.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Returns the row that shows the end of the text, or `None` for an empty text.
    pub(super) fn row(&self, signs: &LineSigns, columns: usize) -> Option<Line> {
        if self.text.is_empty() {
            return None;
        }
        let sign =
            Line::styled(signs.prompt, Style::new(TextRole::Accent)).with_text(" ", Style::PLAIN);
        let text = self.text.replace('\n', "⏎");
        let hint = if self.is_clearing { CLEARS } else { "" };
        let room = columns.saturating_sub(sign.width() + 2 + hint.len());
        // Twice as many characters as there are columns: some have none.
        let start = text.char_indices().rev().nth(2 * room).map_or(0, |(at, _)| at);
        let mut tail = &text[start..];
        while Line::styled(tail, Style::PLAIN).width() > room {
            let mut chars = tail.chars();
            chars.next();
            tail = chars.as_str();
        }
        Some(sign.with_text(tail, Style::PLAIN).with_text(hint, Style::PLAIN.dim()))
    }
}

/// The hint on a text that a second Esc would clear.
const CLEARS: &str = "  Esc again clears";

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(draft: &mut Draft, text: &str) {
        for char in text.chars() {
            assert_eq!(draft.key(KeyCode::Char(char).into()), None);
        }
    }

    #[test]
    fn line_is_typed_corrected_and_sent() {
        let mut draft = Draft::default();
        assert_eq!(draft.key(KeyCode::Enter.into()), None, "nothing is sent");
        typed(&mut draft, "use b.txx");
        draft.key(KeyCode::Backspace.into());
        typed(&mut draft, "t\\");
        assert_eq!(draft.key(KeyCode::Enter.into()), None, "the line continues");
        typed(&mut draft, "not a.txt");
        draft.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        draft.paste("c\r\nd");
        assert_eq!(draft.key(KeyCode::Enter.into()).as_deref(), Some("use b.txt\nnot c\nd"));
        assert_eq!(draft.take(), "");
    }

    #[test]
    fn second_esc_clears_the_text() {
        let mut draft = Draft::default();
        typed(&mut draft, "wait");
        draft.key(KeyCode::Esc.into());
        typed(&mut draft, "!");
        draft.key(KeyCode::Esc.into());
        assert_eq!(draft.text, "wait!");
        draft.key(KeyCode::Esc.into());
        assert_eq!(draft.text, "");
    }

    #[test]
    fn long_draft_shows_its_end() {
        let mut draft = Draft::default();
        assert_eq!(draft.row(&LineSigns::of_locale(), 20), None);
        draft.paste("one two three four 東京東京\x1b[2J");
        draft.key(KeyCode::Esc.into());
        for columns in 0..60 {
            let row = draft.row(&LineSigns::of_locale(), columns).unwrap();
            assert!(row.width() <= columns.max(CLEARS.len() + 4), "{columns} {row}");
            assert!(!row.text().contains('\x1b'));
        }
    }
}
