//! The calls of a client's tools for whose results a conversation waits.

use silcrow_event::{ApprovalState, Entry, RunEventRef};

use crate::client_tool_names::ClientToolNames;
use crate::transcript::{TranscriptChange, TranscriptReader};

/// A call of a client's tool for whose result a conversation waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a call is known to both sides by an id")]
pub struct OpenClientCall {
    /// The id in the transcript, such as `c3-1`.
    pub call: String,
    /// The id of its question in the conversation, such as `3/a1`.
    pub question: String,
}

/// Returns the calls for whose results a conversation waits, from its log, in the order in which they
/// were written.
///
/// ```
/// use silcrow_event::{Entry, Event};
/// use silcrow_front::{ClientToolNames, open_client_calls};
///
/// // Nothing waits in a conversation without calls.
/// let log = [Entry::from(Event::user("hi")), Entry::from(Event::respond("hello"))];
/// assert!(open_client_calls("c1", &ClientToolNames::default(), &log).is_empty());
/// ```
pub fn open_client_calls(
    conversation: &str,
    tools: &ClientToolNames,
    log: &[Entry],
) -> Vec<OpenClientCall> {
    let mut reader = TranscriptReader::new(conversation).with_client_tools(tools.clone());
    let mut open: Vec<OpenClientCall> = Vec::new();
    for entry in log {
        reader.push(RunEventRef::Entry(entry), &mut |agent, change| match change {
            TranscriptChange::ClientCall { call, id, .. }
                if open.iter().all(|known| known.call != call) =>
            {
                open.push(OpenClientCall { call: call.to_owned(), question: id.to_owned() });
            }
            TranscriptChange::CallAsked { state: ApprovalState::Asked, .. } => {}
            TranscriptChange::CallAsked { call, .. } | TranscriptChange::CallEnded { call, .. } => {
                open.retain(|known| known.call != call);
            }
            TranscriptChange::Message { steer: false, .. } if agent.is_none() => open.clear(),
            _ => {}
        });
    }
    open
}
