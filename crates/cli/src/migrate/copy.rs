//! The copy of an old store: every conversation and every value, in the same order.

use silcrow_event::Entry;
use silcrow_store::verify::{Damage, Place, Report};
use silcrow_store::{Error, ErrorKind, Store, Versioned};
use silcrow_store_sled::SledReader;

use super::Migration;

/// Copies everything that is whole from `old` to `new`, which is empty. `progress` gets the number
/// of events and values so far, and of all.
pub(super) async fn copy(
    old: &SledReader,
    new: &dyn Store,
    migration: &mut Migration,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), Error> {
    let mut report = Report::default();
    let conversations = old.conversations(&mut report);
    let conversations = conversations.or_else(|error| report.unread("conversations", error))?;
    let keys = old.keys(&mut report).or_else(|error| report.unread("values", error))?;
    let all = conversations.iter().map(|one| one.events).sum::<u64>() + keys.len() as u64;
    for conversation in &conversations {
        let before = migration.events;
        let events = old.events(&conversation.id)?;
        let copied = copy_events(events, new, &conversation.id, &mut report, |head| {
            progress(before + head, all);
        });
        let head = copied.await?;
        migration.events += head;
        migration.conversations += u64::from(head > 0);
    }
    for (space, key) in keys {
        match old.value(&space, &key) {
            Ok(Some(value)) => {
                let is_lower = copy_value(new, &space, &key, value).await?;
                migration.values += 1;
                migration.lower_versions += u64::from(is_lower);
            }
            Ok(None) => {}
            Err(error) if is_damage(&error) => {
                let (place, why) = (Place::Value { space, key }, error.to_string());
                report.damage.push(Damage { place, why });
            }
            Err(error) => return Err(error),
        }
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

/// Copies the events before the first damaged one, because a log has no gaps, and returns how many
/// they are. A log without its end is what a killed run leaves, so it can be continued.
async fn copy_events(
    events: impl Iterator<Item = Result<Entry, Error>>,
    new: &dyn Store,
    conversation: &str,
    report: &mut Report,
    mut progress: impl FnMut(u64),
) -> Result<u64, Error> {
    let (mut head, mut batch, mut size) = (0, Vec::new(), 0);
    for entry in events {
        match entry {
            Ok(entry) => {
                size += entry.to_json().len();
                batch.push(entry);
            }
            Err(error) if is_damage(&error) => {
                report.add_event(conversation, head + batch.len() as u64 + 1, error.to_string());
                break;
            }
            Err(error) => return Err(error),
        }
        if size >= MAX_BATCH || batch.len() == PAGE {
            head = new.append(conversation, head, std::mem::take(&mut batch)).await?;
            size = 0;
            progress(head);
        }
    }
    if !batch.is_empty() {
        head = new.append(conversation, head, batch).await?;
        progress(head);
    }
    Ok(head)
}

/// Copies a value with its version, and returns whether the version is lower than it was.
async fn copy_value(
    new: &dyn Store,
    space: &str,
    key: &str,
    kept: Versioned,
) -> Result<bool, Error> {
    let version = kept.version.clamp(1, MAX_VERSION);
    for before in 0..version - 1 {
        new.put(space, key, before, Vec::new()).await?;
    }
    new.put(space, key, version - 1, kept.value).await?;
    Ok(version < kept.version)
}

/// Returns whether this cannot be read although the rest may be readable.
const fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Unavailable)
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

/// The number of entries that are appended at once.
const PAGE: usize = 64;

/// The size of a batch, in bytes, from which it is appended.
const MAX_BATCH: usize = 1 << 20;

/// The highest version that a value keeps. Each version costs a record.
const MAX_VERSION: u64 = 100_000;

#[cfg(test)]
mod tests {
    use silcrow_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_value_keeps_its_version_up_to_the_highest() {
        let new = MemoryStore::new();
        for (key, version, is_lower) in
            [("low", 1, false), ("high", MAX_VERSION, false), ("higher", MAX_VERSION + 1, true)]
        {
            let kept = Versioned { version, value: key.into() };
            assert_eq!(copy_value(&new, "s", key, kept).await.unwrap(), is_lower);
            let copied = new.get("s", key).await.unwrap().unwrap();
            assert_eq!((copied.version, copied.value), (version.min(MAX_VERSION), key.into()));
        }
    }
}
