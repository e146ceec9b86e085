//! The pictures, documents and sounds of an exported conversation, as files beside it.

use std::fs;
use std::path::Path;

use silcrow_history::{MediaLink, StoredConversation};
use silcrow_store::{Store, media};

use crate::conversation::failure;
use crate::failure::Failure;

/// Writes the media of a conversation into the folder of an export, and returns links to those that are
/// there. An export without a file has no folder, and so no links.
pub(super) async fn write_media(
    store: &dyn Store,
    talk: &StoredConversation,
    output: Option<&Path>,
) -> Result<Vec<MediaLink>, Failure> {
    let Some(folder) = output.map(|output| output.parent().unwrap_or_else(|| Path::new(""))) else {
        return Ok(Vec::new());
    };
    let mut links = Vec::new();
    for link in talk.media_links() {
        let read = media::read(store, &talk.summary.conversation, &link.medium).await;
        // Lost bytes stay a line.
        let Some(bytes) = read.map_err(|error| failure(&error.into()))? else { continue };
        let file = folder.join(&link.path);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&file, bytes))
            .map_err(|error| Failure::given(format!("cannot write {}: {error}", file.display())))?;
        links.push(link);
    }
    Ok(links)
}
