//! A conversation's pictures, documents and sounds, stored outside its log.
//!
//! They are values of the space `media/CONVERSATION`, so they are exported, imported, verified and deleted
//! with it, in every store. The key of a medium is its hash. The key `list` has a line of JSON for each, in
//! the order in which they came, which numbers them from 1.
//!
//! ```text
//! media/c1   sha256:9f2a…   the bytes
//!            list           {"hash":"sha256:9f2a…","type":"image/png",…}
//! ```
//!
//! A medium is kept before the event that names it. A crash between the two leaves bytes that no event
//! names; [`sweep`] finds them.

mod list;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use silcrow_event::{Content, ContentPart, Entry, Event, MediaRef};

use crate::error::{Error, ErrorKind};
use crate::media::list::{LIST, numbered, put_list, read_list};
use crate::spaces;
use crate::store::{Store, Versioned};

/// The most bytes of one medium.
pub const MOST_BYTES: u64 = 20 << 20;

/// The most bytes of all media of a conversation.
pub const MOST_IN_ALL: u64 = 256 << 20;

/// Keeps a medium of a conversation, once, and returns it with its hash and its number. The same bytes keep
/// the number that they have. One without loaded bytes must have been kept already, and is returned as it
/// is.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::MediaRef;
/// use silcrow_store::{MemoryStore, media};
///
/// let store = MemoryStore::new();
/// let shot = MediaRef::new("image/png", *b"\x89PNG").with_name("shot.png");
/// let shot = media::keep(&store, "c1", shot).await.unwrap();
/// assert_eq!(shot.number, Some(1));
/// assert_eq!(media::read(&store, "c1", &shot).await.unwrap().unwrap(), b"\x89PNG");
/// // Another conversation has no such picture.
/// assert_eq!(media::read(&store, "c2", &shot).await.unwrap(), None);
/// # });
/// ```
///
/// # Errors
///
/// - [`Refused`](ErrorKind::Refused) if it is larger than [`MOST_BYTES`], or all of the conversation's
///   together are larger than [`MOST_IN_ALL`].
/// - The errors of getting and putting a value.
pub async fn keep<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    mut medium: MediaRef,
) -> Result<MediaRef, Error> {
    let Some(bytes) = medium.data() else { return Ok(medium) };
    if medium.bytes > MOST_BYTES {
        return Err(refused(format!(
            "a file of {} MiB is too large: at most {} MiB are kept",
            medium.bytes >> 20,
            MOST_BYTES >> 20
        )));
    }
    let hash = hash_of(bytes);
    let bytes = bytes.to_vec();
    medium.hash.clone_from(&hash);
    let space = spaces::media(conversation);
    loop {
        let (list, version) = read_list(store, &space).await?;
        if let Some(known) = list.iter().position(|known| known.hash == hash) {
            // It may have been swept or lost since.
            let there = store.get(&space, &hash).await;
            if there.is_ok_and(|there| is_whole(there.as_ref(), &hash)) {
                return Ok(numbered(medium, known));
            }
        }
        let all: u64 = list.iter().map(|known| known.bytes).sum();
        if all + medium.bytes > MOST_IN_ALL {
            return Err(refused(format!(
                "the files of this conversation have {} MiB, and {} MiB are kept; begin another \
                 conversation",
                (all + medium.bytes) >> 20,
                MOST_IN_ALL >> 20
            )));
        }
        put_bytes(store, &space, &hash, &bytes).await?;
        let number = match list.iter().position(|known| known.hash == hash) {
            Some(known) => return Ok(numbered(medium, known)),
            None => list.len(),
        };
        let medium = numbered(medium.clone(), number);
        match put_list(store, &space, version, list.iter().chain([&medium])).await {
            Ok(()) => return Ok(medium),
            // Another process has kept one meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
}

/// Keeps the media of an event that is about to be appended to a conversation. One that cannot be kept
/// becomes the line that stands for it, which says why: its event is never lost for it.
///
/// # Errors
///
/// The errors of getting and putting a value.
pub async fn keep_all<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    event: &mut Event,
) -> Result<(), Error> {
    let Some(content) = content_mut(event).filter(|content| has_bytes(content)) else {
        return Ok(());
    };
    let mut kept = Content::default();
    for part in content.parts() {
        kept.push(match part {
            ContentPart::Media(medium) => kept_part(store, conversation, medium).await?,
            other => other.clone(),
        });
    }
    *content = kept;
    Ok(())
}

fn has_bytes(content: &Content) -> bool {
    content.media().any(|medium| medium.data().is_some())
}

async fn kept_part<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    medium: &MediaRef,
) -> Result<ContentPart, Error> {
    match keep(store, conversation, medium.clone()).await {
        Ok(medium) => Ok(ContentPart::Media(Box::new(medium))),
        Err(error) if cannot_be_kept(&error) => {
            Ok(ContentPart::Text(medium.line_with(&format!("not kept: {error}"))))
        }
        Err(error) => Err(error),
    }
}

