//! The import of a foreign export: it adds only events, and none of their calls run.

use std::io::{self, BufReader, Read};

use silcrow_event::{Call, CallResult, Entry, Event};
use silcrow_store::transfer::{self, MAX_LINE, Provenance, TransferCounts, export};
use silcrow_store::{Error, ErrorKind, MemoryStore, Store as _, imported, validate};

async fn import(store: &MemoryStore, lines: &str) -> Result<TransferCounts, Error> {
    transfer::import(store, &mut lines.as_bytes(), Provenance::Foreign).await
}

async fn exported(store: &MemoryStore) -> String {
    let mut out = Vec::new();
    export(store, None, &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

fn call(turn: u32, id: &str) -> Entry {
    let call = Call::parse(id, r#"{"name":"file_read","args":{"file":"x"}}"#).unwrap();
    Entry { turn: Some(turn), ..Event::Call(call).into() }
}

fn answer(turn: u32, id: &str) -> Entry {
    let outcome = CallResult::success(id, "file_read", "read", "the text");
    Entry { turn: Some(turn), ..Event::Result(outcome).into() }
}

/// Returns the export of a store whose conversation `c` has a message and then these entries.
async fn log(entries: Vec<Entry>) -> String {
    let store = MemoryStore::new();
    let batch = [vec![Event::user("hello").into()], entries].concat();
    store.append("c", 0, batch).await.unwrap();
    exported(&store).await
}

#[tokio::test]
async fn values_are_left_out_and_counted() {
    let other = MemoryStore::new();
    other.append("c", 0, vec![Event::user("hello").into()]).await.unwrap();
    let spaces = ["started/c", "granted/c", "relic/notes", "imported/c", "imported/x", "mine"];
    for space in spaces {
        other.put(space, "k", 0, vec![1]).await.unwrap();
    }
    let store = MemoryStore::new();
    let moved = import(&store, &exported(&other).await).await.unwrap();
    let counts = (moved.conversations, moved.events, moved.values, moved.left_out, moved.answered);
    assert_eq!(counts, (1, 1, 0, 6, 0));
    let keys = store.keys().await.unwrap();
    assert_eq!(keys, [("imported/c".to_owned(), "head".to_owned())]);
}

#[tokio::test]
async fn folders_are_left_out_and_names_stay() {
    let prompt = Entry { folder: Some("/home/ann".to_owned()), ..Event::user("go").into() };
    let lines = log(vec![prompt, Event::title("seals").into()]).await;
    assert!(lines.contains("/home/ann"), "{lines}");
    let store = MemoryStore::new();
    for _ in 0..2 {
        import(&store, &lines).await.unwrap();
        let summary = store.list(None).await.unwrap().remove(0);
        assert_eq!((summary.folder, &*summary.title), (None, "seals"));
    }
    // Beside the original nothing is left to add.
    let prompt = Entry { folder: Some("/home/ann".to_owned()), ..Event::user("go").into() };
    let store = MemoryStore::new();
    store.append("c", 0, vec![prompt]).await.unwrap();
    import(&store, &exported(&store).await).await.unwrap();
    assert_eq!(store.list(None).await.unwrap()[0].folder.as_deref(), Some("/home/ann"));
}

#[tokio::test]
async fn import_marks_its_last_event() {
    let store = MemoryStore::new();
    store.append("mine", 0, vec![Event::user("x").into()]).await.unwrap();
    import(&store, &log(vec![answer(1, "a1")]).await).await.unwrap();
    store.append("c", 2, vec![Event::user("said here").into()]).await.unwrap();
    assert_eq!(imported::head(&store, "c").await.unwrap(), 2);
    assert_eq!(imported::head(&store, "mine").await.unwrap(), 0);
    assert_eq!(Vec::from_iter(imported::all(&store).await.unwrap()), ["c"]);
    store.delete("c", 3).await.unwrap();
    assert_eq!(imported::head(&store, "c").await.unwrap(), 0);
}

#[tokio::test]
async fn open_calls_are_answered_as_not_started() {
    let lines = log(vec![call(1, "a1"), call(1, "a2"), answer(1, "a2"), call(2, "a1")]).await;
    let store = MemoryStore::new();
    assert_eq!(import(&store, &lines).await.unwrap().answered, 2);
    let entries = store.read("c", 6..=9).await.unwrap();
    for (entry, turn) in entries.iter().zip([1, 2]) {
        let Event::Result(outcome) = &entry.event else { panic!("{entry:?}") };
        assert_eq!((entry.turn, outcome.id.as_deref()), (Some(turn), Some("a1")));
        assert!(outcome.content.text().starts_with("not started"), "{outcome:?}");
    }
    assert_eq!((entries.len(), imported::head(&store, "c").await.unwrap()), (2, 7));
    // The same import again finds them answered.
    assert_eq!(import(&store, &lines).await.unwrap().answered, 0);
    assert_eq!(store.head("c").await.unwrap(), 7);
}

/// The complete export completes the import of one that was cut off.
#[tokio::test]
async fn failed_import_can_be_repeated() {
    let lines = log(vec![call(1, "a1"), answer(1, "a1")]).await;
    let store = MemoryStore::new();
    let (before, _) = lines.split_at(lines.rfind("{\"conversation").unwrap() + 20);
    let error = import(&store, before).await.unwrap_err();
    assert!(error.to_string().starts_with("line 4 does not belong to an export"), "{error}");
    assert_eq!(store.head("c").await.unwrap(), 2);
    assert_eq!(import(&store, &lines).await.unwrap().answered, 0);
    assert_eq!(
        (store.head("c").await.unwrap(), imported::head(&store, "c").await.unwrap()),
        (3, 3)
    );
    // A later export adds the new events.
    let later = log(vec![call(1, "a1"), answer(1, "a1"), answer(2, "a2")]).await;
    import(&store, &later).await.unwrap();
    assert_eq!(
        (store.head("c").await.unwrap(), imported::head(&store, "c").await.unwrap()),
        (4, 4)
    );
}

#[tokio::test]
async fn local_conversation_rejects_foreign_events() {
    let store = MemoryStore::new();
    store.append("c", 0, vec![Event::user("hello").into()]).await.unwrap();
    // An import of exactly the same events changes nothing.
    import(&store, &log(vec![]).await).await.unwrap();
    assert_eq!(imported::head(&store, "c").await.unwrap(), 0);
    let later = log(vec![call(1, "a1")]).await;
    let error = import(&store, &later).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains("\"c\" was written here"), "{error}");
    assert_eq!(store.head("c").await.unwrap(), 1);
    // Neither does an imported conversation that was continued here.
    let store = MemoryStore::new();
    import(&store, &log(vec![]).await).await.unwrap();
    store.append("c", 1, vec![call(1, "a1")]).await.unwrap();
    let later = log(vec![call(1, "a1"), answer(1, "a1")]).await;
    assert_eq!(import(&store, &later).await.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(store.head("c").await.unwrap(), 2);
    // The person's own export adds to it.
    transfer::import(&store, &mut later.as_bytes(), Provenance::Own).await.unwrap();
    assert_eq!(
        (store.head("c").await.unwrap(), imported::head(&store, "c").await.unwrap()),
        (3, 1)
    );
}

/// No store writes such lines. Each comes with a word of the error.
#[tokio::test]
async fn hostile_lines_are_rejected_with_their_number() {
    let said = |fields: &str| {
        format!(
            "{{\"conversation\":\"c\",\"event\":{{\"type\":\"user\",\"content\":\"x\"{fields}}}}}"
        )
    };
    let named = |id: &str| {
        format!("{{\"conversation\":\"{id}\",\"event\":{{\"type\":\"user\",\"content\":\"x\"}}}}")
    };
    let called = |id: &str| {
        let event = format!(
            "{{\"type\":\"call\",\"id\":\"{id}\",\"content\":\"{{\\\"name\\\":\\\"x\\\"}}\"}}"
        );
        format!("{{\"conversation\":\"c\",\"event\":{event}}}")
    };
    let long = "n".repeat(257);
    let cases = [
        (said(",\"turn\":4294967295"), "turn 4294967295 is beyond the last"),
        (said(",\"turn\":1000000001"), "turn 1000000001 is beyond the last"),
        (said(",\"seq\":7"), "its `seq` is 7 where 1 comes next"),
        (said(",\"seq\":0"), "its `seq` is 0 where 1 comes next"),
        (said(",\"seq\":18446744073709551615"), "its `seq` is 18446744073709551615"),
        (said(",\"user\":\"a\\nb\""), "the user holds the character U+000A"),
        (said(",\"user\":\"a\\u202eb\""), "the user holds the character U+202E"),
        (said(",\"user\":\"\""), "the user is empty"),
        (said(&format!(",\"user\":\"{long}\"")), "the user is 257 bytes long"),
        (said(",\"agent_path\":\"a\\u001b[2J\""), "the agent path holds the character U+001B"),
        (said(",\"conversation\":\"c\\u2028\",\"run\":\"r\""), "U+2028"),
        (said(",\"conversation\":\"c\",\"run\":\"r\\t\""), "the run id holds the character U+0009"),
        (named("a\\nb"), "the conversation id holds the character U+000A"),
        (named("a\\u009bb"), "U+009B"),
        (named("a\\u200bb"), "U+200B"),
        (named("a\\u3164b"), "U+3164"),
        (named("a\\ufe0f"), "U+FE0F"),
        (named("a\\udb40\\udd00"), "U+E0100"),
        (named(""), "the conversation id is empty"),
        (named(&long), "the conversation id is 257 bytes long"),
        (named(&long[..250]), "at most 247 are imported"),
        (called("a\\r1"), "the call id holds the character U+000D"),
        (called(&long), "the call id is 257 bytes long"),
        ("{\"conversation\":\"c\",\"event\":{\"type\":\"execute\"}}".to_owned(), "is never stored"),
        ("{\"\\u001b[2J\":1}".to_owned(), "unknown field"),
        ("\u{fffd}".to_owned(), ""),
    ];
    for (line, why) in cases {
        let store = MemoryStore::new();
        let lines = format!("{}{line}\n", log(vec![]).await.replace("\"c\"", "\"before\""));
        let Err(error) = import(&store, &lines).await else { panic!("{line} was imported") };
        let told = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Format, "{line}: {told}");
        assert!(told.starts_with("line 3 does not belong to an export: "), "{line}: {told}");
        assert!(told.contains(why), "{line}: {told}");
        assert_eq!(store.list(None).await.unwrap().len(), 1, "{line}");
    }
    for id in ["a b", "ä", "e\u{301}", "東京", "c1/2/a3~4", "it's", "a\\\\b", "🙂"] {
        let lines = format!("{{\"silcrow\":\"export 1\"}}\n{}\n", named(id));
        let moved = import(&MemoryStore::new(), &lines).await;
        assert!(moved.is_ok(), "{id}: {moved:?}");
    }
}

#[tokio::test]
async fn overflowing_turn_number_is_never_stored() {
    let store = MemoryStore::new();
    let at = |turn| Entry { turn: Some(turn), ..Event::user("x").into() };
    let error = store.append("c", 0, vec![at(validate::MAX_TURN + 1)]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    store.append("c", 0, vec![at(validate::MAX_TURN)]).await.unwrap();
}

#[tokio::test]
async fn invalid_utf8_line_is_rejected_by_number() {
    let mut lines = b"{\"silcrow\":\"export 1\"}\n\xff\n".as_slice();
    let error =
        transfer::import(&MemoryStore::new(), &mut lines, Provenance::Foreign).await.unwrap_err();
    assert!(
        error.to_string().starts_with("line 2 does not belong to an export: it is not UTF-8"),
        "{error}"
    );
}

/// A line is not read beyond its limit.
#[tokio::test]
async fn too_long_line_is_not_read_whole() {
    let head = b"{\"silcrow\":\"export 1\"}\n{\"conversation\":\"c\",\"event\":\"".as_slice();
    let mut rest = Counted { read: 0 };
    let mut lines = BufReader::new(head.chain(&mut rest));
    let error =
        transfer::import(&MemoryStore::new(), &mut lines, Provenance::Foreign).await.unwrap_err();
    let wanted = format!("line 2 does not belong to an export: it is longer than {MAX_LINE} bytes");
    assert!(error.to_string().starts_with(&wanted), "{error}");
    drop(lines);
    assert!(rest.read <= MAX_LINE + (64 << 10), "{} bytes were read", rest.read);
}

/// A reader that returns letters without end.
struct Counted {
    read: u64,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        to.fill(b'x');
        self.read += to.len() as u64;
        Ok(to.len())
    }
}

/// A value in its longest spelling fits a line, and is imported unchanged.
#[tokio::test]
async fn control_characters_are_exported_as_hex() {
    let other = MemoryStore::new();
    other.put("s", "k", 0, vec![1; 1_000]).await.unwrap();
    other.put("s", "l", 0, vec![b'"'; 1_000]).await.unwrap();
    let lines = exported(&other).await;
    assert!(lines.contains("\"hex\":\"0101"), "{lines}");
    assert!(lines.contains("\"text\":\"\\\"\\\""), "{lines}");
    let store = MemoryStore::new();
    transfer::import(&store, &mut lines.as_bytes(), Provenance::Own).await.unwrap();
    assert_eq!(exported(&store).await, lines);
}
