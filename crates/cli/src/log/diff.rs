//! Two conversations side by side: what they share at first, and where they part.
//!
//! Times, ids and positions do not count. This module compares; it does not know which of the two is
//! a branch of the other.

use std::io;

use silcrow_event::{Entry, Json};
use silcrow_sanitize::sanitize_line;
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};

use super::show::text;
use crate::columns::{columns, rows, width};
use crate::failure::Failure;
use crate::places;
use crate::plural::count;
use crate::stored_head::stored_head;

/// An event of one conversation, of the other, or of both.
type Pair<'a> = (Option<&'a Entry>, Option<&'a Entry>);

/// Returns the comparison of two conversations, as text or as JSON.
pub(super) async fn diff(
    store: &dyn Store,
    ids: [&str; 2],
    for_programs: bool,
) -> Result<String, Failure> {
    let (mut logs, mut found) = (Vec::new(), Vec::new());
    for typed in ids {
        let (id, head) = stored_head(store, typed).await?;
        // Damaged events are left out, and named at the end of the command.
        let entries = read_whole(store, &id, 1..=head, &mut Report::default()).await;
        logs.push(entries.map_err(|error| places::failure(&error))?);
        found.push(id);
    }
    let ids = [&*found[0], &*found[1]];
    let [left, right] = [&*logs[0], &*logs[1]];
    let shared = left.iter().zip(right).take_while(|(a, b)| key(a) == key(b)).count();
    let pairs = pairs(&left[shared..], &right[shared..]);
    if for_programs {
        return Ok(json(ids, shared, &pairs));
    }
    let columns = if io::IsTerminal::is_terminal(&io::stderr()) { columns() } else { 80 };
    Ok(plain(ids, shared, &pairs, columns))
}

/// Returns what two events have in common if they say the same.
fn key(entry: &Entry) -> (&'static str, String) {
    (entry.event.type_name(), text(entry))
}

/// Pairs the events that say the same, as many as can be paired in order.
fn pairs<'a>(left: &'a [Entry], right: &'a [Entry]) -> Vec<Pair<'a>> {
    let keys = |entries: &[Entry]| entries.iter().map(key).collect::<Vec<_>>();
    let (a, b) = (keys(left), keys(right));
    let mut pairs = Vec::new();
    if a.len().saturating_mul(b.len()) > MAX_CELLS {
        pairs.extend(left.iter().map(|entry| (Some(entry), None)));
        pairs.extend(right.iter().map(|entry| (None, Some(entry))));
        return pairs;
    }
    // `most[i][j]` is the number of pairs from `a[i..]` and `b[j..]`.
    let mut most = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            most[i][j] = match a[i] == b[j] {
                true => most[i + 1][j + 1] + 1,
                false => most[i + 1][j].max(most[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            pairs.push((Some(&left[i]), Some(&right[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && most[i + 1][j] >= most[i][j + 1]) {
            pairs.push((Some(&left[i]), None));
            i += 1;
        } else {
            pairs.push((None, Some(&right[j])));
            j += 1;
        }
    }
    pairs
}

fn json(ids: [&str; 2], shared: usize, pairs: &[Pair<'_>]) -> String {
    let [a, b] = ids.map(Json::string);
    let mut out = format!("{{\"a\":{a},\"b\":{b},\"shared\":{shared}}}\n");
    let event = |entry: Option<&Entry>| entry.map_or_else(|| "null".to_owned(), Entry::to_json);
    for (a, b) in pairs {
        let same = a.is_some() && b.is_some();
        out += &format!("{{\"same\":{same},\"a\":{},\"b\":{}}}\n", event(*a), event(*b));
    }
    out
}

fn plain(ids: [&str; 2], shared: usize, pairs: &[Pair<'_>], columns: usize) -> String {
    let [a, b] = ids.map(sanitize_line);
    let mut out = match shared {
        0 => format!("{a} and {b} share no event\n"),
        _ => format!("{a} and {b} share {}\n", count(shared as u64, "event")),
    };
    if pairs.is_empty() {
        out += "they are the same\n";
    }
    let side = (columns.saturating_sub(3) / 2).max(1);
    let shown =
        |entry: &Entry| format!("{:<8} {}", entry.event.type_name(), sanitize_line(&text(entry)));
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

/// The largest table in which pairs are looked for.
const MAX_CELLS: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use silcrow_event::Event;

    use super::*;

    #[test]
    fn two_branches_are_shown_narrow_and_wide() {
        let log = |answer: &str| {
            let events = [Event::user("go"), Event::respond(answer), Event::user("on")];
            events.map(Entry::from)
        };
        let (a, b) = (log("one"), log("two"));
        let pairs = pairs(&a[1..], &b[1..]);
        insta::assert_snapshot!(plain(["a", "b"], 1, &pairs, 60), @r"
        a and b share 1 event
        < respond  one
        > respond  two
        = user     on
        ");
        let wide = plain(["a", "b"], 1, &pairs, 100);
        let lines: Vec<_> = wide.lines().collect();
        assert_eq!(lines[1], format!("{:<48} <", "respond  one"));
        assert_eq!(lines[2], format!("{:<48} > respond  two", ""));
        assert_eq!(lines[3], format!("{:<48} = user     on", "user     on"));
        assert!(lines.iter().all(|line| width(line) <= 100), "{wide}");
    }
}
