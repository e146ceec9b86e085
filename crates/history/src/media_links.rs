//! The files beside an export: pictures, documents and sounds of a conversation, and links to them.

use std::collections::BTreeSet;

use silcrow_event::{Content, Entry, Event, MediaRef};

/// A file beside an exported conversation.
///
/// [`StoredConversation::media_links`](crate::StoredConversation::media_links) lists them. Write
/// the bytes of each medium, and make the export with links to the written files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MediaLink {
    /// The medium, without its bytes.
    pub medium: MediaRef,
    /// The path of the file, relative to the export: `media/`, the hash, and an ending. It has only ASCII
    /// letters, digits, `/` and `.`.
    pub path: String,
}

/// Returns a link for each medium that entries name, once.
pub(crate) fn media_links(entries: &[Entry]) -> Vec<MediaLink> {
    let mut known = BTreeSet::new();
    let media = entries.iter().flat_map(|entry| media_of(&entry.event));
    let new = media.filter(|medium| known.insert(medium.hash.clone()));
    new.filter_map(|medium| Some(MediaLink { path: path(medium)?, medium: medium.clone() }))
        .collect()
}

/// Returns the links to the media of an event.
pub(crate) fn links_of<'l>(event: &Event, links: &'l [MediaLink]) -> Vec<&'l MediaLink> {
    let find = |medium: &MediaRef| links.iter().find(|link| link.medium.hash == medium.hash);
    media_of(event).filter_map(find).collect()
}

/// Returns the words for a link.
pub(crate) fn name(link: &MediaLink) -> String {
    link.medium.line().trim_matches(['[', ']']).to_owned()
}

fn media_of(event: &Event) -> impl Iterator<Item = &MediaRef> {
    let content = match event {
        Event::User { content, .. } => Some(content),
        Event::Result(result) => Some(&result.content),
        _ => None,
    };
    content.into_iter().flat_map(Content::media)
}

/// Returns the path of a medium, or `None` if its hash is none: a stored log may say anything.
fn path(medium: &MediaRef) -> Option<String> {
    let hash = medium.hash.strip_prefix("sha256:")?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let ending = match &*medium.mime {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "application/pdf" => "pdf",
        "audio/wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/flac" => "flac",
        "audio/ogg" => "ogg",
        _ => "bin",
    };
    is_hash.then(|| format!("media/{hash}.{ending}"))
}
