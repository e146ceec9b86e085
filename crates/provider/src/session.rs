//! The trait of connections that keep a conversation.

use futures_util::future::BoxFuture;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;

/// A connection to a model that keeps the conversation, so that only new messages are sent.
///
/// Dropping it closes the connection.
pub trait Session: Send {
    /// Returns the next delta of the current answer, as a [`DeltaStream`](crate::DeltaStream) does.
    /// Cancel-safe.
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>>;

    /// Cancels the current answer if it is not over.
    ///
    /// # Errors
    ///
    /// Returns an error if the session is of no use any more.
    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>>;

    /// Asks for the next answer after the last one is over or cancelled.
    ///
    /// Of the last answer only `kept` counts, which may differ from what the model wrote in its white
    /// space. These messages follow it; the first one is a user's.
    ///
    /// # Errors
    ///
    /// Returns an error if the session is of no use any more: it has expired, was cut, or cannot
    /// forget what the model wrote after `kept`.
    fn send<'a>(
        &'a mut self,
        kept: &'a str,
        messages: &'a [event::Message],
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Closes the connection properly. A session that has failed may be dropped instead.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// A session that is being opened, and that asks for the first answer.
pub type OpeningSession = BoxFuture<'static, Result<Box<dyn Session>, Error>>;
