//! The call that changes a value, and its note: the version of the bucket that it saw.
//!
//! The note is written before the change. If the process ends before the result of the call is
//! stored, a later one repeats the call, and the note says whether the value has changed since.

use silcrow_store::Store;
use silcrow_tool::{CallContext, ToolError};

use crate::failed::store_failed;
use crate::owner::hash;

/// A call that changes a value.
pub(crate) struct ChangingCall {
    /// The place of its note, or `None` for a call outside a turn, which nothing repeats.
    note: Option<NotePlace>,
    is_repeated: bool,
}

struct NotePlace {
    /// The space, which belongs to the conversation and is deleted with it.
    space: String,
    key: String,
}

impl ChangingCall {
    /// Creates the call of a relic with this context.
    pub(crate) fn new(relic: &str, context: &CallContext) -> Self {
        let note = (context.turn() > 0).then(|| NotePlace {
            space: format!("change/{}", context.conversation_id()),
            key: key(relic, context.turn(), context.call_id()),
        });
        Self { note, is_repeated: context.is_repeated() }
    }

    /// Notes that the call is about to change a bucket of this version.
    pub(crate) async fn write_note(&self, store: &dyn Store, bucket: u64) -> Result<(), ToolError> {
        let Some(NotePlace { space, key }) = &self.note else { return Ok(()) };
        let earlier = store.get(space, key).await.map_err(|error| store_failed(&error))?;
        let expected = earlier.map_or(0, |note| note.version);
        let note = bucket.to_string().into_bytes();
        store.put(space, key, expected, note).await.map_err(|error| store_failed(&error))?;
        Ok(())
    }

    /// Returns whether the value may have changed since an earlier process began this call. `bucket`
    /// is the version of the bucket now, and `since` the one with which the value was set, if there
    /// is a value.
    pub(crate) async fn is_overtaken(
        &self,
        store: &dyn Store,
        bucket: u64,
        since: Option<u64>,
    ) -> Result<bool, ToolError> {
        let Some(NotePlace { space, key }) = self.note.as_ref().filter(|_| self.is_repeated) else {
            return Ok(false);
        };
        let note = store.get(space, key).await.map_err(|error| store_failed(&error))?;
        let seen = note.and_then(|note| str::from_utf8(&note.value).ok()?.parse::<u64>().ok());
        Ok(match (seen, since) {
            (Some(seen), _) if seen == bucket => false,
            (Some(seen), Some(since)) => since > seen,
            // The value was deleted or has expired, or there never was one.
            (Some(_), None) => true,
            // The process ended before the call looked at the value.
            (None, since) => since.is_some(),
        })
    }
}

/// Returns the key of a note, which fits into a key of the store.
fn key(relic: &str, turn: u32, id: &str) -> String {
    let key = format!("{relic}/{turn}/{id}");
    match key.len() {
        ..=MAX_KEY => key,
        _ => format!("{turn}/{:016x}", hash(&key)),
    }
}

/// The longest key in bytes.
const MAX_KEY: usize = 256;
