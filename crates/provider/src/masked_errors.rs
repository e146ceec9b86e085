//! A model whose errors hold no secrets.

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{Content, Message, error_chain};
use silcrow_sanitize::{Secrets, mask_key_shapes};

use crate::delta::Delta;
use crate::error::Error;
use crate::provider::{DeltaStream, Provider, Request};
use crate::session::{OpeningSession, Session};

/// A model whose errors have secrets masked, and everything that looks like a key.
///
/// A server or a proxy may repeat any part of a request in the body of an error, or reveal its own
/// secrets. Models of `silcrow-vendors` remove the keys that they send; this wrapper removes other
/// secrets.
///
/// ```
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::record::{Replay, Secrets};
/// use silcrow_provider::{MaskedErrors, Provider as _, Request};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_provider::Error> {
/// // This proxy repeats its own password.
/// let line = r#"{"request":{"streaming":true,"messages":[{"role":"user","content":"hi"}]},"answer":[{"error":{"code":"network","message":"http://ada:hunter2-hunter2@proxy is down"}}]}"#;
/// let model = Replay::parse(line, Secrets::default())?;
///
/// let model = MaskedErrors::new(model, Secrets::new(["hunter2-hunter2"]));
/// let error = model.stream(Request::new(vec![Message::user("hi")])).next().await.unwrap();
/// assert!(!error.unwrap_err().to_string().contains("hunter2-hunter2"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MaskedErrors<P> {
    model: P,
    secrets: Secrets,
}

impl<P: Provider> MaskedErrors<P> {
    /// Masks these secrets in the errors of `model`.
    pub const fn new(model: P, secrets: Secrets) -> Self {
        Self { model, secrets }
    }
}

impl<P: Provider> Provider for MaskedErrors<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let secrets = self.secrets.clone();
        let deltas = self.model.stream(request);
        deltas.map(move |delta| delta.map_err(|error| masked(error, &secrets))).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let secrets = self.secrets.clone();
        let opening = self.model.connect(request)?;
        Some(
            async move {
                match opening.await {
                    Ok(session) => Ok(Box::new(MaskedSession { session, secrets }) as _),
                    Err(error) => Err(masked(error, &secrets)),
                }
            }
            .boxed(),
        )
    }
}

/// A session in whose errors secrets are masked.
struct MaskedSession {
    session: Box<dyn Session>,
    secrets: Secrets,
}

impl Session for MaskedSession {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            let item = self.session.receive().await?;
            Some(item.map_err(|error| masked(error, &self.secrets)))
        }
        .boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        async {
            let cancelled = self.session.cancel().await;
            cancelled.map_err(|error| masked(error, &self.secrets))
        }
        .boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            let sent = self.session.send(kept, messages).await;
            sent.map_err(|error| masked(error, &self.secrets))
        }
        .boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.session.close()
    }
}

/// Returns the error without secrets. If there are any in it, its source is only a text, because a
/// source may be printed as it is.
fn masked(error: Error, secrets: &Secrets) -> Error {
    let whole = error_chain(&error);
    let masked = secrets.redact(&whole, "[secret]");
    let masked = mask_key_shapes(&masked);
    if masked == whole { error } else { error.with_message(masked) }
}
