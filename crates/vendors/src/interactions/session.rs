//! A session over Interactions: each request names the interaction that it follows.
//!
//! No connection is open between two answers. The state is the current answer and its request.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::{Content, Message, MessageList, Role};
use silcrow_provider::{Delta, DeltaStream, Error, ErrorKind, Request, Session};

use super::Interactions;
use super::answer;
use super::reader::{InteractionEnd, SharedEnd};
use super::request::InteractionRequest;
use crate::written::WrittenAnswer;

/// Opens a session by asking for the first answer with the whole conversation.
pub(crate) async fn open(
    model: Arc<Interactions>,
    request: Request,
) -> Result<Box<dyn Session>, Error> {
    let asked = InteractionRequest::new(request);
    let (deltas, seen) = answer::open(Arc::clone(&model), asked.clone()).await?;
    Ok(Box::new(InteractionChain {
        model,
        asked,
        deltas,
        seen,
        written: WrittenAnswer::default(),
        done: false,
    }))
}

/// A chain of interactions that the server keeps.
struct InteractionChain {
    model: Arc<Interactions>,
    /// The request for the current answer. If that answer does not count as a whole, the input is
    /// sent again with the part that counts.
    asked: InteractionRequest,
    deltas: DeltaStream,
    seen: Arc<SharedEnd>,
    /// The text and calls of the current answer so far.
    written: WrittenAnswer,
    /// Whether the current answer is complete.
    done: bool,
}

impl InteractionChain {
    /// Returns the id of the current interaction if the answer that the server keeps is exactly
    /// `kept`.
    fn follows(&self, kept: &Content) -> Option<String> {
        let InteractionEnd { id, completed, .. } = self.seen.ended();
        id.filter(|_| self.done && completed && self.written.is_all(kept))
    }

    /// Returns the error of a request that was rejected. If the request follows an interaction, the
    /// reason may be that the server no longer keeps it, and another session may help.
    fn forgotten(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::Refused || self.asked.previous.is_none() {
            return error;
        }
        let message = format!("{error}; the server may no longer keep the interaction before it");
        Error::new(ErrorKind::Network, message).with_sent(error.sent())
    }
}

impl Session for InteractionChain {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            let item = self.deltas.next().await;
            if let Some(Ok(delta)) = &item {
                self.written.push(delta);
                self.done |= matches!(delta, Delta::Done(_));
            }
            item
        }
        .boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.deltas = stream::empty().boxed();
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            self.deltas = stream::empty().boxed();
            match self.follows(kept) {
                Some(id) => {
                    self.asked.previous = Some(id);
                    self.asked.input = MessageList::default();
                }
                None if kept.is_empty() => {}
                None => self.asked.input.push(Message::new(Role::Assistant, kept.clone())),
            }
            self.asked.input.extend(messages.iter().cloned());
            let opened = answer::open(Arc::clone(&self.model), self.asked.clone());
            (self.deltas, self.seen) = opened.await.map_err(|error| self.forgotten(error))?;
            self.written.clear();
            self.done = false;
            Ok(())
        }
        .boxed()
    }

    /// Does nothing: there is no connection between answers, and the server forgets without a
    /// request.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
