//! The list of conversations as text: a row for each, with as many columns as there is room for.

use std::collections::BTreeSet;

use silcrow_event::Timestamp;
use silcrow_sanitize::sanitize_line;
use silcrow_store::Summary;
use silcrow_term::fit::{cut, width};

use crate::age::age;
use crate::name::column;

/// A table of conversations for a person: age, title, folder, id, and the number of events.
///
/// Each conversation has exactly one row, in which no id, user, folder or title can change a
/// terminal or pass for a column.
///
/// ```
/// use silcrow_event::Timestamp;
/// use silcrow_history::ConversationTable;
/// use silcrow_store::Summary;
///
/// let mut tea = Summary::new("c1k2x");
/// (tea.title, tea.events) = ("How hot is green tea?".to_owned(), 4);
/// let now = Timestamp::from_nanos(1_800_000_000_000_000_000);
/// tea.last = now;
/// let table = ConversationTable::new(&[tea], now).render(Some(60));
/// assert!(table.ends_with("  How hot is green tea?  c1k2x  4 events\n"), "{table}");
/// ```
#[derive(Debug)]
pub struct ConversationTable<'a> {
    conversations: &'a [Summary],
    now: Timestamp,
    imported: BTreeSet<String>,
    home: Option<String>,
}

/// The texts of a row.
struct TableRow {
    age: String,
    title: String,
    folder: String,
    id: String,
    /// The number of events, and then the facts that only some conversations have.
    rest: String,
}

impl<'a> ConversationTable<'a> {
    /// Creates a table with a row for each conversation, in this order. `now` is the time from which
    /// ages are counted.
    pub const fn new(conversations: &'a [Summary], now: Timestamp) -> Self {
        Self { conversations, now, imported: BTreeSet::new(), home: None }
    }

    /// Marks the conversations that an import brought, as [`silcrow_store::imported::all`] returns them.
    #[must_use]
    pub fn with_imported(self, imported: BTreeSet<String>) -> Self {
        Self { imported, ..self }
    }

    /// Sets the folder that is shown as `~`.
    #[must_use]
    pub fn with_home(self, home: Option<String>) -> Self {
        Self { home, ..self }
    }

    /// Returns the table with a line break after each row.
    ///
    /// Titles and folders are cut so that a row has at most so many columns. Without a number nothing is
    /// cut. Ids never are, because a person copies them.
    pub fn render(&self, columns: Option<usize>) -> String {
        let rows: Vec<_> = self.conversations.iter().map(|one| self.row(one)).collect();
        table(&rows, columns)
    }

    fn row(&self, one: &Summary) -> TableRow {
        let mut rest = match one.events {
            1 => "1 event".to_owned(),
            events => format!("{events} events"),
        };
        if self.imported.contains(&one.conversation) {
            rest += "  imported";
        }
        if let Some(user) = &one.user {
            rest += &format!("  {}", column(user));
        }
        let folder = one.folder.as_deref().unwrap_or_default();
        let below = self.home.as_deref().and_then(|home| folder.strip_prefix(home));
        let folder = match below {
            Some(below) if below.is_empty() || below.starts_with('/') => format!("~{below}"),
            _ => folder.to_owned(),
        };
        TableRow {
            age: age(one.last, self.now),
            title: single_spaced(&sanitize_line(&one.title)),
            folder: single_spaced(&sanitize_line(&folder)),
            id: column(&one.conversation),
            rest,
        }
    }
}

/// Lays rows out in columns. Text that is too wide for the terminal is cut; ids never are, because a
/// person copies them.
fn table(rows: &[TableRow], columns: Option<usize>) -> String {
    let widest = |text: fn(&TableRow) -> &str| {
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
