//! The ids of messages, which have the position of their prompt in a log.

use std::fmt;

/// The id of a message of a chat. It names the position of a prompt in the log, so it stays the same
/// however often a conversation is read, and a run that continues another writes in its message.
///
/// ```
/// use silcrow_front::AiSdkMessageId;
///
/// assert_eq!(AiSdkMessageId::Answer(4).to_string(), "a4");
/// assert_eq!(AiSdkMessageId::parse("p4"), Some(AiSdkMessageId::Prompt(4)));
/// // A message that a client made has its own id until the conversation is read again.
/// assert_eq!(AiSdkMessageId::parse("msg-9sQx"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a message is of the person or of the assistant")]
pub enum AiSdkMessageId {
    /// The message of the person at this position.
    Prompt(u64),
    /// The message of the assistant that answers the prompt at this position.
    Answer(u64),
}

impl AiSdkMessageId {
    /// Reads an id, or returns `None` if a client made it.
    pub fn parse(id: &str) -> Option<Self> {
        let seq = |digits: &str| digits.parse().ok();
        match id.split_at_checked(1)? {
            ("p", digits) => seq(digits).map(Self::Prompt),
            ("a", digits) => seq(digits).map(Self::Answer),
            _ => None,
        }
    }
}

impl fmt::Display for AiSdkMessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt(seq) => write!(f, "p{seq}"),
            Self::Answer(seq) => write!(f, "a{seq}"),
        }
    }
}
