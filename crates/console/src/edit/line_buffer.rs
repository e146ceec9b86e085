//! The text of a line that is typed, with a cursor.
//!
//! A pasted text of many lines is one element, which the cursor skips and Backspace removes as a
//! whole.

use unicode_segmentation::UnicodeSegmentation as _;

/// A text with a cursor.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    /// The text, in which a character of a private range stands for each element.
    text: String,
    /// The position of the cursor, in bytes.
    at: usize,
    /// The texts of the elements.
    pastes: Vec<String>,
    /// The text that was cut last.
    cut: String,
    /// The texts before the last changes, with their cursors.
    before: Vec<(String, usize)>,
    /// Whether the last change was a typed character, so that a word is taken back at once.
    is_typing: bool,
}

impl LineBuffer {
    /// Returns the text with its elements as the characters that stand for them.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the position of the cursor, in bytes of [`text`](Self::text).
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text as it is sent.
    pub(super) fn whole(&self) -> String {
        let mut whole = String::new();
        for char in self.text.chars() {
            match self.paste(char) {
                Some((_, text)) => whole.push_str(text),
                None => whole.push(char),
            }
        }
        whole
    }

    /// Returns the label of an element: its number and its size.
    pub(super) fn label(&self, char: char) -> Option<String> {
        let (number, text) = self.paste(char)?;
        Some(match text.lines().count() {
            1 => format!("[paste {number}: {} characters]", text.chars().count()),
            lines => format!("[paste {number}: {lines} lines]"),
        })
    }

    fn paste(&self, char: char) -> Option<(usize, &str)> {
        let index = (u32::from(char)).checked_sub(FIRST)? as usize;
        self.pastes.get(index).map(|text| (index + 1, &**text))
    }

    /// Replaces everything, and puts the cursor at the end.
    pub(super) fn set(&mut self, text: &str) {
        self.remember(false);
        self.text = clean(text);
        self.at = self.text.len();
    }

    /// Replaces the text between two positions.
    pub(super) fn replace(&mut self, start: usize, end: usize, text: &str) {
        self.remember(false);
        self.text.replace_range(start..end, text);
        self.at = start + text.len();
    }

    /// Types a character.
    pub(super) fn type_char(&mut self, char: char) {
        self.remember(!char.is_whitespace());
        let typed = clean(char.encode_utf8(&mut [0; 4]));
        self.text.insert_str(self.at, &typed);
        self.at += typed.len();
    }

    /// Takes a pasted text: a long one as an element.
    pub(super) fn paste_text(&mut self, text: &str) {
        self.remember(false);
        let text = clean(&text.replace("\r\n", "\n").replace('\r', "\n"));
        let is_long = text.lines().count() > MOST_LINES || text.len() > MOST_BYTES;
        let element = char::from_u32(FIRST + u32::try_from(self.pastes.len()).unwrap_or(u32::MAX));
        let inserted = match element.filter(|_| is_long) {
            Some(element) => {
                self.pastes.push(text);
                element.to_string()
            }
            None => text,
        };
        self.text.insert_str(self.at, &inserted);
        self.at += inserted.len();
    }

    /// Takes back the last change. Returns whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let Some((text, at)) = self.before.pop() else { return false };
        (self.text, self.at, self.is_typing) = (text, at, false);
        true
    }

    pub(super) fn backspace(&mut self) {
        let start = self.previous();
        self.remove(start, self.at);
    }

    pub(super) fn delete(&mut self) {
        let end = self.next();
        self.remove(self.at, end);
    }

    /// Cuts from the cursor to a position.
    pub(super) fn cut_to(&mut self, to: usize) {
        let (start, end) = (self.at.min(to), self.at.max(to));
        if start < end {
            self.cut = self.text[start..end].to_owned();
            self.remove(start, end);
        }
    }

    /// Inserts the text that was cut last.
    pub(super) fn insert_cut(&mut self) {
        let (at, cut) = (self.at, self.cut.clone());
        self.replace(at, at, &cut);
    }

    pub(super) fn move_to(&mut self, at: usize) {
        self.at = at;
        self.is_typing = false;
    }

    /// Returns the position before the character that ends at the cursor.
    pub(super) fn previous(&self) -> usize {
        let last = self.text[..self.at].graphemes(true).next_back();
        self.at - last.map_or(0, str::len)
    }

    /// Returns the position after the character that begins at the cursor.
    pub(super) fn next(&self) -> usize {
        let first = self.text[self.at..].graphemes(true).next();
        self.at + first.map_or(0, str::len)
    }

    /// Returns the beginning of the word before the cursor. Blanks alone may separate words, as a shell has
    /// it for Ctrl-W.
    pub(super) fn word_start(&self, by_blanks: bool) -> usize {
        let is_word = |char: &char| belongs_to_word(*char, by_blanks);
        let before = &self.text[..self.at];
        let bare = before.trim_end_matches(|char| !is_word(&char));
        bare.trim_end_matches(|char| is_word(&char)).len()
    }

    /// Returns the end of the word after the cursor.
    pub(super) fn word_end(&self) -> usize {
        let after = &self.text[self.at..];
        let bare = after.trim_start_matches(|char| !belongs_to_word(char, false));
        let rest = bare.trim_start_matches(|char| belongs_to_word(char, false));
        self.text.len() - rest.len()
    }

    /// Returns the beginning of the line of the cursor.
    pub(super) fn line_start(&self) -> usize {
        self.text[..self.at].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Returns the end of the line of the cursor.
    pub(super) fn line_end(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |at| self.at + at)
    }

    /// Returns the same column in the line above, if there is one.
    pub(super) fn above(&self) -> Option<usize> {
        let end = self.line_start().checked_sub(1)?;
        let start = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
        Some(self.column_in(start, end))
    }

    /// Returns the same column in the line below, if there is one.
    pub(super) fn below(&self) -> Option<usize> {
        let start = self.line_end() + 1;
        let rest = self.text.get(start..)?;
        let end = rest.find('\n').map_or(self.text.len(), |at| start + at);
        Some(self.column_in(start, end))
    }

    fn column_in(&self, start: usize, end: usize) -> usize {
        let column = self.text[self.line_start()..self.at].graphemes(true).count();
        let line = self.text[start..end].graphemes(true);
        start + line.take(column).map(str::len).sum::<usize>()
    }

    fn remove(&mut self, start: usize, end: usize) {
        if start < end {
            self.remember(false);
            self.text.replace_range(start..end, "");
            self.at = start;
        }
    }

    /// Keeps the text before a change. Characters of one word are one change.
    fn remember(&mut self, is_typing: bool) {
        if !(is_typing && self.is_typing) {
            self.before.push((self.text.clone(), self.at));
            let surplus = self.before.len().saturating_sub(MOST_CHANGES);
            self.before.drain(..surplus);
        }
        self.is_typing = is_typing;
    }
}

