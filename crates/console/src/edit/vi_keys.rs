//! The keys of vi in a line that is typed: insert mode, in which keys are the usual ones, and
//! normal mode.
//!
//! Normal mode has counts, motions (`h l 0 ^ $ w b e j k`), the operators `d`, `c` and `y` before a
//! motion or twice for the line, and `x X D C S s r ~ p P u i a I A o O`. Registers, search within
//! the line and repetition are not supported.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::line_buffer::LineBuffer;
use super::vi_motion::target;

/// The state of the keys.
#[derive(Debug, Default)]
pub(super) struct ViKeys {
    /// Whether keys are commands.
    is_normal: bool,
    count: usize,
    /// The operator, or `r`, that waits for the next key.
    waits: Option<char>,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViStep {
    /// It is one of the usual keys.
    Usual,
    /// It is done.
    Done,
    /// The line above, or the previous line in the history.
    Up,
    /// The line below, or the next line in the history.
    Down,
}

impl ViKeys {
    /// Returns whether keys are commands.
    pub(super) const fn is_normal(&self) -> bool {
        self.is_normal
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent, buffer: &mut LineBuffer) -> ViStep {
        if !self.is_normal {
            if key.code != KeyCode::Esc || buffer.is_empty() {
                return ViStep::Usual;
            }
            self.is_normal = true;
            if buffer.at() > buffer.line_start() {
                buffer.move_to(buffer.previous());
            }
            return ViStep::Done;
        }
        let is_plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        let char = match key.code {
            KeyCode::Char(char) if is_plain => char,
            KeyCode::Esc if self.waits.is_some() || self.count > 0 => {
                self.settle();
                return ViStep::Done;
            }
            KeyCode::Backspace => {
                buffer.move_to(buffer.previous());
                return ViStep::Done;
            }
            KeyCode::Enter => {
                self.is_normal = false;
                self.settle();
                return ViStep::Usual;
            }
            _ => return ViStep::Usual,
        };
        match (self.waits, char) {
            (Some('r'), char) => {
                let end = buffer.next();
                let start = buffer.at();
                if end > start {
                    buffer.replace(start, end, char.encode_utf8(&mut [0; 4]));
                    buffer.move_to(start);
                }
                self.settle();
                return ViStep::Done;
            }
            (_, '0') if self.count == 0 => {}
            (_, '0'..='9') => {
                let digit = char.to_digit(10).unwrap_or_default() as usize;
                self.count = (self.count * 10 + digit).min(MOST_TIMES);
                return ViStep::Done;
            }
            (Some(operator), char) => {
                self.operate(operator, char, buffer);
                self.settle();
                return ViStep::Done;
            }
            (None, _) => {}
        }
        let times = self.count.max(1);
        let step = self.command(char, times, buffer);
        if self.waits.is_none() {
            self.count = 0;
        }
        step
    }

    fn settle(&mut self) {
        (self.count, self.waits) = (0, None);
    }

    fn insert_at(&mut self, at: usize, buffer: &mut LineBuffer) {
        buffer.move_to(at);
        self.is_normal = false;
    }

    fn command(&mut self, char: char, times: usize, buffer: &mut LineBuffer) -> ViStep {
        match char {
            'i' => self.insert_at(buffer.at(), buffer),
            'a' => self.insert_at(buffer.next().min(buffer.line_end()), buffer),
            'I' => self.insert_at(buffer.line_start(), buffer),
            'A' => self.insert_at(buffer.line_end(), buffer),
            'o' => {
                buffer.move_to(buffer.line_end());
                buffer.type_char('\n');
                self.is_normal = false;
            }
            'O' => {
                let start = buffer.line_start();
                buffer.replace(start, start, "\n");
                self.insert_at(start, buffer);
            }
            'x' => (0..times).for_each(|_| buffer.cut_to(buffer.next().min(buffer.line_end()))),
            'X' => {
                (0..times).for_each(|_| buffer.cut_to(buffer.previous().max(buffer.line_start())))
            }
            's' => {
                (0..times).for_each(|_| buffer.cut_to(buffer.next().min(buffer.line_end())));
                self.is_normal = false;
            }
            'D' => buffer.cut_to(buffer.line_end()),
            'C' => {
                buffer.cut_to(buffer.line_end());
                self.is_normal = false;
            }
            'S' => self.operate('c', 'c', buffer),
            'p' => {
                buffer.move_to(buffer.next());
                (0..times).for_each(|_| buffer.insert_cut());
            }
            'P' => (0..times).for_each(|_| buffer.insert_cut()),
            'u' => (0..times).for_each(|_| {
                buffer.undo();
            }),
            '~' => (0..times).for_each(|_| swap_case(buffer)),
            'd' | 'c' | 'y' | 'r' => self.waits = Some(char),
            'k' => return ViStep::Up,
            'j' => return ViStep::Down,
            '?' if buffer.is_empty() => return ViStep::Usual,
            motion => {
                if let Some(to) = target(motion, times, buffer) {
                    buffer.move_to(to);
                }
            }
        }
        ViStep::Done
    }

