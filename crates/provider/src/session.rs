use futures_util::future::BoxFuture;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;

/// A connection to a model that keeps the conversation: only what is new is sent.
///
/// Dropping it hangs up.
pub trait Session: Send {
    /// The next delta of the answer at hand, as a [`DeltaStream`](crate::DeltaStream) would give it.
    /// Cancel-safe.
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>>;

    /// Stops the answer at hand, if it is not over.
    ///
    /// # Errors
    ///
    /// The session is of no use any more.
    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>>;

    /// Asks for the next answer, when the last one is over or stopped. Of that only `kept` counts,
    /// what was written behind it does not; then come these messages, the first of which is a
    /// user's. `kept` is as the log writes it: its white space may differ from what the model wrote.
    ///
    /// # Errors
    ///
    /// The session is of no use any more: it has expired, was cut, or cannot forget what the model
    /// wrote behind `kept`.
    fn send<'a>(
        &'a mut self,
        kept: &'a str,
        messages: &'a [event::Message],
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Takes leave of the model. A session that has failed may be dropped without it.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// A session that is being opened: it has asked for the first answer.
pub type OpeningSession = BoxFuture<'static, Result<Box<dyn Session>, Error>>;
