//! The new messages of a request.
//!
//! A client sends all its messages each time. The log is the truth about them: only messages of the
//! person that the conversation does not have count, and the others must not have changed.

use super::request::{AgUiMessage, AgUiRequest, AgUiRequestError, AgUiRole};

/// A message of the person that the conversation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a message is known by its id and its text")]
pub struct AgUiKnownMessage<'a> {
    /// The id: that which the client gave, or otherwise `u` and the position in the log.
    pub id: &'a str,
    /// The text.
    pub text: &'a str,
}

/// A history that a client has edited.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "an edit keeps a beginning and has other messages after it"
)]
pub struct AgUiEdit<'a> {
    /// The number of known messages that are kept.
    pub kept: usize,
    /// The messages of the person that follow them now.
    pub messages: Vec<&'a AgUiMessage>,
}

impl AgUiRequest {
    /// Returns how the client has edited the history: it has changed a message or cut the messages
    /// behind one, which is to be answered again. `None` if the request has no message of the person.
    ///
    /// ```
    /// use silcrow_front::{AgUiKnownMessage, AgUiRequest};
    ///
    /// let body = r#"{"threadId":"sums","runId":"2","messages":[
    ///     {"id":"m1","role":"user","content":"2 + 2?"},
    ///     {"id":"m3","role":"user","content":"4 + 4?"}]}"#;
    /// let request = AgUiRequest::parse(body.as_bytes()).unwrap();
    /// let known = [("m1", "2 + 2?"), ("m2", "3 + 3?")];
    /// let known = known.map(|(id, text)| AgUiKnownMessage { id, text });
    /// let edit = request.edited(&known).unwrap();
    /// assert_eq!((edit.kept, &*edit.messages[0].text), (1, "4 + 4?"));
    /// ```
    pub fn edited(&self, known: &[AgUiKnownMessage<'_>]) -> Option<AgUiEdit<'_>> {
        let sent: Vec<_> = self.messages.iter().filter(|one| one.role == AgUiRole::User).collect();
        let is_same = |(known, sent): &(&AgUiKnownMessage<'_>, &&AgUiMessage)| {
            known.id == sent.id && known.text == sent.text
        };
        let same = known.iter().zip(&sent).take_while(is_same).count();
        // One that is the last is answered again.
        let kept = same.min(sent.len().checked_sub(1)?);
        Some(AgUiEdit { kept, messages: sent[kept..].to_vec() })
    }

    /// Returns the messages of the person that are new, in order. `known` are the messages that the
    /// conversation has, in order.
    ///
    /// A client may have forgotten the beginning of the conversation. A history from which it has
    /// removed the end, or in which it has changed a message, is an error: the conversation cannot
    /// continue from an earlier point.
    ///
    /// ```
    /// use silcrow_front::{AgUiKnownMessage, AgUiRequest};
    ///
    /// let body = r#"{"threadId":"sums","runId":"2","messages":[
    ///     {"id":"m1","role":"user","content":"2 + 2?"},
    ///     {"id":"t1-1","role":"assistant","content":"Four."},
    ///     {"id":"m2","role":"user","content":"3 + 3?"}]}"#;
    /// let request = AgUiRequest::parse(body.as_bytes()).unwrap();
    /// let known = [AgUiKnownMessage { id: "m1", text: "2 + 2?" }];
    /// let new = request.new_messages(&known).unwrap();
    /// assert_eq!((new.len(), &*new[0].id), (1, "m2"));
    /// ```
    pub fn new_messages(
        &self,
        known: &[AgUiKnownMessage<'_>],
    ) -> Result<Vec<&AgUiMessage>, AgUiRequestError> {
        let edited = |why| Err(AgUiRequestError::new("edited_history", why));
        let mut sent = self.messages.iter().filter(|one| one.role == AgUiRole::User).peekable();
        let place = |id: &str| known.iter().position(|one| one.id == id);
        if let Some(first) = sent.peek().and_then(|first| place(&first.id)) {
            for known in &known[first..] {
                match sent.next() {
                    Some(one) if one.id != known.id => {
                        let why = format!("the message `{}` is not where it was", known.id);
                        return edited(why);
                    }
                    Some(one) if one.text != known.text => {
                        return edited(format!("the message `{}` has another text", known.id));
                    }
                    Some(_) => {}
                    None => return edited(format!("the message `{}` is missing", known.id)),
                }
            }
        }
        let new: Vec<_> = sent.collect();
        match new.iter().find(|one| place(&one.id).is_some()) {
            Some(one) => edited(format!("the message `{}` is not where it was", one.id)),
            None => Ok(new),
        }
    }
}
