//! The pictures and documents of a conversation, which `file_read` shows again.

use std::fmt;

use futures_util::future::BoxFuture;
use silcrow_event::MediaRef;
use silcrow_tool::ToolError;

use crate::messages;

/// The media that conversations keep.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_event::MediaRef;
/// use silcrow_tool::ToolError;
/// use silcrow_tools::KeptMedia;
///
/// /// Has one picture, whatever the conversation.
/// #[derive(Debug)]
/// struct OnePicture(MediaRef);
///
/// impl KeptMedia for OnePicture {
///     fn get<'a>(
///         &'a self,
///         _conversation: &'a str,
///         number: u32,
///     ) -> BoxFuture<'a, Result<Option<MediaRef>, ToolError>> {
///         ready(Ok((number == 1).then(|| self.0.clone()))).boxed()
///     }
/// }
///
/// let kept = OnePicture(MediaRef::new("image/png", *b"\x89PNG"));
/// assert!(kept.get("c1", 1).await.unwrap().is_some());
/// assert!(kept.get("c1", 2).await.unwrap().is_none());
/// # });
/// ```
pub trait KeptMedia: fmt::Debug + Send + Sync {
    /// Returns the medium of a conversation with this number, with its bytes, or `None` if it does
    /// not exist or its bytes are lost.
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