/// Returns the bytes of a medium, or `None` if they are lost or have changed.
///
/// ```
/// use silcrow_event::MediaRef;
/// use silcrow_store::{MemoryStore, Store as _, media, spaces};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let store = MemoryStore::new();
/// let bytes = b"not really a picture".to_vec();
/// let kept = media::keep(&store, "c1", MediaRef::new("image/png", bytes.clone())).await?;
/// assert_eq!(media::read(&store, "c1", &kept).await?, Some(bytes));
/// // Bytes that somebody changed are not the picture any more.
/// store.put(&spaces::media("c1"), &kept.hash, 1, b"other".to_vec()).await?;
/// assert_eq!(media::read(&store, "c1", &kept).await?, None);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The errors of getting a value other than damage.
pub async fn read<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    medium: &MediaRef,
) -> Result<Option<Vec<u8>>, Error> {
    let kept = match store.get(&spaces::media(conversation), &medium.hash).await {
        Ok(kept) => kept,
        Err(error) if cannot_be_kept(&error) => None,
        Err(error) => return Err(error),
    };
    Ok(kept.filter(|kept| is_whole(Some(kept), &medium.hash)).map(|kept| kept.value))
}

/// Lists the media of a conversation in the order of their numbers.
///
/// # Errors
///
/// The errors of getting a value.
pub async fn list<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
) -> Result<Vec<MediaRef>, Error> {
    let space = spaces::media(conversation);
    if space.len() > crate::validate::MAX_NAME {
        return Ok(Vec::new());
    }
    read_list(store, &space).await.map(|(list, _)| list)
}

/// Copies the media that `entries` name from one conversation to another, where they keep their numbers.
/// [`Fork::begin`](crate::Fork::begin) does this.
///
/// # Errors
///
/// The errors of getting and putting a value.
pub async fn copy<S: Store + ?Sized>(
    store: &S,
    from: &str,
    to: &str,
    entries: &[Entry],
) -> Result<(), Error> {
    let named: Vec<_> = named(entries).collect();
    if named.is_empty() {
        return Ok(());
    }
    let (source, target) = (spaces::media(from), spaces::media(to));
    let (list, _) = read_list(store, &source).await?;
    for medium in named {
        if let Some(bytes) = read(store, from, medium).await? {
            put_bytes(store, &target, &medium.hash, &bytes).await?;
        }
    }
    let version = store.get(&target, LIST).await?.map_or(0, |kept| kept.version);
    put_list(store, &target, version, &list).await
}

/// Empties the values of media that no event of a conversation names, which a crash leaves, and
/// returns the number of their bytes. Hold the conversation, because nothing must be appended to it
/// meanwhile.
///
/// # Errors
///
/// The errors of reading, getting and putting.
pub async fn sweep<S: Store + ?Sized>(store: &S, conversation: &str) -> Result<u64, Error> {
    let space = spaces::media(conversation);
    let keys = store.keys().await?.into_iter().filter(|(of, _)| *of == space);
    let keys: Vec<_> = keys.map(|(_, key)| key).collect();
    sweep_keys(store, conversation, &keys).await
}

