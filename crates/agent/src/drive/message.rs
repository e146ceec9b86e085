//! The words of a person, as a run stores them: without secrets.

use std::borrow::Cow;

use silcrow_event::{Content, ContentPart, Event};
use silcrow_exec::{Scope, Secrets};

use crate::error::Error;
use crate::inbox::SentMessage;
use crate::sink::OutputSink;

/// Returns a prompt without secrets.
pub(super) fn masked(prompt: &Content, secrets: &Secrets) -> Content {
    let part = |part: &ContentPart| match secrets.mask(&part.text()) {
        Cow::Borrowed(_) => part.clone(),
        Cow::Owned(text) => ContentPart::Text(text),
    };
    prompt.parts().iter().map(part).collect()
}

/// Stores a message of the person in a turn, and tells the sender.
pub(super) async fn store(
    message: SentMessage,
    scope: &Scope,
    turn: u32,
    sink: &mut OutputSink<'_>,
) -> Result<(), Error> {
    let text = scope.secrets.mask(&message.text).into_owned();
    sink.store(turn, vec![Event::steer(text)]).await?;
    // The sender may have left.
    let _ = message.stored.send(());
    Ok(())
}
