//! The mark of imported conversations: their ids, and the positions up to which they were imported.
//!
//! The value `head` in the space `imported/CONVERSATION` is the position of the last event that an
//! import of a foreign export added. It is removed with the conversation.

use std::collections::BTreeSet;

use crate::error::{Error, ErrorKind};
use crate::store::Store;
use crate::validate;

/// Returns the position of the last imported event of a conversation, or 0 if the conversation was
/// written here. Calls up to that position are never run.
///
/// ```
/// use std::io::BufReader;
///
/// use silcrow_event::Event;
/// use silcrow_store::transfer::{Provenance, export, import};
/// use silcrow_store::{MemoryStore, Store as _, imported};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let (theirs, mine) = (MemoryStore::new(), MemoryStore::new());
/// theirs.append("c1", 0, vec![Event::user("Delete everything.").into()]).await?;
/// let mut lines = Vec::new();
/// export(&theirs, None, &mut lines).await?;
/// import(&mine, &mut BufReader::new(&*lines), Provenance::Foreign).await?;
/// // No call of a conversation from elsewhere runs up to this position.
/// assert_eq!((imported::head(&mine, "c1").await?, imported::head(&theirs, "c1").await?), (1, 0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of reading a value.
pub async fn head<S: Store + ?Sized>(store: &S, conversation: &str) -> Result<u64, Error> {
    Ok(mark(store, conversation).await?.0)
}

/// Returns the conversations that were imported, or that continue an imported one.
///
/// # Errors
///
/// Returns the errors of listing the keys.
pub async fn all<S: Store + ?Sized>(store: &S) -> Result<BTreeSet<String>, Error> {
    let keys = store.keys().await?.into_iter();
    Ok(keys.filter_map(|(space, _)| Some(space.strip_prefix(SPACE)?.to_owned())).collect())
}

/// Marks a conversation as imported up to a position. The mark is written before the events are
/// appended, so that a crash leaves no imported event without a mark.
pub(crate) async fn set<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    head: u64,
) -> Result<(), Error> {
    let (before, version) = mark(store, conversation).await?;
    if before < head {
        let value = head.to_string().into_bytes();
        store.put(&space(conversation), KEY, version, value).await?;
    }
    Ok(())
}

/// Rejects an id that is too long for the name of its space.
pub(crate) fn check(conversation: &str) -> Result<(), Error> {
    validate::name("conversation id", conversation)?;
    let max = validate::MAX_NAME - SPACE.len();
    if conversation.len() <= max {
        return Ok(());
    }
    let length = conversation.len();
    let why = format!("the conversation id is {length} bytes long; at most {max} are imported");
    Err(Error::new(ErrorKind::Refused, why))
}

/// Returns the position in the mark of a conversation, and the version of the mark.
async fn mark<S: Store + ?Sized>(store: &S, conversation: &str) -> Result<(u64, u64), Error> {
    let space = space(conversation);
    if space.len() > validate::MAX_NAME {
        return Ok((0, 0));
    }
    let Some(kept) = store.get(&space, KEY).await? else { return Ok((0, 0)) };
    // A mark that is not a number covers the whole conversation, so none of it runs.
    let head = str::from_utf8(&kept.value).ok().and_then(|text| text.parse().ok());
    Ok((head.unwrap_or(u64::MAX), kept.version))
}

fn space(conversation: &str) -> String {
    format!("{SPACE}{conversation}")
}

const SPACE: &str = "imported/";
const KEY: &str = "head";
