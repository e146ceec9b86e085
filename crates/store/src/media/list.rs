//! The list of the media of a conversation, which numbers them.

use silcrow_event::MediaRef;

use crate::error::Error;
use crate::store::Store;

/// The key of the list.
pub(super) const LIST: &str = "list";

/// Returns the list of a space, and its version. Lines that are not media are left out.
pub(super) async fn read_list<S: Store + ?Sized>(
    store: &S,
    space: &str,
) -> Result<(Vec<MediaRef>, u64), Error> {
    let Some(kept) = store.get(space, LIST).await? else { return Ok((Vec::new(), 0)) };
    let text = String::from_utf8_lossy(&kept.value);
    let list = text.lines().filter_map(MediaRef::parse).enumerate();
    Ok((list.map(|(place, medium)| numbered(medium, place)).collect(), kept.version))
}

pub(super) async fn put_list<'a, S: Store + ?Sized>(
    store: &S,
    space: &str,
    version: u64,
    list: impl IntoIterator<Item = &'a MediaRef>,
) -> Result<(), Error> {
    // The text of a document is in the event that names it.
    let line = |medium: &MediaRef| medium.unloaded().with_text("").to_json() + "\n";
    let lines: String = list.into_iter().map(line).collect();
    store.put(space, LIST, version, lines.into_bytes()).await.map(drop)
}

/// Gives a medium the number of its place in the list.
pub(super) fn numbered(medium: MediaRef, place: usize) -> MediaRef {
    let mut medium = medium;
    medium.number = Some(u32::try_from(place + 1).unwrap_or(u32::MAX));
    medium
}
