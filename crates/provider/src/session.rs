//! The trait of connections that keep a conversation.

use futures_util::future::BoxFuture;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;

/// A connection to a model that keeps the conversation, so that only new messages are sent.
///
/// An answer is either open or over. [`receive`](Self::receive) and [`cancel`](Self::cancel) belong
/// to the current answer, and [`send`](Self::send) begins the next one after it. Dropping a session
/// closes the connection.
///
/// ```
/// use silcrow_event::{Content, Message};
/// use silcrow_provider::{Delta, Provider as _, Request, ScriptedModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_provider::Error> {
/// let model = ScriptedModel::parse("4\n%%\n6", 1);
/// let request = Request::new(vec![Message::user("2 + 2?")]);
/// let mut session = model.connect(request).expect("it has sessions").await?;
/// while let Some(delta) = session.receive().await {
///     delta?;
/// }
/// // Only what is new is sent: the server has the rest.
/// session.send(&Content::from("4"), &[Message::user("And 2 more?")]).await?;
/// assert_eq!(session.receive().await.unwrap()?, Delta::Text("6".to_owned()));
/// session.close().await;
/// # Ok(())
/// # }
/// ```
pub trait Session: Send {
    /// Returns the next delta of the current answer, as a [`DeltaStream`](crate::DeltaStream) does.
    /// Cancel-safe.
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>>;

    /// Cancels the current answer if it is not over.
    ///
    /// # Errors
    ///
    /// Returns an error if the session can no longer be used.
    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>>;

    /// Sends new messages and asks for the next answer, after the last one is over or cancelled.
    ///
    /// `kept` is the part of the last answer that counts, in the form of a request: its white space
    /// may differ from the model's, and the vendor's own calls (P-45) are parts of it. The messages
    /// follow it, and the first one is a user's.
    ///
    /// # Errors
    ///
    /// Returns an error if the session can no longer be used: it has expired, was cut, or cannot
    /// forget the model's text after `kept`.
    fn send<'a>(
        &'a mut self,
        kept: &'a event::Content,
        messages: &'a [event::Message],
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Closes the connection properly. A session that has failed may be dropped instead.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// A future that opens a session and sends its first request.
pub type OpeningSession = BoxFuture<'static, Result<Box<dyn Session>, Error>>;
