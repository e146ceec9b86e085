//! Two conversations side by side on a terminal. `silcrow_history` compares them.

use std::io;

use silcrow_console::live::TerminalSize;
use silcrow_console::plural::count;
use silcrow_event::Entry;
use silcrow_history::{Comparison, entry_text};
use silcrow_sanitize::sanitize_line;
use silcrow_store::Store;
use silcrow_term::fit::{rows, width};

use crate::conversation::failure;
use crate::failure::Failure;

/// Returns the comparison of two conversations, as text or as JSON. Damaged events are left out, and
/// named at the end of the command.
pub(super) async fn diff(
    store: &dyn Store,
    ids: [&str; 2],
    for_programs: bool,
) -> Result<String, Failure> {
    let comparison = Comparison::read(store, ids).await.map_err(|error| failure(&error))?;
    if for_programs {
        return Ok(comparison.to_json_lines());
    }
    let columns =
        if io::IsTerminal::is_terminal(&io::stderr()) { TerminalSize::now().columns } else { 80 };
    Ok(plain(&comparison, columns))
}

fn plain(comparison: &Comparison, columns: usize) -> String {
    let [a, b] = comparison.ids().map(sanitize_line);
    let (shared, pairs) = (comparison.shared(), comparison.pairs().collect::<Vec<_>>());
    let mut out = match shared {
        0 => format!("{a} and {b} share no event\n"),
        _ => format!("{a} and {b} share {}\n", count(shared as u64, "event")),
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

/// The columns from which on both conversations are side by side.
const WIDE: usize = 100;

#[cfg(test)]
mod tests {
    use silcrow_event::Event;

    use super::*;

    #[test]
    fn two_branches_are_shown_narrow_and_wide() {
        let log = |answer: &str| {
            let events = [Event::user("go"), Event::respond(answer), Event::user("on")];
            events.map(Entry::from).to_vec()
        };
        let comparison = Comparison::new(["a", "b"], [log("one"), log("two")]);
        insta::assert_snapshot!(plain(&comparison, 60), @r"
        a and b share 1 event
        < respond  one
        > respond  two
        = user     on
        ");
        let wide = plain(&comparison, 100);
        let lines: Vec<_> = wide.lines().collect();
        assert_eq!(lines[1], format!("{:<48} <", "respond  one"));
        assert_eq!(lines[2], format!("{:<48} > respond  two", ""));
        assert_eq!(lines[3], format!("{:<48} = user     on", "user     on"));
        assert!(lines.iter().all(|line| width(line) <= 100), "{wide}");
    }
}
