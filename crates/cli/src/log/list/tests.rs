use silcrow_event::{Entry, Event};
use silcrow_store::MemoryStore;

use super::*;

fn row(id: &str, title: &str, folder: &str, events: u64) -> ListRow {
    let mut one = Summary::new(id);
    (one.title, one.events) = (title.to_owned(), events);
    one.folder = Some(folder.to_owned()).filter(|folder| !folder.is_empty());
    one.user = (events == 7).then(|| "ann".to_owned());
    let minutes = |minutes: i64| Timestamp::from_nanos(minutes * 60_000_000_000);
    (one.first, one.last) = (minutes(1), minutes(1));
    ListRow::new(&one, events == 7, minutes(i64::try_from(events).unwrap()), Some("/home/ann"))
}

fn rows() -> Vec<ListRow> {
    vec![
        row("csj3x1q8w2e4r", "What is in this directory?", "/home/ann/work/silcrow", 1),
        row("csj3wz7k1m9p0", "日本語の題名はとても長いので切られるかもしれない", "/home/ann", 12),
        row("notes", "A title that is a whole sentence, and then a few words more", "/srv/x", 700),
        row("old", "From before folders were kept", "", 7),
    ]
}

#[test]
fn the_list_fits_a_terminal() {
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

/// Whatever ids, users, folders and titles hold, there is one row for each conversation, and what
/// looks like a column is one.
#[tokio::test]
async fn nothing_that_is_stored_forges_a_row_or_a_column() {
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
    let args = LogListArgs::default();
    let output = list(&store, &args, false, None).await.unwrap();
    assert_eq!(output.lines().count(), ids.len(), "{output}");
    assert!(!output.contains(['\t', '\r', '\u{85}', '\u{2028}', '\u{1b}', '\u{202e}']), "{output}");
    for row in output.lines() {
        // Only names have two blanks in a row, between quotes.
        let names = ids.iter().chain(&users).map(|text| name(text));
        let names = names.filter(|name| name.starts_with('"'));
        let row =
            names.fold(row.to_owned(), |row, name| row.replace(&format!("  {name}"), "  name"));
        let cells: Vec<_> = row.split("  ").filter(|cell| !cell.trim().is_empty()).collect();
        // The age is not known.
        assert_eq!(cells.len(), 5, "{row}");
        assert_eq!(cells[3].trim(), "1 event", "{row}");
    }
}

#[tokio::test]
async fn the_list_may_be_of_a_folder_and_have_an_end() {
    let store = MemoryStore::new();
    let here = absolute(Path::new(".")).unwrap();
    for (id, folder) in [("a", &*here), ("b", "/other"), ("c", &*here), ("c/1/x", &*here)] {
        let said = Entry { folder: Some(folder.to_owned()), ..Event::user("hi").into() };
        store.append(id, 0, vec![said]).await.unwrap();
    }
    let ids = async |args: &LogListArgs| {
        let output = list(&store, args, true, None).await.unwrap();
        let id = |line: &str| line.split('"').nth(3).unwrap().to_owned();
        output.lines().map(id).collect::<Vec<_>>()
    };
    let mut args = LogListArgs::default();
    assert_eq!(ids(&args).await, ["c", "b", "a"]);
    args.folder = Some(None);
    assert_eq!(ids(&args).await, ["c", "a"]);
    args.limit = std::num::NonZeroUsize::new(1);
    assert_eq!(ids(&args).await, ["c"]);
    args.folder = Some(Some("/other".into()));
    assert_eq!(ids(&args).await, ["b"]);
}