/// Sweeps the values with these keys, including those that a crash left without a line in the list.
async fn sweep_keys<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    keys: &[String],
) -> Result<u64, Error> {
    let space = spaces::media(conversation);
    let head = store.head(conversation).await?;
    let entries = if head == 0 { Vec::new() } else { store.read(conversation, 1..=head).await? };
    let named: BTreeSet<&str> = named(&entries).map(|medium| &*medium.hash).collect();
    let mut swept = 0;
    for hash in keys.iter().filter(|key| *key != LIST && !named.contains(&***key)) {
        let Some(kept) = store.get(&space, hash).await? else { continue };
        if !kept.value.is_empty() {
            swept += kept.value.len() as u64;
            store.put(&space, hash, kept.version, Vec::new()).await?;
        }
    }
    Ok(swept)
}

/// [Sweeps](sweep) every conversation that no run holds, and returns the number of bytes.
///
/// # Errors
///
/// The errors of sweeping and holding, except that a conversation is held.
pub async fn sweep_all<S: Store + ?Sized>(store: &S) -> Result<u64, Error> {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (space, key) in store.keys().await? {
        if let Some(owner) = spaces::media_owner(&space) {
            owners.entry(owner.to_owned()).or_default().push(key);
        }
    }
    let mut swept = 0;
    for (owner, keys) in owners {
        let hold = match store.hold(&owner).await {
            Ok(hold) => hold,
            Err(error) if error.kind() == ErrorKind::Locked => continue,
            Err(error) => return Err(error),
        };
        let done = sweep_keys(store, &owner, &keys).await;
        hold.release().await;
        swept += done?;
    }
    Ok(swept)
}

/// Returns the media that events name, in order.
pub fn named(entries: &[Entry]) -> impl Iterator<Item = &MediaRef> {
    entries.iter().filter_map(|entry| content(&entry.event)).flat_map(Content::media)
}

/// Returns the hash of bytes, as a [`MediaRef`] has it.
///
/// ```
/// use silcrow_store::media::hash_of;
///
/// // The hash is the key of the bytes, so a picture that is sent twice is kept once.
/// assert_eq!(hash_of(b"png"), hash_of(b"png"));
/// assert!(hash_of(b"png").starts_with("sha256:"));
/// ```
pub fn hash_of(bytes: &[u8]) -> String {
    let mut hash = String::from("sha256:");
    for byte in Sha256::digest(bytes) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

/// Returns the content of an event that may have media.
fn content(event: &Event) -> Option<&Content> {
    match event {
        Event::User { content, .. } => Some(content),
        Event::Result(result) => Some(&result.content),
        _ => None,
    }
}

fn content_mut(event: &mut Event) -> Option<&mut Content> {
    match event {
        Event::User { content, .. } => Some(content),
        Event::Result(result) => Some(&mut result.content),
        _ => None,
    }
}

/// Returns whether an error is about this medium, and not about the store.
fn cannot_be_kept(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Refused | ErrorKind::Damaged)
}

fn is_whole(kept: Option<&Versioned>, hash: &str) -> bool {
    kept.is_some_and(|kept| hash_of(&kept.value) == hash)
}

/// Puts the bytes of a medium, unless they are there.
async fn put_bytes<S: Store + ?Sized>(
    store: &S,
    space: &str,
    hash: &str,
    bytes: &[u8],
) -> Result<(), Error> {
    let mut version = 0;
    loop {
        match store.put(space, hash, version, bytes.to_vec()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let there = store.get(space, hash).await?;
                if is_whole(there.as_ref(), hash) {
                    return Ok(());
                }
                version = there.map_or(0, |there| there.version);
            }
            put => return put.map(drop),
        }
    }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Refused, message)
}
