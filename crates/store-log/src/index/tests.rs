//! The index beside a search that reads all of the store.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store::search::{self, Hit, Query, SearchedUser};

use crate::shared::Shared;
use crate::{Durability, LogStore, Options};

/// Something that happens to a store.
#[derive(Clone, Debug)]
enum Step {
    Append {
        conversation: usize,
        events: Vec<TestEvent>,
    },
    Delete {
        conversation: usize,
    },
    Compact,
    /// One bit of the last segments flips, at this part of them.
    Flip {
        at: f64,
    },
    Mend,
    Search {
        words: Vec<usize>,
        /// One of the users; the number after theirs stands for no user.
        user: Option<usize>,
        except: Option<usize>,
        limit: usize,
    },
}

#[derive(Clone, Debug)]
struct TestEvent {
    kind: u8,
    words: Vec<usize>,
    user: Option<usize>,
    time: Option<i64>,
}

const WORDS: [&str; 12] = [
    "red",
    "Reddish",
    "GREEN,",
    "gree",
    "ΟΔΥΣΣΕΥΣ",
    "σ",
    "straße",
    "ÄRGER\u{a0}x",
    "日本語の文",
    "本",
    "respond",
    "a.b/c",
];
const CONVERSATIONS: [&str; 4] = ["a", "b", "a/call", "ab"];
const USERS: [&str; 2] = ["ann", "Bob"];

fn step() -> impl Strategy<Value = Step> {
    let words = || vec(0..WORDS.len(), 0..4);
    let user = || proptest::option::of(0..USERS.len());
    let event = (0..4_u8, words(), user(), proptest::option::of(0..4_i64))
        .prop_map(|(kind, words, user, time)| TestEvent { kind, words, user, time });
    let conversation = || 0..CONVERSATIONS.len();
    prop_oneof![
        6 => (conversation(), vec(event, 1..6))
            .prop_map(|(conversation, events)| Step::Append { conversation, events }),
        2 => conversation().prop_map(|conversation| Step::Delete { conversation }),
        1 => Just(Step::Compact),
        1 => (0.0..1.0).prop_map(|at| Step::Flip { at }),
        1 => Just(Step::Mend),
        5 => (words(), proptest::option::of(0..=USERS.len()), proptest::option::of(conversation()), 0..8_usize).prop_map(
            |(words, user, except, limit)| Step::Search { words, user, except, limit }
        ),
    ]
}

fn entry(event: &TestEvent) -> Entry {
    let words: Vec<_> = event.words.iter().map(|word| WORDS[*word]).collect();
    let text = words.join(if event.kind == 3 { "\n" } else { " " });
    let said = match event.kind {
        0 | 3 => Event::user(text),
        1 => Event::respond(text),
        _ => Event::think(text),
    };
    let timestamp = event.time.map(Timestamp::from_nanos);
    Entry { timestamp, user: event.user.map(|user| USERS[user].to_owned()), ..said.into() }
}

async fn open(dir: &Path) -> LogStore {
    let options = Options { durability: Durability::Process };
    LogStore::open(dir, options).await.unwrap()
}

/// Returns the hits of the index, and the notices.
fn find(shared: &Shared, query: &Query) -> (Option<Vec<Hit>>, Vec<String>) {
    let notices = RefCell::new(Vec::new());
    let notify = |text: &str| notices.borrow_mut().push(text.to_owned());
    let hits = super::search(shared, query, 0, &notify);
    (hits, notices.into_inner())
}

