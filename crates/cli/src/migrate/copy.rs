//! The copy of a store: every conversation and every value, in the same order.

use silcrow_event::Entry;
use silcrow_store::verify::{Report, get_whole, read_whole};
use silcrow_store::{Error, ErrorKind, Store};

use super::Migration;

/// Copies everything that is whole from `old` to `new`, which is empty. `progress` gets the number
/// of events and values so far, and of all.
pub(super) async fn copy(
    old: &dyn Store,
    new: &dyn Store,
    migration: &mut Migration,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), Error> {
    let mut report = Report::default();
    let list = old.list(None).await?;
    let keys = old.keys().await?;
    let all = list.iter().map(|one| one.events).sum::<u64>() + keys.len() as u64;
    // The conversation that was appended to last comes last, so that the list has the same order.
    for summary in list.iter().rev() {
        let id = &summary.conversation;
        let mut head = 0;
        for first in (1..=summary.events).step_by(PAGE) {
            let page = first..=summary.events.min(first + PAGE as u64 - 1);
            let entries = read_whole(old, id, page.clone(), &mut report).await?;
            let whole: Vec<_> =
                (head + 1..).zip(entries).map_while(|(at, entry)| at_place(at, entry)).collect();
            head = append(new, id, head, whole).await?;
            progress(migration.events + head + migration.values, all);
            if head < *page.end() {
                // A log has no gaps.
                break;
            }
        }
        migration.events += head;
        migration.conversations += u64::from(head > 0);
    }
    for (space, key) in keys {
        let Some(kept) = get_whole(old, &space, &key, &mut report).await? else { continue };
        let version = kept.version.clamp(1, MAX_VERSION);
        for before in 0..version - 1 {
            new.put(&space, &key, before, Vec::new()).await?;
        }
        new.put(&space, &key, version - 1, kept.value).await?;
        migration.values += 1;
        migration.lower_versions += u64::from(version < kept.version);
        progress(migration.events + migration.values, all);
    }
    if migration.events + migration.values == 0 {
        // A store that never had anything has no files.
        new.put("migrated/nothing", "none", 0, Vec::new()).await?;
        new.delete("nothing", 0).await?;
    }
    migration.damage = report.damage;
    check(new, migration).await
}

fn at_place(at: u64, entry: Entry) -> Option<Entry> {
    (entry.seq == Some(at)).then_some(entry)
}

/// Appends entries in batches that a store takes, and returns the new head.
async fn append(
    new: &dyn Store,
    conversation: &str,
    mut head: u64,
    entries: Vec<Entry>,
) -> Result<u64, Error> {
    let (mut batch, mut size) = (Vec::new(), 0);
    for entry in entries {
        size += entry.to_json().len();
        batch.push(entry);
        if size >= MAX_BATCH {
            head = new.append(conversation, head, std::mem::take(&mut batch)).await?;
            size = 0;
        }
    }
    if batch.is_empty() { Ok(head) } else { new.append(conversation, head, batch).await }
}

/// Reads the copy back.
async fn check(new: &dyn Store, migration: &Migration) -> Result<(), Error> {
    let copied = new.verify().await?;
    let is_whole = copied.damage.is_empty()
        && copied.events == migration.events
        && copied.values == migration.values;
    if is_whole {
        return Ok(());
    }
    let why = "the copy differs from the old store, which is as it was; check the disk, then try \
               again";
    Err(Error::new(ErrorKind::Damaged, why))
}

/// The number of entries that are read at once.
const PAGE: usize = 64;

/// The size of a batch, in bytes, from which it is appended.
const MAX_BATCH: usize = 1 << 20;

/// The highest version that a value keeps. Each version costs a record.
const MAX_VERSION: u64 = 100_000;

#[cfg(test)]
mod tests {
    use silcrow_event::Event;
    use silcrow_store::{MemoryStore, verify::Place};
    use silcrow_store_log::{LogStore, Options};

    use super::*;

    /// A log without its end is what a killed run leaves, so it is a log that can be continued.
    #[tokio::test]
    async fn of_a_damaged_conversation_the_events_before_the_damage_are_copied() {
        let dir = tempfile::tempdir().unwrap();
        let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
        for id in ["c1", "c2"] {
            let said = (1..=100).map(|number| Event::user(format!("{id} {number}.")).into());
            store.append(id, 0, said.collect()).await.unwrap();
        }
        store.put("s", "k", 0, b"whole".to_vec()).await.unwrap();
        drop(store);
        let segment = std::fs::read_dir(dir.path().join("log")).unwrap().next().unwrap().unwrap();
        let mut bytes = std::fs::read(segment.path()).unwrap();
        let words = b"c1 90.";
        let at = bytes.windows(words.len()).position(|window| window == words).unwrap();
        bytes[at] ^= 1;
        std::fs::write(segment.path(), bytes).unwrap();

        let old = LogStore::open(dir.path(), Options::default()).await.unwrap();
        let (new, mut migration) = (MemoryStore::new(), Migration::default());
        let mut last = (0, 0);
        copy(&old, &new, &mut migration, |done, of| last = (done, of)).await.unwrap();
        assert_eq!((new.head("c1").await.unwrap(), new.head("c2").await.unwrap()), (89, 100));
        assert_eq!((migration.conversations, migration.events, migration.values), (2, 189, 1));
        assert_eq!(last, (190, 201));
        let places: Vec<_> = migration.damage.iter().map(|damage| damage.place.clone()).collect();
        let positions = 90..=90;
        assert_eq!(places, [Place::Events { conversation: "c1".into(), positions }]);
    }

    #[tokio::test]
    async fn a_value_keeps_its_version_up_to_the_highest() {
        let (old, new) = (MemoryStore::new(), MemoryStore::new());
        for version in 0..=MAX_VERSION {
            old.put("s", "high", version, version.to_string().into_bytes()).await.unwrap();
        }
        old.put("s", "low", 0, b"v".to_vec()).await.unwrap();
        let mut migration = Migration::default();
        copy(&old, &new, &mut migration, |_, _| {}).await.unwrap();
        let high = new.get("s", "high").await.unwrap().unwrap();
        assert_eq!((high.version, high.value), (MAX_VERSION, MAX_VERSION.to_string().into_bytes()));
        assert_eq!(new.get("s", "low").await.unwrap().unwrap().version, 1);
        assert_eq!(migration.lower_versions, 1);
    }
}
