//! The changes of a call in files, below its row.
//!
//! Lines that changed have their numbers and colours. Changes that do not fit are named, with the
//! command that shows them.

use silcrow_event::FileDelta;
use silcrow_term::{DiffLook, DiffRows, Line, Style, TextRole};

use super::call_look::CallLook;
use crate::options::DiffShown;
use crate::plural::count;

/// Returns the rows of a call's changes. `about` is the subject in the row of the call.
pub(super) fn changed_rows(changes: &[FileDelta], about: &str, look: &CallLook<'_>) -> Vec<Line> {
    if look.diff == DiffShown::Off {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for delta in changes.iter().take(MOST_FILES) {
        let has_lines = look.diff == DiffShown::Full && !delta.hunks.is_empty();
        // The row of the call names the file already.
        let is_named = changes.len() == 1 && about == delta.path;
        if !(has_lines && is_named) {
            rows.push(short_row(delta, look));
        }
        if has_lines {
            let shape = DiffLook::new(look.columns).with_most(MOST_LINES);
            let shown = DiffRows::new(&delta.hunks, &shape.with_ascii(look.signs.is_ascii()));
            rows.extend(shown.rows);
            if shown.hidden > 0 {
                rows.push(more(&count(shown.hidden as u64, "more line"), look));
            }
        }
    }
    let hidden = changes.len().saturating_sub(MOST_FILES);
    if hidden > 0 {
        rows.push(more(&count(hidden as u64, "more file"), look));
    }
    rows
}

/// Returns the row of a file: its path, and the numbers of lines in their colours.
fn short_row(delta: &FileDelta, look: &CallLook<'_>) -> Line {
    let short = delta.short();
    let facts = short.strip_prefix(&delta.path).unwrap_or_default();
    let mut row = Line::styled("  ", Style::PLAIN).with_text(&delta.path, Style::PLAIN);
    for (at, fact) in facts.split(' ').enumerate() {
        let style = match fact.chars().next() {
            Some('+') if fact != "+0" => Style::new(TextRole::Added),
            Some('−') if fact != "−0" => Style::new(TextRole::Removed),
            _ => Style::PLAIN.dim(),
        };
        let fact = if look.signs.is_ascii() { fact.replace('−', "-") } else { fact.to_owned() };
        row.push(if at == 0 { "" } else { " " }, Style::PLAIN);
        row.push(&fact, style);
    }
    row.shortened(look.columns)
}

fn more(what: &str, look: &CallLook<'_>) -> Line {
    let text = format!("  {} {what}, {}", look.signs.more, look.whole);
    Line::styled(&text, Style::PLAIN.dim()).shortened(look.columns)
}

/// The number of lines of a file that are shown.
const MOST_LINES: usize = 20;

/// The number of files that are shown.
const MOST_FILES: usize = 10;

#[cfg(test)]
mod tests {
    use silcrow_event::DeltaKind;

    use super::*;
    use crate::live::signs::LineSigns;
    use crate::tool_facts::ToolFacts;

    fn look(columns: usize, diff: DiffShown) -> CallLook<'static> {
        let (signs, whole) = (&LineSigns::UNICODE, "/diff");
        CallLook { signs, columns, output_lines: 2, diff, whole, facts: ToolFacts::NONE }
    }

    fn edit() -> FileDelta {
        let hunks = "@@ -8,7 +8,8 @@\n     let first = read(file)?;\n\
            -    let total = first.len() + second.len() + third.len() + fourth.len() + fifth.len();\n\
            +    let total: usize = [first, second, third, fourth, fifth].iter().map(|it| it.len()).sum();\n\
            +\tcheck(total)?;\n     Ok(total)\n@@ -98,2 +99,1 @@\n }\n-// \u{1b}[2Jold\n";
        FileDelta::new("src/total.rs", DeltaKind::Changed).with_lines(2, 2).with_hunks(hunks)
    }

    #[test]
    fn edit_fits_every_width_and_is_named_once() {
        for columns in [10, 60, 80, 120] {
            let rows = changed_rows(&[edit()], "src/total.rs", &look(columns, DiffShown::Full));
            assert!(rows.iter().all(|row| row.width() <= columns));
            assert!(!rows[0].text().contains("total.rs"));
        }
        let rows = changed_rows(&[edit()], "find", &look(80, DiffShown::Full));
        assert_eq!(rows[0].text(), "  src/total.rs +2 −2");
    }

    #[test]
    fn long_changes_are_folded_with_a_command() {
        let hunks: String = (0..54).map(|number| format!("+{number}\n")).collect();
        let hunks = format!("@@ -0,0 +1,54 @@\n{hunks}");
        let new = FileDelta::new("new.txt", DeltaKind::Created).with_lines(54, 0).with_hunks(hunks);
        let rows = changed_rows(std::slice::from_ref(&new), "new.txt", &look(80, DiffShown::Full));
        assert_eq!(rows.len(), 21);
        assert_eq!(rows[20].text(), "  … 34 more lines, /diff");
        let text =
            |rows: Vec<Line>| -> Vec<_> { rows.iter().map(|row| row.text().to_owned()).collect() };
        let short =
            changed_rows(std::slice::from_ref(&new), "new.txt", &look(80, DiffShown::Short));
        assert_eq!(text(short), ["  new.txt created, +54"]);
        assert!(changed_rows(&[new], "new.txt", &look(80, DiffShown::Off)).is_empty());

        let files: Vec<_> = (0..12)
            .map(|number| FileDelta::new(format!("f{number}"), DeltaKind::Removed))
            .collect();
        let rows = text(changed_rows(&files, "rm f*", &look(80, DiffShown::Full)));
        assert_eq!(
            (&*rows[0], &*rows[10], rows.len()),
            ("  f0 removed", "  … 2 more files, /diff", 11)
        );
    }
}