async fn run(steps: Vec<Step>) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    let mut shared = Shared::new(dir.path().to_owned());
    let mut is_as_written = true;
    for step in steps {
        is_as_written &= !matches!(step, Step::Compact | Step::Flip { .. } | Step::Mend);
        match step {
            Step::Append { conversation, events } => {
                let conversation = CONVERSATIONS[conversation];
                let head = store.head(conversation).await.unwrap();
                store.append(conversation, head, events.iter().map(entry).collect()).await.unwrap();
            }
            Step::Delete { conversation } => {
                let conversation = CONVERSATIONS[conversation];
                let head = store.head(conversation).await.unwrap();
                store.delete(conversation, head).await.unwrap();
            }
            Step::Compact => drop(store.compact().await.unwrap()),
            Step::Mend => drop(store.mend().await.unwrap()),
            Step::Flip { at } => {
                flip_log(dir.path(), at);
                // A process that has read the log before it was damaged still knows more about an
                // event than another one: that it names a user.
                shared = Shared::new(dir.path().to_owned());
            }
            Step::Search { words, user, except, limit } => {
                let words: Vec<_> = words.iter().map(|word| WORDS[*word]).collect();
                let query = Query {
                    words: words.join(" "),
                    user: user.map_or(SearchedUser::Any, |user| match USERS.get(user) {
                        Some(user) => SearchedUser::One((*user).to_owned()),
                        None => SearchedUser::Nobody,
                    }),
                    except: except.map(|except| CONVERSATIONS[except].to_owned()),
                    limit,
                };
                let wanted = search::read_all(&open(dir.path()).await, &query).await.unwrap();
                for shared in [&shared, &Shared::new(dir.path().to_owned())] {
                    let (hits, notices) = find(shared, &query);
                    let is_again = notices.iter().any(|notice| notice.contains("again"));
                    assert!(!(is_as_written && is_again), "{notices:?}");
                    if let Some(hits) = hits {
                        assert_eq!(hits, wanted, "{query:?}");
                    } else {
                        let log = shared.log().unwrap();
                        let is_whole = log.view.damage().is_empty() && log.position.segment > 0;
                        assert!(!is_whole, "an index can be made of a whole log");
                    }
                }
            }
        }
    }
}

/// Flips a bit in the contents of the segments, counted from their end.
fn flip_log(dir: &Path, at: f64) {
    let mut paths = files(&dir.join("log"));
    paths.sort();
    let Some(path) = paths.last() else { return };
    let mut bytes = fs::read(path).unwrap();
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let Some(byte) = bytes.get_mut((length as f64 * at) as usize) else { return };
    *byte ^= 4;
    fs::write(path, bytes).unwrap();
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever happens to the store, the index finds the same as reading all of it.
    #[test]
    fn index_search_equals_full_scan(steps in vec(step(), 1..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(steps));
    }
}

/// A store with an index, and the results of a search in it.
async fn indexed(dir: &Path) -> (Shared, Query, Vec<Hit>) {
    let store = open(dir).await;
    for conversation in 0..20 {
        let said = |n: u64| Event::user(format!("apple{} pear{n} {conversation}", n % 7)).into();
        store.append(&format!("c{conversation}"), 0, (0..40).map(said).collect()).await.unwrap();
    }
    let query = Query { words: "ple3 pear17".to_owned(), limit: 50, ..Query::default() };
    let shared = Shared::new(dir.to_owned());
    let (hits, notices) = find(&shared, &query);
    let made = format!("building the search index of {}", dir.display());
    assert_eq!(notices, [made]);
    let hits = hits.expect("there is an index");
    assert_eq!(hits, search::read_all(&store, &query).await.unwrap());
    assert_eq!(find(&shared, &query), (Some(hits.clone()), Vec::new()));
    (shared, query, hits)
}

#[tokio::test]
async fn flipped_index_bit_costs_only_time() {
    let dir = tempfile::tempdir().unwrap();
    let (shared, query, hits) = indexed(dir.path()).await;
    let flips = std::env::var("SILCROW_FLIPS").map_or(40, |flips| flips.parse().unwrap());
    for round in 0..flips {
        let mut random = u64::wrapping_mul(round, 0x9E37_79B9_7F4A_7C15);
        random ^= random >> 31;
        let paths = files(&dir.path().join("index"));
        let filled = |path: &&PathBuf| path.metadata().unwrap().len() > 0;
        let paths: Vec<_> = paths.iter().filter(filled).collect();
        let path = paths[random as usize % paths.len()];
        let mut bytes = fs::read(path).unwrap();
        let at = (random >> 20) as usize % bytes.len();
        bytes[at] ^= 1 << (random % 8);
        fs::write(path, bytes).unwrap();
        let (found, notices) = find(&shared, &query);
        assert_eq!(found.as_ref(), Some(&hits), "byte {at} of {path:?}");
        assert!(notices[0].ends_with("again: it was damaged, or left unfinished"), "{notices:?}");
    }
}

