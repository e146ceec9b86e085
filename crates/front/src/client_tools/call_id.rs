//! The id of a call of a client's tool, in the form that also names its conversation.

use std::fmt;

/// A call id for clients that store nothing but call ids: `call_`, the id in the transcript, and
/// the conversation.
///
/// ```
/// use silcrow_front::ClientCallId;
///
/// let id = ClientCallId { call: "c3-1", conversation: "chat-7" };
/// assert_eq!(id.to_string(), "call_c3-1_chat-7");
/// assert_eq!(ClientCallId::parse("call_c3-1_chat-7"), Some(id));
/// assert_eq!(ClientCallId::parse("toolu_7"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the id is made of these")]
pub struct ClientCallId<'a> {
    /// The id in the transcript, such as `c3-1`.
    pub call: &'a str,
    /// The conversation.
    pub conversation: &'a str,
}

impl<'a> ClientCallId<'a> {
    /// Reads an id; `None` if it is another one.
    pub fn parse(id: &'a str) -> Option<Self> {
        let (call, conversation) = id.strip_prefix("call_")?.split_once('_')?;
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        let (turn, number) = call.strip_prefix('c')?.split_once('-')?;
        let is_ours = is_number(turn) && is_number(number) && !conversation.is_empty();
        is_ours.then_some(Self { call, conversation })
    }
}

impl fmt::Display for ClientCallId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call_{}_{}", self.call, self.conversation)
    }
}
