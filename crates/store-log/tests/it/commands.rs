//! The commands for a store, each on a store that gives it something to do.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use silcrow_event::{Entry, Event};
use silcrow_store::search::Query;
use silcrow_store::transfer::{self, Provenance};
use silcrow_store::{Error, ErrorKind, MemoryStore, Store as _};
use silcrow_store_log::{Durability, LogStore, Options};
use tempfile::TempDir;

use crate::files::{copy, segments};

pub(crate) const COMMANDS: [&str; 8] =
    ["append", "compact", "delete", "read", "export", "import", "import own", "mend"];

/// A command, the store that it begins with, and the contents of the store before and after it.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) model: TempDir,
    pub(crate) before: State,
    pub(crate) after: State,
}

/// Everything that a store has.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// The lines of its export and the versions of its values, sorted.
    pub(crate) lines: Vec<String>,
    /// The output of `verify`.
    pub(crate) damage: Vec<String>,
    pub(crate) lost: Vec<String>,
}

impl fmt::Debug for State {
    /// Writes the beginnings of the lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |line: &String| line.chars().take(80).collect::<String>();
        f.debug_struct("State")
            .field("lines", &self.lines.iter().map(short).collect::<Vec<_>>())
            .field("damage", &self.damage)
            .field("lost", &self.lost)
            .finish()
    }
}

impl Task {
    pub(crate) async fn new(name: &'static str) -> Self {
        let model = model().await;
        if name == "mend" {
            // Of the first and of the last segment, and the last record.
            let store = open(model.path()).await;
            store.put("s", "k", 3, b"value 4 of k".to_vec()).await.unwrap();
            flip(model.path(), "event 2 of c");
            flip(model.path(), "event 6 of d");
            flip(model.path(), "value 4 of k");
        }
        let before = state(&open(model.path()).await).await.unwrap();
        let done = copy(model.path());
        let store = open(done.path()).await;
        perform(name, &store).await.unwrap();
        let after = state(&store).await.unwrap();
        assert_eq!(after.damage, [""; 0]);
        let changes = ["append", "delete", "import", "import own"].contains(&name);
        assert_eq!(before.lines != after.lines, changes, "{name}");
        assert_eq!(
            (before.damage.len(), after.lost.len()),
            if name == "mend" { (3, 2) } else { (0, 0) }
        );
        Self { name, model, before, after }
    }

    /// Checks the state after an interrupted command, or after one that reported success.
    pub(crate) fn check(&self, found: &State, is_done: bool, what: &str) {
        if is_done {
            return assert_eq!(*found, self.after, "{what}: done");
        }
        if self.name.starts_with("import") {
            // Conversation by conversation and value by value.
            let is_in = |lines: &[String], all: &[String]| {
                lines.iter().all(|line| all.binary_search(line).is_ok())
            };
            assert!(found.lines.is_sorted_by(|one, next| one < next), "{what}: twice: {found:?}");
            assert!(is_in(&self.before.lines, &found.lines), "{what}: lost: {found:?}");
            assert!(is_in(&found.lines, &self.after.lines), "{what}: {found:?}");
        } else {
            let lines = &found.lines;
            assert!([&self.before.lines, &self.after.lines].contains(&lines), "{what}: {found:?}");
        }
        if self.name == "mend" {
            let named = found.damage.len() + found.lost.len();
            assert!(named >= 2, "{what}: nobody says what is lost: {found:?}");
        } else {
            assert_eq!((&found.damage, &found.lost), (&vec![], &vec![]), "{what}");
        }
    }
}

pub(crate) async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

/// Executes a command. If it was executed before, it does nothing.
pub(crate) async fn perform(name: &str, store: &LogStore) -> Result<(), Error> {
    match name {
        "append" => {
            store.recover().await?;
            if store.head("c").await? < 9 {
                store.append("c", 6, (7..10).map(|n| event("c", n)).collect()).await?;
            }
        }
        "delete" => {
            store.recover().await?;
            let head = store.head("d").await?;
            store.delete("d", head).await?;
        }
        "compact" => drop(store.compact().await?),
        "mend" => drop(store.mend().await?),
        "import" => import(store, Provenance::Foreign).await?,
        "import own" => import(store, Provenance::Own).await?,
        "export" => {
            let report = transfer::export(store, None, &mut Vec::new()).await?;
            assert_eq!((report.events, report.values, report.damage), (12, 2, vec![]));
        }
        "read" => read(store).await?,
        "recover" => store.recover().await?,
        other => panic!("{other}"),
    }
    Ok(())
}

