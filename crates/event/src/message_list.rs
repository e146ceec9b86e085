//! The messages of a request, which mostly repeat the previous request.
//!
//! This module tracks which messages of a growing list no longer change, and keeps their encoding.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use crate::message::Message;

/// The messages of one request.
///
/// It is read as a slice. A clone shares the messages, so it costs the same for a long conversation
/// and for a short one. The lists that one [`GrowingMessages`] returns begin with the same settled
/// messages, and a reader of one after the other reads those once: [`repeated`](Self::repeated)
/// counts them, and [`encode`](Self::encode) encodes each of them once.
///
/// ```
/// use silcrow_event::{Message, MessageList};
///
/// let list = MessageList::from(vec![Message::system("Add numbers."), Message::user("2 + 2?")]);
/// assert_eq!(list[1].text(), "2 + 2?");
/// assert_eq!(list.iter().filter(|message| message.text().contains('2')).count(), 1);
/// ```
#[derive(Clone, Default)]
pub struct MessageList {
    messages: Arc<Vec<Message>>,
    /// The messages at the beginning that later lists of the same growth repeat.
    settled: MessagePrefix,
}

/// The settled messages of a list: how many there are, and of which growth. It holds none of them.
#[derive(Clone, Default)]
pub struct MessagePrefix {
    /// Two lists of one growth agree in the messages that both have settled.
    growth: Option<Arc<Growth>>,
    len: usize,
}

/// Builds a sequence of lists, each of which repeats the settled messages of the lists before it.
///
/// If the previous list has been dropped, a new one costs only its new messages, however long it is.
/// Otherwise the two share their messages, and one pointer for each message is copied.
///
/// ```
/// use silcrow_event::{GrowingMessages, Message};
///
/// let mut growing = GrowingMessages::new();
/// let first = growing.renew(0, [Message::system("Add."), Message::user("2 + 2?")], 1);
/// let seen = first.settled();
/// // The message of the person has changed, and is settled now.
/// let new = [Message::user("2 + 3?"), Message::assistant("5")];
/// let second = growing.renew(1, new, 2);
/// assert_eq!((second.len(), second.repeated(&seen)), (3, 1));
/// assert_eq!(second[1].text(), "2 + 3?");
/// ```
#[derive(Debug, Default)]
pub struct GrowingMessages {
    list: MessageList,
}

/// The state that all lists of one growth share.
#[derive(Default)]
struct Growth {
    encoded: Mutex<EncodedMessages>,
}

/// The encodings of the first messages of a growth, one after the other.
#[derive(Default)]
struct EncodedMessages {
    form: &'static str,
    count: usize,
    bytes: Vec<u8>,
}

impl GrowingMessages {
    /// Creates a growth without messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the last list.
    pub const fn list(&self) -> &MessageList {
        &self.list
    }

    /// Returns a list of the first `kept` messages of the last list and the `new` ones, of which the
    /// first `settled` are settled: later lists repeat them. A later list that keeps fewer begins a
    /// new growth, which shares nothing with the lists before it.
    pub fn renew(
        &mut self,
        kept: usize,
        new: impl IntoIterator<Item = Message>,
        settled: usize,
    ) -> MessageList {
        let before = &mut self.list.settled;
        if before.growth.is_none() || kept < before.len {
            *before = MessagePrefix { growth: Some(Arc::default()), len: 0 };
        }
        let messages = Arc::make_mut(&mut self.list.messages);
        messages.truncate(kept);
        messages.extend(new);
        before.len = settled.clamp(before.len, messages.len().max(before.len));
        self.list.clone()
    }
}

impl MessageList {
    /// Returns which messages at the beginning are settled.
    ///
    /// ```
    /// use silcrow_event::{GrowingMessages, Message, MessageList};
    ///
    /// let messages = [Message::system("Add."), Message::user("2 + 2?")];
    /// let list = GrowingMessages::new().renew(0, messages, 1);
    /// assert_eq!(list.settled().len(), 1);
    /// // A list that was not grown settles nothing.
    /// assert!(MessageList::from(vec![Message::user("?")]).settled().is_empty());
    /// ```
    pub fn settled(&self) -> MessagePrefix {
        self.settled.clone()
    }

