use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};

use crate::error::ErrorKind;
use crate::provider::{Deltas, Provider, Request};
use crate::sent::sent;
use crate::session::Opening;

/// One model by several ways, such as several keys: where one is used up or not taken, the next is
/// asked at once, and first from then on.
///
/// It moves on at [`ErrorKind::Rate`] and [`ErrorKind::Auth`] before the first delta, once through
/// all of them; the last error counts.
#[derive(Debug)]
pub struct Rotate<P> {
    ways: Arc<[P]>,
    /// The one asked first, counted without end.
    first: Arc<AtomicUsize>,
}

impl<P: Provider + 'static> Rotate<P> {
    /// The model by way of `first`, then by each of the `others`.
    pub fn new(first: P, others: impl IntoIterator<Item = P>) -> Self {
        Self { ways: std::iter::once(first).chain(others).collect(), first: Arc::default() }
    }
}

impl<P: Provider + 'static> Provider for Rotate<P> {
    fn name(&self) -> &str {
        self.ways[0].name()
    }

    fn stream(&self, request: Request) -> Deltas {
        let asked = ask(Arc::clone(&self.ways), Arc::clone(&self.first), request);
        Box::pin(stream::once(asked).flatten())
    }

    /// By the way that was right last.
    fn connect(&self, request: Request) -> Option<Opening> {
        self.ways[self.first.load(Ordering::Relaxed) % self.ways.len()].connect(request)
    }
}

async fn ask(ways: Arc<[impl Provider]>, first: Arc<AtomicUsize>, request: Request) -> Deltas {
    let mut left = ways.len();
    // Bytes of requests that failed.
    let mut spent = 0;
    loop {
        let at = first.load(Ordering::Relaxed);
        let mut deltas = ways[at % ways.len()].stream(request.clone());
        let Some(item) = deltas.next().await else { return deltas };
        left -= 1;
        let moves = matches!(&item, Err(error) if moves_on(error.kind()));
        if moves {
            let next = at.wrapping_add(1);
            // Where this fails another request has moved on already.
            let _ = first.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        match item {
            Err(error) if moves && left > 0 => spent += error.sent(),
            Err(error) => return Box::pin(stream::iter([Err(error.after_sending(spent))])),
            item => return sent(Box::pin(stream::iter([item]).chain(deltas)), spent),
        }
    }
}

const fn moves_on(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Rate | ErrorKind::Auth)
}
