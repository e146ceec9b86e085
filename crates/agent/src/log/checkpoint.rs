//! The part of a conversation that a run need not read, noted beside the log by an earlier run.
//!
//! The context says which entries its requests depend on. A run also needs the owner of the
//! conversation, its grants, and its open calls. All of this follows from the log: if the
//! checkpoint is missing or does not fit the log any more, a run reads the whole log.

use serde_json::{Value, json};
use silcrow_context::{ContextAssembler, NeededEntries};
use silcrow_event::{CallKind, Entry, Event};
use silcrow_store::{Error, OpenCalls, Store, spaces};

use super::grants::StoredApproval;

/// A run's note on the beginning of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    needed: NeededEntries,
    /// The permissions that a person gave in the part that need not be read. Each is checked again.
    grants: Vec<StoredApproval>,
}

/// The checkpoint of a conversation as a run found it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredCheckpoint {
    /// The version of the value, or 0 without one.
    version: u64,
    checkpoint: Option<Checkpoint>,
}

impl StoredCheckpoint {
    /// Reads the checkpoint of a conversation. A short one needs none.
    pub(crate) async fn load(
        store: &dyn Store,
        conversation: &str,
        head: u64,
    ) -> Result<Self, Error> {
        if head < LONG {
            return Ok(Self::default());
        }
        let kept = store.get(&spaces::checkpoint(conversation), KEY).await?;
        Ok(kept.map_or_else(Self::default, |kept| Self {
            version: kept.version,
            checkpoint: parse(&kept.value),
        }))
    }

    /// Reads the entries up to `head` that a run depends on. Returns `None` if a run has to read the
    /// whole log.
    pub(crate) async fn read(
        &self,
        store: &dyn Store,
        conversation: &str,
        head: u64,
    ) -> Result<Option<Vec<Entry>>, Error> {
        let Some(Checkpoint { needed, .. }) = &self.checkpoint else { return Ok(None) };
        if needed.from > head {
            return Ok(None);
        }
        let mut entries = Vec::new();
        for seq in &needed.single {
            entries.append(&mut store.read(conversation, *seq..=*seq).await?);
        }
        let mut rest = store.read(conversation, needed.from..=head).await?;
        let is_complete = entries.len() == needed.single.len()
            && rest.len() as u64 == head - needed.from + 1
            && needed.suffice_with(&rest);
        entries.append(&mut rest);
        Ok(is_complete.then_some(entries))
    }

    /// Returns the grants in the entries that are not read.
    pub(crate) fn grants(&self) -> Vec<StoredApproval> {
        self.checkpoint.as_ref().map_or_else(Vec::new, |checkpoint| checkpoint.grants.clone())
    }

    /// Returns whether the entries that were read are enough for a context. They are not once a person
    /// takes the summary back.
    pub(crate) fn suffices_for(&self, entries: &[Entry]) -> bool {
        let last = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Summary(summary) => Some(summary.until),
            _ => None,
        });
        self.checkpoint.as_ref().is_some_and(|checkpoint| last >= Some(checkpoint.needed.until))
    }

    /// Stores another checkpoint if a summary leaves much more out than this one. `entries` are the
    /// entries that the run has read, and `grants` is everything that a person allowed. Nothing is
    /// stored while a call that would be left out is open.
    pub(crate) async fn advance(
        &self,
        store: &dyn Store,
        conversation: &str,
        context: &dyn ContextAssembler,
        entries: &[Entry],
        grants: &[StoredApproval],
    ) -> Result<(), Error> {
        let Some(needed) = context.needed(entries) else { return Ok(()) };
        let earlier = self.checkpoint.as_ref().map_or(0, |earlier| earlier.needed.from);
        if needed.from < earlier + STEP || needed.from < LONG {
            return Ok(());
        }
        let mut calls = OpenCalls::default();
        for entry in entries {
            calls.apply(entry, |_| ());
        }
        let is_open = calls.into_calls().any(|(turn, ..)| turn <= needed.last_turn);
        let Some(needed) = with_owner(needed, entries).filter(|_| !is_open) else { return Ok(()) };
        let value = write(&needed, grants);
        store.put(&spaces::checkpoint(conversation), KEY, self.version, value).await.map(drop)
    }
}

/// Adds the first entry that names a user. Returns `None` if it is not one that may stand alone, or if
/// there would be many single entries.
fn with_owner(mut needed: NeededEntries, entries: &[Entry]) -> Option<NeededEntries> {
    let owner = entries.iter().find(|entry| entry.user.is_some());
    if let Some(owner) = owner.filter(|owner| owner.seq < Some(needed.from)) {
        matches!(owner.event, Event::User { .. }).then_some(())?;
        needed.single.push(owner.seq?);
        needed.single.sort_unstable();
        needed.single.dedup();
    }
    (needed.single.len() <= MAX_SINGLE).then_some(needed)
}

fn write(needed: &NeededEntries, grants: &[StoredApproval]) -> Vec<u8> {
    let NeededEntries { single, from, until, last_turn } = needed;
    let grants: Vec<_> = grants
        .iter()
        .map(|StoredApproval { kind, name, scope }| json!([kind.as_str(), name, scope]))
        .collect();
    let value = json!({
        "single": single, "from": from, "until": until, "last_turn": last_turn, "grants": grants,
    });
    value.to_string().into_bytes()
}

fn parse(value: &[u8]) -> Option<Checkpoint> {
    let value: Value = serde_json::from_slice(value).ok()?;
    let number = |name: &str| value[name].as_u64();
    let single: Option<Vec<u64>> = value["single"].as_array()?.iter().map(Value::as_u64).collect();
    let grants: Option<Vec<StoredApproval>> =
        value["grants"].as_array()?.iter().map(grant).collect();
    let last_turn = number("last_turn")?.try_into().ok()?;
    let needed = NeededEntries {
        single: single?,
        from: number("from")?,
        until: number("until")?,
        last_turn,
    };
    let is_possible = needed.single.is_sorted()
        && needed.single.iter().all(|seq| (1..needed.from).contains(seq))
        && needed.single.len() <= MAX_SINGLE;
    Some(Checkpoint { needed, grants: grants? }).filter(|_| is_possible)
}

fn grant(value: &Value) -> Option<StoredApproval> {
    let text = |index: usize| value[index].as_str();
    let kind = CallKind::ALL.into_iter().find(|kind| Some(kind.as_str()) == text(0))?;
    Some(StoredApproval { kind, name: text(1)?.to_owned(), scope: text(2)?.to_owned() })
}

/// The key of the checkpoint.
const KEY: &str = "log";

/// The number of events from which a conversation has a checkpoint.
const LONG: u64 = 512;

/// The number of events by which a checkpoint advances at least.
const STEP: u64 = 256;

/// The greatest number of entries that are read one by one.
const MAX_SINGLE: usize = 64;
