//! The instructions of a request, which most APIs take apart from the conversation.

use silcrow_event::{Message, Role};

/// Returns the instructions and the conversation. Instructions without text are left out, because
/// some servers reject an empty part.
pub(crate) fn split(messages: &[Message]) -> (Vec<&Message>, Vec<&Message>) {
    messages.iter().filter(|message| !is_empty(message)).partition(|message| is_system(message))
}

/// Returns the instructions that have text.
pub(crate) fn with_text(messages: &[Message]) -> impl Iterator<Item = &Message> {
    messages.iter().filter(|message| is_system(message) && !is_empty(message))
}

/// Returns whether a message has instructions without text.
pub(crate) fn is_empty(message: &Message) -> bool {
    is_system(message) && message.text().trim().is_empty()
}

/// Returns whether a message has instructions.
pub(crate) fn is_system(message: &Message) -> bool {
    message.role == Role::System
}
