//! One model whose keys change.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, future, stream};
use silcrow_provider::{
    DeltaStream, Error, ErrorKind, ModelRenewal, OpeningSession, Provider, Renewed, Request,
};
use tokio::sync::Barrier;

use crate::played::{Connected, Item, Played, ask, connect, done, request, text};

/// The result of a renewal.
type RenewedKey<P> = Result<Option<P>, Error>;

/// Plays the renewals of the keys, and remembers its requests.
#[derive(Clone)]
struct Keys<P> {
    renewals: Arc<Mutex<VecDeque<RenewedKey<P>>>>,
    asked: Arc<Mutex<Vec<bool>>>,
}

impl<P> Keys<P> {
    fn new(renewals: impl IntoIterator<Item = Result<Option<P>, Error>>) -> Self {
        let renewals = renewals.into_iter().collect::<VecDeque<_>>();
        Self { renewals: Arc::new(Mutex::new(renewals)), asked: Arc::default() }
    }

    fn asked(&self) -> Vec<bool> {
        self.asked.lock().unwrap().clone()
    }
}

impl<P: Provider + 'static> ModelRenewal<P> for Keys<P> {
    fn renewed(&self, is_rejected: bool) -> BoxFuture<'_, Result<Option<P>, Error>> {
        self.asked.lock().unwrap().push(is_rejected);
        let next = self.renewals.lock().unwrap().pop_front().unwrap_or(Ok(None));
        future::ready(next).boxed()
    }
}

fn rejected(why: &str) -> Vec<Item> {
    vec![Err(Error::new(ErrorKind::Auth, why).with_sent(7))]
}

fn answer() -> Vec<Item> {
    vec![text("a"), done()]
}

#[tokio::test]
async fn rejected_key_is_renewed_and_request_repeated() {
    let (old, new) = (Played::new([rejected("old")]), Played::new([answer(), answer()]));
    let keys = Keys::new([Ok(None), Ok(Some(new.clone()))]);
    let model = Renewed::new(old.clone(), keys.clone());
    assert_eq!(model.name(), "played");
    for _ in 0..2 {
        let (_, error) = ask(&model).await;
        assert!(error.is_none(), "{error:?}");
    }
    assert_eq!((old.count(), new.count()), (1, 2));
    assert_eq!(keys.asked(), [false, true, false]);
}

#[tokio::test]
async fn changed_keys_are_used_without_a_rejection() {
    let (old, new) = (Played::new([]), Played::new([answer()]));
    let model = Renewed::new(old.clone(), Keys::new([Ok(Some(new.clone()))]));
    assert!(ask(&model).await.1.is_none());
    assert_eq!((old.count(), new.count()), (0, 1));
}

#[tokio::test]
async fn failed_renewal_explains_the_rejection() {
    let model = Renewed::new(Played::new([rejected("no such key")]), Keys::new([]));
    assert_eq!(ask(&model).await.1.unwrap().to_string(), "no such key");
    let failed = Err(Error::new(ErrorKind::Auth, "you are logged out"));
    let keys = Keys::new([Ok(None), failed]);
    let error = ask(&Renewed::new(Played::new([rejected("old")]), keys)).await.1.unwrap();
    assert_eq!((&*error.to_string(), error.sent()), ("you are logged out", 7));
    // New keys that are rejected, too, are not renewed again for the same request.
    let new = Played::new([rejected("new")]);
    let keys = Keys::new([Ok(None), Ok(Some(new))]);
    let model = Renewed::new(Played::new([rejected("old")]), keys.clone());
    assert_eq!(ask(&model).await.1.unwrap().to_string(), "new");
    assert_eq!(keys.asked(), [false, true]);
}

#[tokio::test]
async fn other_errors_and_late_ones_renew_nothing() {
    for first in [
        vec![Err(Error::new(ErrorKind::Rate, "no"))],
        vec![text("a"), Err(Error::new(ErrorKind::Auth, "no"))],
    ] {
        let keys = Keys::new([]);
        let (_, error) = ask(&Renewed::new(Played::new([first]), keys.clone())).await;
        assert!(error.is_some());
        assert_eq!(keys.asked(), [false]);
    }
}

/// A model that rejects the key of two requests once both have come.
struct RejectsTogether(Arc<Barrier>);

impl Provider for RejectsTogether {
    fn name(&self) -> &str {
        "together"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let barrier = Arc::clone(&self.0);
        let rejected = async move {
            barrier.wait().await;
            Err(Error::new(ErrorKind::Auth, "old"))
        };
        stream::once(rejected).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

#[tokio::test]
async fn requests_that_fail_together_renew_the_keys_once() {
    let old: Arc<dyn Provider> = Arc::new(RejectsTogether(Arc::new(Barrier::new(2))));
    let new = Played::new([answer(), answer()]);
    let renewed: Arc<dyn Provider> = Arc::new(new.clone());
    let keys = Keys::new([Ok(None), Ok(None), Ok(Some(renewed))]);
    let model = Renewed::new(old, keys.clone());
    let (one, other) = future::join(ask(&model), ask(&model)).await;
    assert!(one.1.is_none() && other.1.is_none());
    assert_eq!(new.count(), 2);
    assert_eq!(keys.asked(), [false, false, true]);
}

#[tokio::test]
async fn session_opens_with_renewed_keys() {
    let (old, new) = (Played::new([rejected("old")]), Played::new([answer()]));
    let keys = Keys::new([Ok(None), Ok(Some(Connected(new.clone())))]);
    let model = Renewed::new(Connected(old), keys);
    assert!(connect(&model).await.is_ok());
    assert_eq!(new.count(), 1);
    // A model without sessions has none with other keys.
    assert!(Renewed::new(Played::new([]), Keys::new([])).connect(request()).is_none());
}
