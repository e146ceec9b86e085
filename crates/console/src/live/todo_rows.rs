//! An agent's list of its remaining steps, above the line of status.

use serde_json::Value;
use silcrow_term::{Line, Style, TextRole};

use super::LiveScreen;
use super::signs::LineSigns;

/// The list of the last call of `todo`.
#[derive(Debug, Default)]
pub(super) struct TodoRows {
    items: Vec<(ItemState, String)>,
    is_hidden: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemState {
    Open,
    Now,
    Over,
}

impl LiveScreen {
    /// Shows the list of the agent, or hides it.
    pub fn toggle_todo(&mut self) {
        self.todo.is_hidden = !self.todo.is_hidden;
    }
}

impl TodoRows {
    /// Takes the arguments of a call. Arguments without a list change nothing.
    pub(super) fn take(&mut self, args: &str) {
        let args = serde_json::from_str::<Value>(args).unwrap_or_default();
        let Some(items) = args.get("items").and_then(Value::as_array) else { return };
        let item = |item: &Value| {
            let state = match item.get("status").and_then(Value::as_str)? {
                "in_progress" => ItemState::Now,
                "completed" | "cancelled" => ItemState::Over,
                _ => ItemState::Open,
            };
            Some((state, item.get("content")?.as_str()?.to_owned()))
        };
        self.items = items.iter().filter_map(item).collect();
    }

    /// Begins another run, which does not show a list in which all is done.
    pub(super) fn begin(&mut self) {
        if self.over() == self.items.len() {
            self.items.clear();
        }
    }

    /// Returns how much of the list is done, if there is one.
    pub(super) fn summary(&self) -> Option<String> {
        let all = self.items.len();
        (all > 0).then(|| format!("todo: {} of {all} done", self.over()))
    }

    fn over(&self) -> usize {
        self.items.iter().filter(|(state, _)| *state == ItemState::Over).count()
    }

    /// Returns the rows around the item that the agent works on.
    pub(super) fn rows(&self, signs: &LineSigns, columns: usize) -> Vec<Line> {
        if self.is_hidden || self.over() == self.items.len() {
            return Vec::new();
        }
        let now = self.items.iter().position(|(state, _)| *state != ItemState::Over).unwrap_or(0);
        let first = now.saturating_sub(BEFORE);
        let shown = self.items.iter().skip(first).take(MOST_ROWS);
        let mut rows: Vec<_> = shown
            .map(|(state, text)| {
                let (sign, style) = match state {
                    ItemState::Over => (signs.success, Style::PLAIN.dim()),
                    ItemState::Now => (signs.call, Style::PLAIN.bold()),
                    ItemState::Open => (signs.note, Style::PLAIN),
                };
                let sign = Line::styled(&format!("  {sign} "), Style::new(TextRole::Sign));
                sign.with_text(text, style).shortened(columns)
            })
            .collect();
        let more = self.items.len().saturating_sub(first + MOST_ROWS);
        if more > 0 {
            let more = format!("  {} {more} more, Ctrl-T hides them", signs.more);
            rows.push(Line::styled(&more, Style::PLAIN.dim()).shortened(columns));
        }
        rows
    }
}

/// The number of rows at most.
const MOST_ROWS: usize = 6;

/// The number of rows before the item that the agent works on.
const BEFORE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn list(states: &[&str]) -> TodoRows {
        let item = |(index, state): (usize, &&str)| {
            format!("{{\"content\":\"step {index} \\u001b[2J\",\"status\":\"{state}\"}}")
        };
        let items: Vec<_> = states.iter().enumerate().map(item).collect();
        let mut todo = TodoRows::default();
        todo.take(&format!("{{\"items\":[{}]}}", items.join(",")));
        todo
    }

    #[test]
    fn rows_surround_the_current_step() {
        let (done, now, open) = ("completed", "in_progress", "pending");
        let mut todo = list(&[done, done, done, now, open, open, open, open, open]);
        let rows = todo.rows(&LineSigns::ASCII, 40);
        let texts: Vec<_> = rows.iter().map(|row| row.text().to_owned()).collect();
        assert!(texts[0].starts_with("  ok step 1"), "{texts:?}");
        assert!(texts[2].starts_with("  -> step 3"), "{texts:?}");
        assert!(texts[6].contains("2 more"), "{texts:?}");
        assert!(rows.iter().all(|row| row.width() <= 40 && !row.text().contains('\x1b')));
        assert_eq!(todo.summary().as_deref(), Some("todo: 3 of 9 done"));
        todo.begin();
        assert!(!todo.rows(&LineSigns::ASCII, 40).is_empty());
        todo.take("no list");
        assert_eq!(todo.items.len(), 9);
    }

    #[test]
    fn finished_todo_list_disappears() {
        let mut todo = list(&["completed", "cancelled"]);
        assert!(todo.rows(&LineSigns::ASCII, 40).is_empty());
        assert_eq!(todo.summary().as_deref(), Some("todo: 2 of 2 done"));
        todo.begin();
        assert_eq!(todo.summary(), None);
    }
}
