//! The media of conversations, which `file_read` shows again.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{MediaRef, error_chain};
use silcrow_store::media;
use silcrow_tool::ToolError;
use silcrow_tools::KeptMedia;

use crate::store::LateStore;

/// The media of the conversations of a store.
#[derive(Clone, Debug)]
pub(crate) struct ConversationMedia(pub(crate) LateStore);

impl KeptMedia for ConversationMedia {
    fn get<'a>(
        &'a self,
        conversation: &'a str,
        number: u32,
    ) -> BoxFuture<'a, Result<Option<MediaRef>, ToolError>> {
        async move {
            let failed = |error| ToolError::new(error_chain(&error));
            let list = media::list(&*self.0, conversation).await.map_err(failed)?;
            let Some(medium) = list.into_iter().find(|medium| medium.number == Some(number)) else {
                return Ok(None);
            };
            let bytes = media::read(&*self.0, conversation, &medium).await.map_err(failed)?;
            Ok(bytes.map(|bytes| {
                medium.load(bytes);
                medium
            }))
        }
        .boxed()
    }
}
