use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, DeltaStream, Error, ErrorKind, Request, Session};

use super::Interactions;
use super::answer;
use super::reader::{Ended, Seen};
use super::request::Asked;
use crate::conversation::same;

/// Asks for the first answer, with the whole conversation.
pub(crate) async fn open(
    model: Arc<Interactions>,
    request: Request,
) -> Result<Box<dyn Session>, Error> {
    let asked = Asked::new(request);
    let (deltas, seen) = answer::open(Arc::clone(&model), asked.clone()).await?;
    Ok(Box::new(Chain { model, asked, deltas, seen, text: String::new(), done: false }))
}

/// Interactions that the server keeps, each following one before it.
struct Chain {
    model: Arc<Interactions>,
    /// What the answer at hand is an answer to. It stays until that answer counts whole, so that
    /// the same can be asked with another answer behind it.
    asked: Asked,
    deltas: DeltaStream,
    seen: Arc<Seen>,
    /// What the model has written of the answer at hand.
    text: String,
    /// The answer at hand is whole.
    done: bool,
}

impl Chain {
    /// The interaction at hand, if the server has kept an answer that says `kept` and no more.
    fn follows(&self, kept: &str) -> Option<String> {
        let Ended { id, completed, .. } = self.seen.ended();
        id.filter(|_| self.done && completed && same(&self.text, kept))
    }

    /// Where an interaction is followed, a request that is refused may be right but for it: the
    /// server keeps it no longer.
    fn forgotten(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::Refused || self.asked.previous.is_none() {
            return error;
        }
        let message = format!("{error}; the interaction before it may be kept no longer");
        Error::new(ErrorKind::Network, message).after_sending(error.sent())
    }
}

impl Session for Chain {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            let item = self.deltas.next().await;
            match &item {
                Some(Ok(Delta::Text(text))) => self.text.push_str(text),
                Some(Ok(Delta::Done(_))) => self.done = true,
                _ => {}
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
        kept: &'a str,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            self.deltas = stream::empty().boxed();
            match self.follows(kept) {
                Some(id) => {
                    self.asked.previous = Some(id);
                    self.asked.input.clear();
                }
                None if kept.is_empty() => {}
                None => self.asked.input.push(Message::new(Role::Assistant, kept)),
            }
            self.asked.input.extend_from_slice(messages);
            let opened = answer::open(Arc::clone(&self.model), self.asked.clone());
            (self.deltas, self.seen) = opened.await.map_err(|error| self.forgotten(error))?;
            self.text.clear();
            self.done = false;
            Ok(())
        }
        .boxed()
    }

    /// There is no connection between answers, and no leave to take: the server forgets by itself.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