#[tokio::test]
async fn a_removed_or_shortened_index_is_built_again() {
    let dir = tempfile::tempdir().unwrap();
    let (shared, query, hits) = indexed(dir.path()).await;
    for path in files(&dir.path().join("index")) {
        if path.ends_with("LOCK") {
            continue;
        }
        let name = path.file_name().unwrap();
        for is_removed in [true, false] {
            // Some names change with each build.
            let Ok(length) = fs::metadata(&path).map(|found| found.len()) else { continue };
            if is_removed {
                fs::remove_file(&path).unwrap();
            } else {
                fs::File::options().write(true).open(&path).unwrap().set_len(length / 2).unwrap();
            }
            let (found, notices) = find(&shared, &query);
            assert_eq!((found.as_ref(), notices.len()), (Some(&hits), 1), "{name:?}");
        }
    }
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    assert_eq!(find(&shared, &query).0, Some(hits));
}

#[tokio::test]
async fn the_index_of_another_store_is_not_used() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (shared, query, hits) = indexed(dir.path()).await;
    indexed(other.path()).await;
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    fs::rename(other.path().join("index"), dir.path().join("index")).unwrap();
    let (found, notices) = find(&shared, &query);
    assert_eq!(found, Some(hits));
    assert!(notices[0].ends_with("again: it does not fit the log"), "{notices:?}");
}

/// The same store as it was before its last events were written, as after a power cut.
#[tokio::test]
async fn index_ahead_of_the_log_is_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let (_, query, _) = indexed(dir.path()).await;
    let kept: Vec<_> = files(&dir.path().join("log"));
    let kept: Vec<_> = kept.into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    let mark = fs::read(dir.path().join("MARK")).unwrap();
    let append = async |text: &str| {
        let events = (0..30).map(|n| Event::user(format!("{text} {n}")).into()).collect();
        open(dir.path()).await.append("late", 0, events).await.unwrap();
    };
    append("pear17 first").await;
    find(&Shared::new(dir.path().to_owned()), &query).0.unwrap();
    kept.into_iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
    fs::write(dir.path().join("MARK"), mark).unwrap();
    append("PEAR17 apple3 other").await;
    let (found, notices) = find(&Shared::new(dir.path().to_owned()), &query);
    let wanted = search::read_all(&open(dir.path()).await, &query).await.unwrap();
    assert_eq!((found, notices.len()), (Some(wanted), 1));
}

/// The deletion is in a small block, and the deleted event in a large one.
#[tokio::test]
async fn deleted_conversation_is_not_found_under_reused_name() {
    let dir = tempfile::tempdir().unwrap();
    let (shared, query, _) = indexed(dir.path()).await;
    let store = open(dir.path()).await;
    store.delete("c3", 40).await.unwrap();
    let said = |n: u64| Event::user(format!("other pear{}", n + 7)).into();
    store.append("c3", 0, (0..20).map(said).collect()).await.unwrap();
    let wanted = search::read_all(&store, &query).await.unwrap();
    assert_eq!(find(&shared, &query), (Some(wanted), Vec::new()));
}

/// Deletions that a compaction has dropped before the index has read them.
#[tokio::test]
async fn compacted_deletion_is_not_missed() {
    let dir = tempfile::tempdir().unwrap();
    let (shared, query, _) = indexed(dir.path()).await;
    let store = open(dir.path()).await;
    let fill = async |name: &str| {
        let event = Event::think("x".repeat(5 << 20));
        store.append(name, 0, vec![event.into()]).await.unwrap();
    };
    fill("one").await;
    store.delete("c3", 40).await.unwrap();
    fill("two").await;
    store.compact().await.unwrap();
    let said = |n: u64| Event::user(format!("pear17 again {n}")).into();
    store.append("c3", 0, (0..40).map(said).collect()).await.unwrap();
    let wanted = search::read_all(&store, &query).await.unwrap();
    assert_eq!(find(&shared, &query).0, Some(wanted));
}
