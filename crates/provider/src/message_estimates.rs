//! The estimates of messages that are sent again with each request.

use silcrow_event::{Content, MessageList, MessagePrefix};
use silcrow_media::ImageTokenRule;

use crate::estimate::Estimate;

/// Estimates the tokens of the requests of a conversation, and reads each message once.
///
/// A request mostly repeats the messages of the request before it. Messages that a list is known to
/// repeat are not read again. Any other message whose content is equal to the one at its place in
/// that request keeps its estimate. For a clone of the content this is certain without a look at
/// its text, so a long conversation costs only as much as its new part.
///
/// ```
/// use silcrow_event::{Message, MessageList};
/// use silcrow_provider::{Estimate, MessageEstimates};
///
/// let mut estimates = MessageEstimates::new();
/// let mut messages: MessageList =
///     vec![Message::system("Add numbers."), Message::user("2 + 2?")].into();
/// assert_eq!(estimates.estimate(&messages), Estimate::of_messages(&messages));
/// messages.push(Message::assistant("Four."));
/// assert_eq!(estimates.estimate(&messages), Estimate::of_messages(&messages));
/// // The second request added one message, and only that was read.
/// assert_eq!(estimates.messages_read(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MessageEstimates {
    /// Each message of the last request, and the cumulative cost up to it, in hundredths of a
    /// token.
    known: Vec<(Content, u64)>,
    /// The settled messages of the last request.
    settled: MessagePrefix,
    messages_read: u64,
    images: Option<ImageTokenRule>,
}

impl MessageEstimates {
    /// Creates the estimates of a conversation that begins.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the same for a model that counts pictures by a rule.
    pub fn for_images(images: ImageTokenRule) -> Self {
        Self { images: Some(images), ..Self::default() }
    }

    /// Returns the result of [`Estimate::of_messages_for`] for the messages of the next request.
    pub fn estimate(&mut self, messages: &MessageList) -> u64 {
        let images = self.images.unwrap_or(ImageTokenRule::UNKNOWN);
        let repeated = messages.repeated(&self.settled);
        self.settled = messages.settled();
        self.known.truncate(messages.len());
        let mut all = repeated.checked_sub(1).map_or(0, |last| self.known[last].1);
        let mut before = all;
        for (at, message) in messages.iter().enumerate().skip(repeated) {
            // Contents that share their parts are compared by address.
            let known = self.known.get_mut(at);
            let cost = match &known {
                Some((content, until)) if *content == message.content => *until - before,
                _ => {
                    self.messages_read += 1;
                    Estimate::of_content(&message.content, images)
                }
            };
            all += cost;
            match known {
                Some(known) => {
                    before = known.1;
                    *known = (message.content.clone(), all);
                }
                None => self.known.push((message.content.clone(), all)),
            }
        }
        Estimate::of_hundredths(all)
    }

    /// Returns the number of messages whose text was read so far.
    pub const fn messages_read(&self) -> u64 {
        self.messages_read
    }
}