    /// Returns how many messages at the beginning are certain to be the same as in an earlier list.
    /// `earlier` is the settled part of that list.
    pub fn repeated(&self, earlier: &MessagePrefix) -> usize {
        match (&self.settled.growth, &earlier.growth) {
            (Some(this), Some(other)) if Arc::ptr_eq(this, other) => {
                self.settled.len.min(earlier.len)
            }
            _ => 0,
        }
    }

    /// Adds the encodings of all messages to `out`, one after the other. `encode` adds the encoding
    /// of one message, which may depend only on the message and the `form`. The settled messages
    /// are encoded once for all lists of their growth that are encoded in this form.
    ///
    /// ```
    /// use silcrow_event::{GrowingMessages, Message};
    ///
    /// let mut growing = GrowingMessages::new();
    /// let mut read = 0;
    /// let mut encode = |message: &Message, out: &mut Vec<u8>| {
    ///     read += 1;
    ///     out.extend_from_slice(message.text().as_bytes());
    /// };
    /// let mut out = Vec::new();
    /// growing.renew(0, [Message::user("a"), Message::user("b")], 2).encode("text", &mut out, &mut encode);
    /// growing.renew(2, [Message::user("c")], 2).encode("text", &mut out, &mut encode);
    /// assert_eq!((out, read), (b"ababc".to_vec(), 3));
    /// ```
    pub fn encode(
        &self,
        form: &'static str,
        out: &mut Vec<u8>,
        mut encode: impl FnMut(&Message, &mut Vec<u8>),
    ) {
        let mut done = 0;
        if let Some(growth) = &self.settled.growth {
            // A panic in `encode` may have left a part of a message.
            let mut encoded = growth.encoded.lock().unwrap_or_else(PoisonError::into_inner);
            if encoded.form != form || growth.encoded.is_poisoned() {
                *encoded = EncodedMessages { form, ..EncodedMessages::default() };
                growth.encoded.clear_poison();
            }
            // Another list of the growth may have settled more than this one.
            if encoded.count <= self.settled.len {
                let EncodedMessages { count, bytes, .. } = &mut *encoded;
                for message in &self[*count..self.settled.len] {
                    encode(message, bytes);
                }
                *count = self.settled.len;
                out.extend_from_slice(bytes);
                done = self.settled.len;
            }
        }
        for message in &self[done..] {
            encode(message, out);
        }
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: Message) {
        Arc::make_mut(&mut self.messages).push(message);
    }
}

impl MessagePrefix {
    /// Returns the number of messages.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether nothing is settled.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Deref for MessageList {
    type Target = [Message];

    fn deref(&self) -> &[Message] {
        &self.messages
    }
}

impl<'a> IntoIterator for &'a MessageList {
    type Item = &'a Message;
    type IntoIter = std::slice::Iter<'a, Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<Message> for MessageList {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, new: I) {
        Arc::make_mut(&mut self.messages).extend(new);
    }
}

impl From<Vec<Message>> for MessageList {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages: Arc::new(messages), settled: MessagePrefix::default() }
    }
}

/// Takes the messages, which are copied as pointers if another list shares them.
impl From<MessageList> for Vec<Message> {
    fn from(list: MessageList) -> Self {
        Arc::unwrap_or_clone(list.messages)
    }
}

/// Compares the messages. The settled length makes no difference.
impl PartialEq for MessageList {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for MessageList {}

impl PartialEq<Vec<Message>> for MessageList {
    fn eq(&self, other: &Vec<Message>) -> bool {
        **self == **other
    }
}

impl fmt::Debug for MessageList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Shows the number of messages.
impl fmt::Debug for MessagePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MessagePrefix").field(&self.len).finish()
    }
}
