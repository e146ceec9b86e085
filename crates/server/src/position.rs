//! Positions in the messages of a conversation.

/// The position of a message: the position of the last stored event, and the number of the message
/// since.
pub(crate) type MessagePosition = (u64, u64);
