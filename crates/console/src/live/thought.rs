//! A thought of the model: one line for it, all of it, or nothing.

use silcrow_term::{Line, Style, TextRole};
use tokio::time::Instant;

use super::signs::LineSigns;
use crate::options::Thoughts;
use crate::quantity::elapsed;

/// A thought that is being written.
pub(super) struct OpenThought {
    text: String,
    since: Instant,
    /// The number of bytes whose lines are on the screen.
    shown: usize,
}

impl OpenThought {
    pub(super) fn new() -> Self {
        Self { text: String::new(), since: Instant::now(), shown: 0 }
    }

    /// Takes a piece and returns the lines that are complete, which only a full view shows.
    pub(super) fn push(&mut self, text: &str, look: &ThoughtLook<'_>) -> Vec<Line> {
        self.text.push_str(text);
        if look.thoughts != Thoughts::Full {
            return Vec::new();
        }
        let Some(end) = self.text[self.shown..].rfind('\n') else { return Vec::new() };
        let complete = &self.text[self.shown..self.shown + end];
        let lines = whole(complete, look, self.shown == 0);
        self.shown += end + 1;
        lines
    }

    /// Returns the row of the text that is being written.
    pub(super) fn rows(&self, look: &ThoughtLook<'_>) -> Vec<Line> {
        let open = &self.text[self.shown..];
        match look.thoughts {
            Thoughts::Off => Vec::new(),
            Thoughts::Full => whole(open, look, self.shown == 0),
            Thoughts::Brief => {
                let last = self.text.trim_end().lines().next_back().unwrap_or_default();
                vec![brief("", last, look)]
            }
        }
    }

    /// Ends the thought: returns its text and the lines that are left.
    pub(super) fn end(self, look: &ThoughtLook<'_>) -> (String, Vec<Line>) {
        let open = self.text[self.shown..].trim_end();
        let lines = match look.thoughts {
            Thoughts::Off => Vec::new(),
            Thoughts::Full if open.is_empty() => Vec::new(),
            Thoughts::Full => whole(open, look, self.shown == 0),
            Thoughts::Brief if self.text.trim().is_empty() => Vec::new(),
            Thoughts::Brief => {
                let first = self.text.trim_start().lines().next().unwrap_or_default();
                let text = self.text.trim();
                let more = if text.len() > first.len() { look.signs.more } else { "" };
                let took = format!("thought for {}: ", elapsed(self.since.elapsed()));
                vec![brief(&took, &format!("{first}{more}"), look)]
            }
        };
        (self.text, lines)
    }
}

/// The look of thoughts.
pub(super) struct ThoughtLook<'a> {
    pub(super) signs: &'a LineSigns,
    pub(super) columns: usize,
    pub(super) thoughts: Thoughts,
}

/// Returns the one line of a thought.
fn brief(label: &str, text: &str, look: &ThoughtLook<'_>) -> Line {
    let sign = Line::styled(&format!("  {} ", look.signs.thought), Style::new(TextRole::Sign));
    let mut line = sign.with_text(label, Style::PLAIN.dim());
    Line::prose_lines(text, Style::PLAIN.dim().italic()).iter().for_each(|text| line.append(text));
    line.shortened(look.columns)
}

/// Returns a text of a thought, indented after a sign.
pub(super) fn whole(text: &str, look: &ThoughtLook<'_>, is_first: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    for (index, line) in Line::prose_lines(text, Style::PLAIN.dim()).iter().enumerate() {
        let sign = if is_first && index == 0 { look.signs.thought } else { " " };
        let mut row = Line::styled(&format!("  {sign} "), Style::new(TextRole::Sign));
        row.append(line);
        lines.extend(row.wrap(look.columns, 4));
    }
    lines
}