fn belongs_to_word(char: char, by_blanks: bool) -> bool {
    if by_blanks { !char.is_whitespace() } else { char.is_alphanumeric() }
}

/// Returns a text without the characters that stand for elements, and without control characters
/// except line breaks and tabs.
fn clean(text: &str) -> String {
    let is_kept = |char: &char| matches!(char, '\n' | '\t') || !char.is_control();
    text.chars().filter(|char| is_kept(char) && u32::from(*char) < FIRST).collect()
}

/// The first character that stands for an element: a range for private use, up to the last character.
const FIRST: u32 = 0xf_0000;

/// The number of lines of a pasted text that is not folded.
const MOST_LINES: usize = 6;

/// The number of bytes of a pasted text that is not folded.
const MOST_BYTES: usize = 800;

/// The number of changes that can be taken back.
const MOST_CHANGES: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> LineBuffer {
        let mut buffer = LineBuffer::default();
        text.chars().for_each(|char| buffer.type_char(char));
        buffer
    }

    #[test]
    fn long_paste_is_one_element_sent_complete() {
        let mut buffer = typed("see ");
        let text = "one\r\ntwo\r".repeat(4);
        buffer.paste_text(&text);
        buffer.type_char('.');
        let sent = format!("see {}.", "one\ntwo\n".repeat(4));
        assert_eq!(buffer.whole(), sent);
        let element = buffer.text().chars().nth(4).unwrap();
        assert_eq!(buffer.label(element).as_deref(), Some("[paste 1: 8 lines]"));
        assert_eq!(buffer.label('x'), None);
        buffer.backspace();
        buffer.backspace();
        assert_eq!(buffer.whole(), "see ", "the element is gone as a whole");
        assert!(buffer.undo());
        assert_eq!(buffer.whole(), sent[..sent.len() - 1]);
    }

    #[test]
    fn short_paste_loses_control_characters() {
        let mut buffer = LineBuffer::default();
        buffer.paste_text("a\x1b[2J\tb\u{f0000}\u{85}\nc");
        assert_eq!(buffer.text(), "a[2J\tb\nc");
    }

    #[test]
    fn words_and_lines_are_found() {
        let mut buffer = typed("cargo test -p a.b\nsecond");
        assert_eq!(buffer.above(), Some("cargo ".len()));
        buffer.move_to("cargo test -p a.b".len());
        assert_eq!(buffer.word_start(true), "cargo test -p ".len());
        assert_eq!(buffer.word_start(false), "cargo test -p a.".len());
        assert_eq!(buffer.below(), Some(buffer.text().len()));
        buffer.move_to(0);
        assert_eq!((buffer.word_end(), buffer.line_end()), (5, 17));
        buffer.cut_to(buffer.word_end());
        buffer.move_to(buffer.line_end());
        buffer.insert_cut();
        assert_eq!(buffer.text(), " test -p a.bcargo\nsecond");
    }

    #[test]
    fn undo_removes_a_whole_word() {
        let mut buffer = typed("one two");
        assert!(buffer.undo());
        assert_eq!(buffer.text(), "one ");
        buffer.set("another");
        assert!(buffer.undo() && buffer.undo() && buffer.undo());
        assert_eq!(buffer.text(), "");
        assert!(!buffer.undo());
    }

    #[test]
    fn cursor_moves_by_grapheme() {
        let mut buffer = typed("e\u{301}👩‍💻");
        buffer.backspace();
        assert_eq!(buffer.text(), "e\u{301}");
        buffer.move_to(0);
        assert_eq!(buffer.next(), "e\u{301}".len());
    }
}