async fn import(store: &LogStore, provenance: Provenance) -> Result<(), Error> {
    store.recover().await?;
    let other = MemoryStore::new();
    for (id, count) in [("e", 1), ("f", 4), ("g", 2)] {
        other.append(id, 0, (1..=count).map(|n| event(id, n)).collect()).await?;
    }
    other.put("s", "other", 0, b"value 1 of other".to_vec()).await?;
    let mut lines = Vec::new();
    transfer::export(&other, None, &mut lines).await?;
    let counts = transfer::import(store, &mut &lines[..], provenance).await?;
    assert_eq!((counts.conversations, counts.events), (3, 7));
    Ok(())
}

/// Everything that is read is right, or an error says that it could not be read.
async fn read(store: &LogStore) -> Result<(), Error> {
    let list = store.list(None).await?;
    let list: Vec<_> = list.iter().map(|one| (&*one.conversation, one.events)).collect();
    assert_eq!(list, [("d", 6), ("c", 6)]);
    for id in ["c", "d"] {
        let wanted: Vec<_> = (1..7).map(|n| Entry { seq: Some(n), ..event(id, n) }).collect();
        assert_eq!(store.read(id, 1..=u64::MAX).await?, wanted);
        assert_eq!(store.head(id).await?, 6);
        let mut events = store.follow(id, 0);
        for wanted in &wanted {
            assert_eq!(events.next().await.expect("a log has no end")?, *wanted);
        }
    }
    let kept = store.get("s", "k").await?.expect("it is there");
    assert_eq!((kept.version, &*kept.value), (3, &b"value 3 of k"[..]));
    assert_eq!((store.head("gone").await?, store.get("of/gone", "k").await?), (0, None));
    let query = Query { words: "4 of".to_owned(), ..Query::default() };
    assert_eq!(store.search(&query).await?.iter().filter(|hit| hit.matched_words == 2).count(), 2);
    let report = store.verify().await?;
    assert_eq!((report.events, report.values, report.damage), (12, 2, vec![]));
    Ok(())
}

pub(crate) async fn state(store: &LogStore) -> Result<State, Error> {
    let mut out = Vec::new();
    transfer::export(store, None, &mut out).await?;
    let mut lines: Vec<_> = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    for (space, key) in store.keys().await? {
        match store.get(&space, &key).await {
            Ok(Some(kept)) => lines.push(format!("version of {space} {key}: {}", kept.version)),
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::Damaged => {}
            Err(error) => return Err(error),
        }
    }
    lines.sort_unstable();
    let report = store.verify().await?;
    let damage = report.damage.iter().map(|damage| format!("{damage:?}")).collect();
    let lost = report.lost.iter().map(|place| format!("{place:?}")).collect();
    Ok(State { lines, damage, lost })
}

/// A store of three short segments, each with something that no longer counts.
async fn model() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Process };
    let store = LogStore::open(dir.path(), options).await.unwrap();
    store.put("relic/notes", "k", 0, vec![0, 255]).await.unwrap();
    for round in 0..3 {
        for id in ["c", "d"] {
            let batch = [2 * round + 1, 2 * round + 2].map(|n| event(id, n));
            store.append(id, 2 * round, batch.into()).await.unwrap();
        }
        store.append("gone", 0, vec![event("gone", 1), event("gone", 2)]).await.unwrap();
        store.put("of/gone", "k", 0, vec![7; 300]).await.unwrap();
        let value = format!("value {} of k", round + 1).into_bytes();
        store.put("s", "k", round, value).await.unwrap();
        store.delete("gone", 2).await.unwrap();
        if round < 2 {
            // If something of the last segment no longer counts, this begins another one.
            store.compact().await.unwrap();
        }
    }
    assert_eq!(segments(dir.path()).len(), 3);
    dir
}

fn event(id: &str, n: u64) -> Entry {
    Event::user(format!("event {n} of {id} {}", "and more ".repeat(100 * n as usize % 700))).into()
}

/// Changes one bit where `text` is.
fn flip(dir: &Path, text: &str) {
    let is_there = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    let paths: Vec<_> = segments(dir).iter().map(|name| dir.join(name)).collect();
    let path = paths.iter().find(|path| is_there(path)).expect("it is in a segment");
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}
