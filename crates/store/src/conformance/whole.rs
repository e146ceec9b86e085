//! Checks of a whole store: `keys`, `verify`, `search`, export and import.

use std::sync::Arc;

use silcrow_event::{Entry, Event, Timestamp};

use super::sample::{batch, every_kind, said};
use super::{append, must, must_fail};
use crate::error::ErrorKind;
use crate::search::Query;
use crate::store::Store;
use crate::transfer::{Provenance, TransferCounts, export, import};
use crate::verify::Report;

pub(super) async fn keys(store: Arc<dyn Store>) {
    let keys = must("asking for the keys", store.keys().await);
    assert!(keys.is_empty(), "an empty store has no keys, not {keys:?}");
    let mut wanted = Vec::new();
    for (space, key) in [("b", "1"), ("a", "2"), ("a", "10"), ("ab", "\u{0}"), ("ä", "a/b")] {
        for version in 0..3 {
            must("putting", store.put(space, key, version, vec![1; 5_000]).await);
        }
        wanted.push((space.to_owned(), key.to_owned()));
    }
    wanted.sort();
    let keys = must("asking for the keys", store.keys().await);
    assert_eq!(keys, wanted, "each key comes once, in order");
}

pub(super) async fn verify(store: Arc<dyn Store>) {
    assert_eq!(must("verifying", store.verify().await), Report::default(), "it is empty");
    append(&*store, "kinds", 0, every_kind()).await;
    append(&*store, "long", 0, batch(0..200)).await;
    append(&*store, "gone", 0, batch(0..20)).await;
    must("deleting", store.delete("gone", 20).await);
    must("putting", store.put("s", "k", 0, vec![9; 30_000]).await);
    let events = 200 + every_kind().len() as u64;
    let wanted = Report { conversations: 2, events, values: 1, damage: vec![], lost: vec![] };
    assert_eq!(must("verifying", store.verify().await), wanted, "nothing is damaged");
}

pub(super) async fn search(store: Arc<dyn Store>) {
    let at = |seconds: i64, event: Event| {
        let time = Timestamp::from_nanos(seconds * 1_000_000_000);
        Entry { timestamp: Some(time), ..event.into() }
    };
    let old = vec![
        at(1, Event::user("Where do whales sleep?")),
        at(2, Event::think("whales whales blue")),
        at(3, Event::respond("Blue WHALES sleep near the surface.")),
    ];
    append(&*store, "old", 0, old).await;
    append(&*store, "new", 0, vec![at(9, Event::user("a whale, and its surf\nace"))]).await;
    append(&*store, "cafe", 0, vec![at(8, Event::user("Straße zum CAFÉ"))]).await;
    append(&*store, "mine", 0, vec![at(10, Event::user("blue whales sleep"))]).await;
    let found = async |words: &str, limit: usize| {
        let except = Some("mine".to_owned());
        let query = Query { words: words.to_owned(), except, limit, ..Query::default() };
        let hits = must("searching", store.search(&query).await);
        let name = |entry: &Entry| entry.seq.unwrap_or_default();
        hits.iter().map(|hit| format!("{} {}", hit.conversation, name(&hit.entry))).collect()
    };
    let cases: &[(&str, usize, &[&str])] = &[
        ("whale", 9, &["new 1", "old 3", "old 1"]),
        ("whale", 2, &["new 1", "old 3"]),
        ("whale", 0, &[]),
        ("Whales blue", 9, &["old 3", "old 1"]),
        ("surface whales whales", 9, &["old 3", "old 1"]),
        ("sleep? nothing", 9, &["old 1"]),
        ("cafe strasse", 9, &["cafe 1"]),
        ("CAFÉ", 9, &["cafe 1"]),
        ("squid", 9, &[]),
        ("", 9, &[]),
    ];
    for (words, limit, wanted) in cases {
        let found: Vec<String> = found(words, *limit).await;
        assert_eq!(found, *wanted, "a search for {words:?}, at most {limit}");
    }
    // These are added or removed after the first search.
    append(&*store, "old", 3, vec![at(20, Event::user("a squid"))]).await;
    assert_eq!(found("squid", 9).await, ["old 4"], "what is new is found");
    must("deleting", store.delete("new", 1).await);
    assert_eq!(found("whale", 9).await, ["old 3", "old 1"], "what is deleted is not found");
    append(&*store, "new", 0, vec![at(30, Event::user("an orca"))]).await;
    assert_eq!(found("whale", 9).await, ["old 3", "old 1"], "nor when there is another");
    assert_eq!(found("orca", 9).await, ["new 1"], "the other is found");
}

