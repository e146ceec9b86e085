//! The estimates of messages that are sent again with each request.

use silcrow_event::{Content, Message};

use crate::estimate::Estimate;

/// Estimates the tokens of the requests of a conversation, and reads each message once.
///
/// The messages of a request mostly repeat those of the request before. A message whose content is
/// equal to the one at its place in that request keeps its estimate. For a clone of the content that
/// is certain without a look at its text, so a long conversation costs no more than its new part.
///
/// ```
/// use silcrow_event::Message;
/// use silcrow_provider::{Estimate, MessageEstimates};
///
/// let mut estimates = MessageEstimates::new();
/// let mut messages = vec![Message::system("Add numbers."), Message::user("2 + 2?")];
/// assert_eq!(estimates.of(&messages), Estimate::of_messages(&messages));
/// messages.push(Message::assistant("Four."));
/// assert_eq!(estimates.of(&messages), Estimate::of_messages(&messages));
/// // The second request added one message, and only that was read.
/// assert_eq!(estimates.messages_read(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MessageEstimates {
    /// What each message of the last request costs, in hundredths of a token.
    known: Vec<(Content, u64)>,
    messages_read: u64,
}

impl MessageEstimates {
    /// Creates the estimates of a conversation that begins.
    pub const fn new() -> Self {
        Self { known: Vec::new(), messages_read: 0 }
    }

    /// Returns what [`Estimate::of_messages`] returns for the messages of the next request.
    pub fn of(&mut self, messages: &[Message]) -> u64 {
        self.known.truncate(messages.len());
        let mut all = 0;
        for (at, message) in messages.iter().enumerate() {
            // Contents that share their parts are compared by address.
            if let Some((content, cost)) = self.known.get(at)
                && *content == message.content
            {
                all += cost;
                continue;
            }
            let cost = Estimate::of_content(&message.content);
            let estimated = (message.content.clone(), cost);
            match self.known.get_mut(at) {
                Some(known) => *known = estimated,
                None => self.known.push(estimated),
            }
            self.messages_read += 1;
            all += cost;
        }
        Estimate::of_hundredths(all)
    }

    /// Returns the number of messages whose text was read so far.
    pub const fn messages_read(&self) -> u64 {
        self.messages_read
    }
}