    fn operate(&mut self, operator: char, motion: char, buffer: &mut LineBuffer) {
        let before = buffer.at();
        let times = self.count.max(1);
        let to = if motion == operator {
            buffer.move_to(buffer.line_start());
            Some(buffer.line_end())
        } else if operator == 'c' && motion == 'w' {
            // It keeps the blanks after the word.
            target('e', times, buffer).map(|at| at + char_length(buffer, at))
        } else if motion == 'e' {
            target('e', times, buffer).map(|at| at + char_length(buffer, at))
        } else {
            target(motion, times, buffer)
        };
        let Some(to) = to else { return };
        match operator {
            'y' => {
                buffer.cut_to(to);
                // The cut text is back, and stays in the buffer of cut text.
                buffer.undo();
                buffer.move_to(before);
            }
            operator => {
                buffer.cut_to(to);
                self.is_normal = operator != 'c';
            }
        }
    }
}

fn char_length(buffer: &LineBuffer, at: usize) -> usize {
    buffer.text()[at..].chars().next().map_or(0, char::len_utf8)
}

fn swap_case(buffer: &mut LineBuffer) {
    let (start, end) = (buffer.at(), buffer.next().min(buffer.line_end()));
    let swapped: String = buffer.text()[start..end]
        .chars()
        .flat_map(|char| match char.is_lowercase() {
            true => char.to_uppercase().collect::<Vec<_>>(),
            false => char.to_lowercase().collect(),
        })
        .collect();
    if end > start {
        buffer.replace(start, end, &swapped);
    }
}

/// The greatest count.
const MOST_TIMES: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// Types keys after a text, where `\x1b` is Esc, and returns the text with the cursor as `|`.
    fn typed(text: &str, keys: &str) -> String {
        let (mut buffer, mut vi) = (LineBuffer::default(), ViKeys::default());
        buffer.set(text);
        for char in keys.chars() {
            let code = if char == '\x1b' { KeyCode::Esc } else { KeyCode::Char(char) };
            if vi.key(code.into(), &mut buffer) == ViStep::Usual
                && let KeyCode::Char(char) = code
            {
                buffer.type_char(char);
            }
        }
        let (before, after) = buffer.text().split_at(buffer.at());
        format!("{before}|{after}")
    }

    #[test]
    fn keys_move_and_change_as_in_vi() {
        for (text, keys, expected) in [
            ("one two", "\x1b", "one tw|o"),
            ("one two", "\x1b0wx", "one |wo"),
            ("one two three", "\x1b0dw", "|two three"),
            ("one two three", "\x1b02dw", "|three"),
            ("one two three", "\x1b0d2w", "|three"),
            ("one two", "\x1b0cwnew", "new| two"),
            ("one two", "\x1bbD", "one |"),
            ("one two", "\x1b0de", "| two"),
            ("one", "\x1bddi!", "!|"),
            ("one", "\x1bAs", "ones|"),
            ("one", "\x1bIs", "s|one"),
            ("one", "\x1b0rx", "|xne"),
            ("one", "\x1b03~", "ONE|"),
            ("one two", "\x1b0yw$p", "one twoone |"),
            ("one", "\x1b0xp", "no|e"),
            ("one", "\x1b0xxu", "|ne"),
            ("a\nb", "\x1b0D", "a\n|"),
            ("a.b", "\x1b0w", "a|.b"),
            ("\u{fc}ber alles", "\x1b0e", "\u{fc}be|r alles"),
            ("one", "\x1b0d\x1bx", "|ne"),
            ("one", "\x1bzq9", "on|e"),
        ] {
            assert_eq!(typed(text, keys), expected, "{text:?} {keys:?}");
        }
    }

    #[test]
    fn any_keys_keep_the_cursor_within_the_text() {
        let keys = [
            "w",
            "b",
            "e",
            "x",
            "dw",
            "cb",
            "p",
            "u",
            "~",
            "3l",
            "r\u{e9}",
            "\x1b",
            "i\u{1f600}\x1b",
        ];
        for first in keys {
            for second in keys {
                for third in keys {
                    typed(
                        "a \u{e4}\u{1f468}\u{200d}\u{1f469} c\n\u{df}",
                        &format!("\x1b{first}{second}{third}"),
                    );
                }
            }
        }
    }
}