pub(super) async fn transfer(store: Arc<dyn Store>) {
    let lines = sample();
    let moved = must("importing", import(&*store, &mut lines.as_bytes(), Provenance::Own).await);
    let events = every_kind().len() as u64 + 300;
    let wanted =
        TransferCounts { conversations: 2, events, values: 3, ..TransferCounts::default() };
    assert_eq!(moved, wanted, "what was imported");
    must_export(&*store, None, &lines).await;
    // Data that the store already has stays as it is.
    must("importing again", import(&*store, &mut lines.as_bytes(), Provenance::Own).await);
    must_export(&*store, None, &lines).await;
    // This exports one conversation with its data.
    let is_its = |line: &&str| !line.contains("\"long\"") && !line.contains("\"space\":\"s\"");
    let alone: String = lines.lines().filter(is_its).map(|line| format!("{line}\n")).collect();
    must_export(&*store, Some("kinds"), &alone).await;

    append(&*store, "long", 300, batch(0..1)).await;
    must(
        "importing where there is more",
        import(&*store, &mut lines.as_bytes(), Provenance::Own).await,
    );
    let other = lines.replace("line 7\"", "another\"");
    must_fail("importing where there is something else", ErrorKind::Conflict, {
        import(&*store, &mut other.as_bytes(), Provenance::Own).await
    });
    for wrong in [
        "",
        "{}",
        "[]",
        "{\"conversation\":\"c\"}",
        "{\"space\":\"s\",\"key\":\"k\",\"hex\":\"f\"}",
    ] {
        let text = format!("{{\"silcrow\":\"export 1\"}}\n{wrong}\n");
        let what = format!("importing the line {wrong:?}");
        must_fail(
            &what,
            ErrorKind::Format,
            import(&*store, &mut text.as_bytes(), Provenance::Own).await,
        );
        must_fail("importing without a head", ErrorKind::Format, {
            import(&*store, &mut format!("{wrong}\n").as_bytes(), Provenance::Own).await
        });
    }
}

async fn must_export(store: &dyn Store, conversation: Option<&str>, wanted: &str) {
    let mut out = Vec::new();
    must("exporting", export(store, conversation, &mut out).await);
    let out = String::from_utf8(out).expect("an export is text");
    for (out, wanted) in out.lines().zip(wanted.lines()) {
        assert_eq!(out, wanted, "an export gives what was imported, byte for byte");
    }
    assert_eq!(out.lines().count(), wanted.lines().count(), "the lines of an export");
}

/// An export, as every store must write it.
fn sample() -> String {
    let mut lines = vec![r#"{"silcrow":"export 1"}"#.to_owned()];
    let mut log = |conversation: &str, entries: Vec<Entry>| {
        lines.extend(super::placed(0, entries).iter().map(|entry| {
            format!("{{\"conversation\":\"{conversation}\",\"event\":{}}}", entry.to_json())
        }));
    };
    log("long", (0..300).map(said).collect());
    log("kinds", every_kind());
    lines.push(r#"{"space":"s","key":"bytes","hex":"00ff80"}"#.to_owned());
    lines.push(r#"{"space":"s","key":"k","text":"a \"text\"\n"}"#.to_owned());
    lines.push(r#"{"space":"started/kinds","key":"1/a1","text":""}"#.to_owned());
    lines.iter().map(|line| format!("{line}\n")).collect()
}
