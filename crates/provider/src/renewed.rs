//! A model that is made again when its keys change.
//!
//! The state is the model with the current keys, which all requests share. The caller finds the
//! keys.

use std::sync::{Arc, PoisonError, RwLock};

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use tokio::sync::Mutex;

use crate::error::{Error, ErrorKind};
use crate::provider::{DeltaStream, Provider, Request};
use crate::sent_bytes::add_sent_bytes;
use crate::session::{OpeningSession, Session};

/// Makes a model again with the current keys.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_provider::{Error, ErrorKind, ModelRenewal, ScriptedModel};
///
/// /// Has no other key, and says where a person gets one.
/// struct OneKey;
///
/// impl ModelRenewal<ScriptedModel> for OneKey {
///     fn renewed(&self, rejected: bool) -> BoxFuture<'_, Result<Option<ScriptedModel>, Error>> {
///         let error = || Error::new(ErrorKind::Auth, "the key has expired; log in again");
///         ready(if rejected { Err(error()) } else { Ok(None) }).boxed()
///     }
/// }
///
/// assert!(OneKey.renewed(false).await.unwrap().is_none());
/// assert_eq!(OneKey.renewed(true).await.map(|_| ()).unwrap_err().kind(), ErrorKind::Auth);
/// # });
/// ```
pub trait ModelRenewal<P>: Send + Sync {
    /// Returns a model with new keys, or `None` if the keys are the same as in the last model that
    /// this function returned.
    ///
    /// Without `is_rejected` this is called before each request, so it must be quick. With it, a
    /// server has rejected the keys of the last model, and they are read again at any cost.
    ///
    /// # Errors
    ///
    /// Returns an error if keys that were rejected cannot be renewed. Its message takes the place of
    /// the server's.
    fn renewed(&self, is_rejected: bool) -> BoxFuture<'_, Result<Option<P>, Error>>;
}

/// A model whose key may change while it is used, such as a key from a file or a command.
///
/// If a request fails with [`ErrorKind::Auth`] before the first delta, the source is asked for other
/// keys, and if it has some, the request is sent once more. Requests that fail together renew the
/// keys once. For several keys at a time, `P` is a [`KeyRotation`](crate::KeyRotation), which has
/// tried them all by then.
///
/// ```
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_provider::{Error, ModelRenewal, Provider as _, Renewed, ScriptedModel};
///
/// type Model = ScriptedModel;
///
/// /// Makes another model once a key was rejected.
/// struct NewKey;
///
/// impl ModelRenewal<Model> for NewKey {
///     fn renewed(&self, is_rejected: bool) -> BoxFuture<'_, Result<Option<Model>, Error>> {
///         // A program reads its key file here, and returns `None` if the key is the same.
///         ready(Ok(is_rejected.then(|| Model::parse("hello", 1)))).boxed()
///     }
/// }
///
/// let model = Renewed::new(ScriptedModel::parse("hi", 1), NewKey);
/// assert_eq!(model.name(), "script");
/// ```
pub struct Renewed<P> {
    /// The first model, which has the name and kind of all.
    first: Arc<P>,
    state: Arc<RenewedState<P>>,
}

struct RenewedState<P> {
    current: RwLock<Arc<P>>,
    /// One renewal at a time.
    source: Mutex<Box<dyn ModelRenewal<P>>>,
}

impl<P: Provider + 'static> Renewed<P> {
    /// Creates a model that begins as `first`. The source treats `first` as the last model it made.
    pub fn new(first: P, source: impl ModelRenewal<P> + 'static) -> Self {
        let first = Arc::new(first);
        let (current, source) =
            (RwLock::new(Arc::clone(&first)), Mutex::new(Box::new(source) as _));
        Self { first, state: Arc::new(RenewedState { current, source }) }
    }
}

impl<P: Provider + 'static> RenewedState<P> {
    fn current(&self) -> Arc<P> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the model with the keys of the moment.
    async fn fresh(&self) -> Result<Arc<P>, Error> {
        let source = self.source.lock().await;
        match source.renewed(false).await? {
            Some(model) => Ok(self.replace(model)),
            None => Ok(self.current()),
        }
    }

    /// Returns another model than this one, whose keys were rejected, or the error if there is none.
    async fn after(&self, rejected: &Arc<P>, error: Error) -> Result<Arc<P>, Error> {
        if error.kind() != ErrorKind::Auth {
            return Err(error);
        }
        let source = self.source.lock().await;
        let current = self.current();
        if !Arc::ptr_eq(&current, rejected) {
            // Another request has renewed the keys meanwhile.
            return Ok(current);
        }
        match source.renewed(true).await {
            Ok(Some(model)) => Ok(self.replace(model)),
            Ok(None) => Err(error),
            Err(unrenewed) => Err(unrenewed.with_sent(error.sent())),
        }
    }

    fn replace(&self, model: P) -> Arc<P> {
        let model = Arc::new(model);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::clone(&model);
        model
    }
}

impl<P: Provider + 'static> Provider for Renewed<P> {
    fn name(&self) -> &str {
        self.first.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let state = Arc::clone(&self.state);
        Box::pin(stream::once(ask(state, request)).flatten())
    }

    /// Opens a session with the keys of the moment, and once more with others.
    fn connect(&self, request: Request) -> Option<OpeningSession> {
        // A session that is not polled has sent nothing, so this says only whether there are any.
        drop(self.first.connect(request.clone())?);
        Some(Box::pin(open(Arc::clone(&self.state), request)))
    }
}

async fn ask<P: Provider + 'static>(state: Arc<RenewedState<P>>, request: Request) -> DeltaStream {
    let failed = |error| -> DeltaStream { Box::pin(stream::iter([Err(error)])) };
    let model = match state.fresh().await {
        Ok(model) => model,
        Err(error) => return failed(error),
    };
    let mut deltas = model.stream(request.clone());
    let first = match deltas.next().await {
        Some(Err(error)) => {
            let sent = error.sent();
            return match state.after(&model, error).await {
                Ok(model) => add_sent_bytes(model.stream(request), sent),
                Err(error) => failed(error),
            };
        }
        first => first,
    };
    Box::pin(stream::iter(first).chain(deltas))
}

async fn open<P: Provider + 'static>(
    state: Arc<RenewedState<P>>,
    request: Request,
) -> Result<Box<dyn Session>, Error> {
    let without = || Error::new(ErrorKind::Refused, "the model no longer offers sessions");
    let model = state.fresh().await?;
    let opening = model.connect(request.clone()).ok_or_else(without)?;
    let error = match opening.await {
        Ok(session) => return Ok(session),
        Err(error) => error,
    };
    let model = state.after(&model, error).await?;
    model.connect(request).ok_or_else(without)?.await
}

impl<P: std::fmt::Debug> std::fmt::Debug for Renewed<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renewed").field("first", &self.first).finish_non_exhaustive()
    }
}
