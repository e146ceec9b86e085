//! A list from which a person picks one row, by moving to it or by typing parts of it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use silcrow_term::{Line, Style, TextRole};

use super::signs::LineSigns;

/// A list of rows, and the text that was typed to find one.
#[derive(Debug)]
pub struct RowPicker {
    rows: Vec<PickerRow>,
    typed: String,
    /// The rows that match the typed text, the best first.
    found: Vec<usize>,
    /// The position among the found rows.
    at: usize,
}

/// A row that can be picked.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "who has the rows writes all of it")]
pub struct PickerRow {
    /// The first words of the row, such as an age.
    pub label: String,
    /// The text by which the row is found and picked.
    pub text: String,
    /// Further text at the end of the row, if it has room.
    pub more: String,
}

/// The effect of a key on a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who shows the list has to know each step")]
pub enum PickerStep {
    /// Nothing was picked yet.
    Waits,
    /// The row of this number was picked.
    Picked(usize),
    /// The person picks nothing.
    Left,
}

impl RowPicker {
    /// Creates a list of these rows, in their order.
    ///
    /// ```
    /// use silcrow_console::live::{KeyCode, PickerRow, PickerStep, RowPicker};
    ///
    /// let row = |text: &str| PickerRow {
    ///     label: "today".to_owned(),
    ///     text: text.to_owned(),
    ///     more: String::new(),
    /// };
    /// let mut picker = RowPicker::new(vec![row("Fix the parser"), row("Write a poem")]);
    /// picker.key(KeyCode::Char('w').into());
    /// assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(1));
    /// ```
    pub fn new(rows: Vec<PickerRow>) -> Self {
        let found = (0..rows.len()).collect();
        Self { rows, typed: String::new(), found, at: 0 }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> PickerStep {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return PickerStep::Left,
            KeyCode::Char('c' | 'd') if control => return PickerStep::Left,
            KeyCode::Enter => match self.found.get(self.at) {
                Some(row) => return PickerStep::Picked(*row),
                None => return PickerStep::Waits,
            },
            KeyCode::Up => self.at = self.at.saturating_sub(1),
            KeyCode::Down => self.at = (self.at + 1).min(self.found.len().saturating_sub(1)),
            KeyCode::PageUp => self.at = self.at.saturating_sub(PAGE),
            KeyCode::PageDown => {
                self.at = (self.at + PAGE).min(self.found.len().saturating_sub(1));
            }
            KeyCode::Backspace => {
                self.typed.pop();
                self.find();
            }
            KeyCode::Char('u') if control => {
                self.typed.clear();
                self.find();
            }
            KeyCode::Char(char) if !control => {
                self.typed.push(char);
                self.find();
            }
            _ => {}
        }
        PickerStep::Waits
    }

    /// Returns the rows of the screen.
    pub(super) fn lines(&self, signs: &LineSigns, columns: usize, most: usize) -> Vec<Line> {
        let shown = most.saturating_sub(2).clamp(1, PAGE);
        let first = (self.at + 1).saturating_sub(shown);
        let label = self.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for (index, row) in self.found.iter().enumerate().skip(first).take(shown) {
            let row = &self.rows[*row];
            let is_here = index == self.at;
            let sign = if is_here { signs.prompt } else { " " };
            let style = if is_here { Style::PLAIN.bold() } else { Style::PLAIN };
            let mut line = Line::styled(sign, Style::new(TextRole::Accent));
            line.push(&format!(" {:<label$}  ", row.label), Style::PLAIN.dim());
            let room = columns.saturating_sub(line.width());
            let more = Line::styled(&row.more, Style::PLAIN.dim());
            // The text needs half of the row at least.
            let with_more = more.width() + 2 <= room / 2;
            let room = if with_more { room - more.width() - 2 } else { room };
            let text = Line::styled(&row.text, style).shortened(room);
            line.append(&text);
            if with_more {
                line.push(&" ".repeat(room - text.width() + 2), Style::PLAIN);
                line.append(&more);
            }
            lines.push(line.shortened(columns));
        }
        let count = format!("{} of {}", self.found.len(), self.rows.len());
        let keys = ["type to search", "Enter picks", "Esc leaves", &count].join(signs.between);
        lines.push(Line::styled(&keys, Style::PLAIN.dim()).shortened(columns));
        let prompt = Line::styled(signs.prompt, Style::new(TextRole::Accent));
        lines.push(prompt.with_text(&format!(" {}", self.typed), Style::PLAIN).shortened(columns));
        lines
    }

    /// Finds the rows that match the typed text.
    fn find(&mut self) {
        self.at = 0;
        let pattern = Pattern::parse(&self.typed, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scores: Vec<_> = self
            .rows
            .iter()
            .enumerate()
            .filter_map(|(index, row)| {
                let text = format!("{} {}", row.text, row.more);
                let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)?;
                Some((index, score))
            })
            .collect();
        // Rows of the same score keep their order, the newest first.
        scores.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        self.found = scores.into_iter().map(|(index, _)| index).collect();
    }
}

/// The number of rows that are shown at once.
const PAGE: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn picker() -> RowPicker {
        let row = |label: &str, text: &str, more: &str| PickerRow {
            label: label.into(),
            text: text.into(),
            more: more.into(),
        };
        RowPicker::new(vec![
            row("1 min ago", "Fix the parser of dates", "/home/me/calendar"),
            row("2 days ago", "Write a poem \x1b[2J", "/home/me/poems"),
            row("3 days ago", "Explain the borrow checker", "/home/me/notes"),
        ])
    }

    fn typed(picker: &mut RowPicker, text: &str) {
        for char in text.chars() {
            assert_eq!(picker.key(KeyCode::Char(char).into()), PickerStep::Waits);
        }
    }

    #[test]
    fn parts_of_words_find_a_row() {
        let mut picker = picker();
        typed(&mut picker, "brw chk");
        assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(2));
        picker.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        typed(&mut picker, "poems");
        assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(1));
        typed(&mut picker, "zzz");
        assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Waits, "nothing fits");
        assert_eq!(picker.key(KeyCode::Esc.into()), PickerStep::Left);
    }

    #[test]
    fn picker_keys_stop_at_the_ends() {
        let mut picker = picker();
        picker.key(KeyCode::Up.into());
        assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(0));
        picker.key(KeyCode::Down.into());
        assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(1));
        picker.key(KeyCode::PageDown.into());
        picker.key(KeyCode::Down.into());
        assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(2));
    }

    #[test]
    fn rows_fit_at_every_width_and_obey_nothing() {
        let picker = picker();
        for columns in 1..120 {
            let lines = picker.lines(&LineSigns::of_locale(), columns, 24);
            assert_eq!(lines.len(), 5);
            assert!(lines.iter().all(|line| line.width() <= columns), "{columns}");
            assert!(lines.iter().all(|line| !line.text().contains('\x1b')));
        }
    }
}
