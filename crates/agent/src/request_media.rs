//! The context of a run, with the bytes of the media that its requests have.

use silcrow_context::{ContextInput, GrowingContext};
use silcrow_event::{MessageList, MessagePrefix};
use silcrow_store::{Store, media};

use crate::error::Error;
use crate::parts::AgentParts;

/// The messages that a run has read from its log, and the media that are loaded for them.
pub(crate) struct RunContext<'a> {
    context: Box<dyn GrowingContext + 'a>,
    /// The messages of the last request that the next one repeats. Their media are loaded.
    loaded: MessagePrefix,
    /// Whether requests had media.
    has_media: bool,
}

impl<'a> RunContext<'a> {
    /// Begins the context of a run.
    pub(crate) fn begin(parts: &'a AgentParts) -> Self {
        let loaded = MessagePrefix::default();
        Self { context: parts.context.begin(), loaded, has_media: false }
    }

    /// Returns whether requests had media.
    pub(crate) const fn has_media(&self) -> bool {
        self.has_media
    }

    /// Returns the messages of the next request. A medium whose bytes are lost is a line of text in it.
    pub(crate) async fn assemble(
        &mut self,
        input: &ContextInput<'_>,
        store: &dyn Store,
        conversation: &str,
    ) -> Result<MessageList, Error> {
        let messages = self.context.assemble(input);
        let repeated = messages.repeated(&self.loaded);
        let new = messages.iter().skip(repeated).flat_map(|message| message.content.media());
        let media: Vec<_> = new.cloned().collect();
        self.has_media |= !media.is_empty();
        // A clone shares its bytes with the medium of the message.
        for medium in media {
            if medium.data().is_none()
                && let Some(bytes) = media::read(store, conversation, &medium).await?
            {
                medium.load(bytes);
            }
        }
        self.loaded = messages.settled();
        Ok(messages)
    }
}
