//! The list of conversations: a row for each, with as many columns as the terminal has room for.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use silcrow_console::plural::count;
use silcrow_event::Timestamp;
use silcrow_history::{ListQuery, ListedPage, age, summary_json};
use silcrow_sanitize::sanitize_line;
use silcrow_store::{Store, Summary, imported};
use silcrow_term::fit::{cut, width};

use super::show::{name, readable};
use crate::args::LogListArgs;
use crate::conversation::{absolute, failure};
use crate::failure::Failure;

/// Returns the conversations, a line each. For a terminal its columns are given.
pub(super) async fn list(
    store: &dyn Store,
    args: &LogListArgs,
    json: bool,
    columns: Option<usize>,
) -> Result<String, Failure> {
    let folder = args.folder.as_ref().map(|folder| match folder {
        Some(folder) => absolute(folder),
        None => absolute(Path::new(".")),
    });
    let query = ListQuery::new()
        .with_user(args.user.clone())
        .with_folder(folder.flatten())
        .with_inner(args.all)
        .with_page(args.limit, args.after.clone());
    let page = query.read(store).await.map_err(|error| failure(&error))?;
    let ListedPage { conversations, next, .. } = page;
    if let Some(next) = next {
        // If stderr is closed, the notice is lost.
        let _ =
            writeln!(io::stderr(), "silcrow: there are more: --after '{}'", sanitize_line(&next));
    }
    let imported = readable(imported::all(store).await)?;
    if json {
        let tell = |one: &Summary| summary_json(one, imported.contains(&one.conversation)) + "\n";
        return Ok(conversations.iter().map(tell).collect());
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.as_deref().and_then(absolute);
    let rows = conversations.iter().map(|one| {
        let is_imported = imported.contains(&one.conversation);
        ListRow::new(one, is_imported, SystemTime::now().into(), home.as_deref())
    });
    Ok(table(&rows.collect::<Vec<_>>(), columns))
}

/// The texts of a row.
struct ListRow {
    age: String,
    title: String,
    folder: String,
    id: String,
    /// The number of events, and then what only some conversations have.
    rest: String,
}

impl ListRow {
    fn new(one: &Summary, is_imported: bool, now: Timestamp, home: Option<&str>) -> Self {
        let mut rest = count(one.events, "event");
        if is_imported {
            rest += "  imported";
        }
        if let Some(user) = &one.user {
            rest += &format!("  {}", name(user));
        }
        let folder = one.folder.as_deref().unwrap_or_default();
        let below = home.and_then(|home| folder.strip_prefix(home));
        let folder = match below {
            Some(below) if below.is_empty() || below.starts_with('/') => format!("~{below}"),
            _ => folder.to_owned(),
        };
        Self {
            age: age(one.last, now),
            title: single_spaced(&sanitize_line(&one.title)),
            folder: single_spaced(&sanitize_line(&folder)),
            id: name(&one.conversation),
            rest,
        }
    }
}

/// Lays rows out in columns. Text that is too wide for the terminal is cut; ids never are, because a
/// person copies them.
fn table(rows: &[ListRow], columns: Option<usize>) -> String {
    let widest = |text: fn(&ListRow) -> &str| {
        rows.iter().map(|row| width(text(row))).max().unwrap_or_default()
    };
    let id = widest(|row| &row.id).min(MAX_WIDTH);
    let (title, folder) = (widest(|row| &row.title), widest(|row| &row.folder));
    let (title, folder) = match columns {
        None => (title.min(MAX_WIDTH), folder.min(MAX_WIDTH)),
        Some(columns) => {
            let taken = AGE + GAP + GAP + id + GAP + widest(|row| &row.rest);
            let left = columns.saturating_sub(taken);
            match left {
                0..WITH_FOLDER => (title.min(left).max(LEAST), 0),
                _ => {
                    let folder = folder.min(left / 3);
                    (title.min(left - folder - GAP), folder)
                }
            }
        }
    };
    let mut table = String::new();
    for row in rows {
        let is_cut = columns.is_some();
        let mut line = format!("{:>AGE$}  {}", row.age, padded(&row.title, title, is_cut, false));
        if folder > 0 {
            line += &format!("  {}", padded(&row.folder, folder, is_cut, true));
        }
        line += &format!("  {}  {}", padded(&row.id, id, false, false), row.rest);
        table += line.trim_end();
        table.push('\n');
    }
    table
}

/// Returns a text with the blanks that fill its column. A text that is too wide is cut if it may be;
/// otherwise it moves its own row only.
fn padded(text: &str, columns: usize, is_cut: bool, keeps_end: bool) -> String {
    if is_cut && width(text) > columns {
        let text = cut(text, columns, keeps_end);
        let taken = width(&text) - width("…") + 1;
        return format!("{text}{}", " ".repeat(columns.saturating_sub(taken)));
    }
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Returns the text without two blanks in a row, which would look like the end of a column.
fn single_spaced(text: &str) -> String {
    text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The columns of an age.
const AGE: usize = 12;

/// The columns between two columns of the table.
const GAP: usize = 2;

/// The columns that a title has at least.
const LEAST: usize = 8;

/// The columns that title and folder need together, so that the folder is shown.
const WITH_FOLDER: usize = 36;

/// The most columns of a title, a folder or an id that others are lined up with.
const MAX_WIDTH: usize = 40;

#[cfg(test)]
mod tests;
