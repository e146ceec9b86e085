//! The table of conversations.

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_history::{ConversationTable, ListQuery};
use silcrow_sanitize::sanitize_line;
use silcrow_store::{MemoryStore, Store as _, Summary};
use silcrow_term::fit::width;

const fn minutes(minutes: i64) -> Timestamp {
    Timestamp::from_nanos(minutes * 60_000_000_000)
}

fn row(id: &str, title: &str, folder: &str, events: u64) -> Summary {
    let mut one = Summary::new(id);
    (one.title, one.events) = (title.to_owned(), events);
    one.folder = Some(folder.to_owned()).filter(|folder| !folder.is_empty());
    one.user = (events == 7).then(|| "ann".to_owned());
    let age = minutes(701 - i64::try_from(events).unwrap());
    (one.first, one.last) = (age, age);
    one
}

fn rows() -> Vec<Summary> {
    vec![
        row("csj3x1q8w2e4r", "What is in this directory?", "/home/ann/work/silcrow", 1),
        row("csj3wz7k1m9p0", "日本語の題名はとても長いので切られるかもしれない", "/home/ann", 12),
        row("notes", "A title that is a whole sentence, and then a few words more", "/srv/x", 700),
        row("old", "From before folders were kept", "", 7),
    ]
}

fn table(rows: &[Summary], columns: Option<usize>) -> String {
    ConversationTable::new(rows, minutes(700))
        .with_home(Some("/home/ann".to_owned()))
        .with_imported(["old".to_owned()].into())
        .render(columns)
}

#[test]
fn the_table_fits_a_terminal() {
    insta::assert_snapshot!("list_at_60", table(&rows()[..3], Some(60)));
    insta::assert_snapshot!("list_at_80", table(&rows()[..3], Some(80)));
    insta::assert_snapshot!("list_of_users_at_100", table(&rows(), Some(100)));
    insta::assert_snapshot!("list_in_a_pipe", table(&rows(), None));
    for columns in [60, 80, 140] {
        let shown = table(&rows()[..3], Some(columns));
        let fits = |line: &str| width(&line.replace('…', ".")) <= columns;
        assert!(shown.lines().all(fits), "{shown}");
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", sanitize_line(name).replace('"', "\\x22"))
}

/// For any ids, users, folders and titles, each conversation has one row, and no text looks like a
/// column.
#[tokio::test]
async fn stored_text_cannot_forge_rows_or_columns() {
    let forged = "x  9 events  now  title";
    let ids = ["a\nb", "a\tb", "a\rb", "a\u{85}b", "a\u{2028}b", "\u{1b}[2Ja", forged, "a\"  b"];
    let users = ["ann\nbob", "ann  9", "\u{202e}bob", "\u{b}"];
    let store = MemoryStore::new();
    for (number, id) in ids.iter().enumerate() {
        let user = Some(users[number % users.len()].to_owned());
        let folder = Some(format!("/{id}"));
        let said = Entry { user, folder, ..Event::user(format!("{id}\tt")).into() };
        store.append(id, 0, vec![said]).await.unwrap();
    }
    let listed = ListQuery::new().read(&store).await.unwrap().conversations;
    let output = ConversationTable::new(&listed, minutes(0)).render(None);
    assert_eq!(output.lines().count(), ids.len(), "{output}");
    assert!(!output.contains(['\t', '\r', '\u{85}', '\u{2028}', '\u{1b}', '\u{202e}']), "{output}");
    for row in output.lines() {
        // Only ids and users have two blanks in a row, between quotes.
        let names = ids.iter().chain(&users).map(|text| quoted(text));
        let row =
            names.fold(row.to_owned(), |row, name| row.replace(&format!("  {name}"), "  name"));
        let cells: Vec<_> = row.split("  ").filter(|cell| !cell.trim().is_empty()).collect();
        // The age is unknown.
        assert_eq!(cells.len(), 5, "{row}");
        assert_eq!(cells[3].trim(), "1 event", "{row}");
    }
}
