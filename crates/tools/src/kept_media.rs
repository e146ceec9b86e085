//! The pictures and documents of a conversation, which `file_read` shows again.

use std::fmt;

use futures_util::future::BoxFuture;
use silcrow_event::MediaRef;
use silcrow_tool::ToolError;

use crate::messages;

/// The media that conversations keep.
pub trait KeptMedia: fmt::Debug + Send + Sync {
    /// Returns the medium of a conversation with this number, with its bytes, or `None` if there is none
    /// or its bytes are lost.
    fn get<'a>(
        &'a self,
        conversation: &'a str,
        number: u32,
    ) -> BoxFuture<'a, Result<Option<MediaRef>, ToolError>>;
}

/// Returns the number of a medium in a name such as `media:2`.
pub(crate) fn media_number(file: &str) -> Result<u32, ToolError> {
    let number = file.strip_prefix(MEDIA).and_then(|number| number.parse().ok());
    number.ok_or_else(|| {
        let file = messages::quoted(file);
        ToolError::new(format!(
            "{file} is not the number of an image; write \"media:2\" for image 2"
        ))
    })
}

/// The beginning of the name of a medium.
pub(crate) const MEDIA: &str = "media:";
