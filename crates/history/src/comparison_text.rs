//! Two conversations as text, side by side if the terminal is wide enough.

use silcrow_event::Entry;
use silcrow_sanitize::sanitize_line;
use silcrow_term::fit::{rows, width};

use crate::comparison::Comparison;
use crate::entry_text::entry_text;

impl Comparison {
    /// Returns the comparison for a person, with a line break after each line.
    ///
    /// With at least 100 columns, both conversations are side by side, with `=`, `<` or `>` between
    /// them. Otherwise each event has a row that begins with that sign. Nothing in the text can
    /// change a terminal.
    ///
    /// ```
    /// use silcrow_event::{Entry, Event};
    /// use silcrow_history::Comparison;
    ///
    /// let log = |answer: &str| [Event::user("go"), Event::respond(answer)].map(Entry::from).to_vec();
    /// let text = Comparison::new(["a", "b"], [log("one"), log("two")]).to_text(60);
    /// assert_eq!(text, "a and b share 1 event\n< respond  one\n> respond  two\n");
    /// ```
    pub fn to_text(&self, columns: usize) -> String {
        let [a, b] = self.ids().map(sanitize_line);
        let (shared, pairs) = (self.shared(), self.pairs().collect::<Vec<_>>());
        let mut out = match shared {
            0 => format!("{a} and {b} share no event\n"),
            1 => format!("{a} and {b} share 1 event\n"),
            _ => format!("{a} and {b} share {shared} events\n"),
        };
        if pairs.is_empty() {
            out += "they are the same\n";
        }
        let side = (columns.saturating_sub(3) / 2).max(1);
        let shown = |entry: &Entry| {
            format!("{:<8} {}", entry.event.type_name(), sanitize_line(&entry_text(entry)))
        };
        if columns < WIDE {
            for (a, b) in pairs {
                let (sign, entry) = match (a, b) {
                    (Some(entry), Some(_)) => ('=', entry),
                    (Some(entry), None) => ('<', entry),
                    (None, Some(entry)) => ('>', entry),
                    (None, None) => continue,
                };
                for row in rows(&shown(entry), columns.saturating_sub(2).max(1)) {
                    out += &format!("{sign} {row}\n");
                }
            }
            return out;
        }
        for (a, b) in pairs {
            let [a_text, b_text] = [a, b].map(|entry| entry.map(&shown).unwrap_or_default());
            let (a_rows, b_rows): (Vec<_>, Vec<_>) =
                (rows(&a_text, side).collect(), rows(&b_text, side).collect());
            let sign = match (a, b) {
                (Some(_), Some(_)) => '=',
                (Some(_), None) => '<',
                _ => '>',
            };
            for index in 0..a_rows.len().max(b_rows.len()) {
                let a = a_rows.get(index).copied().unwrap_or_default();
                let b = b_rows.get(index).copied().unwrap_or_default();
                let blank = " ".repeat(side.saturating_sub(width(a)));
                out += format!("{a}{blank} {sign} {b}").trim_end();
                out.push('\n');
            }
        }
        out
    }
}

/// The columns from which on both conversations are side by side.
const WIDE: usize = 100;
