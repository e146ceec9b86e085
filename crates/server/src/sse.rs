//! Answers that are streams of server-sent events.
//!
//! A stream says that it lives when nothing else happens, and ends when the server stops. That it
//! ends says nothing about a run.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::unfold;
use silcrow_tool::{CancellationToken, WakeGated};
use tokio::time::{Instant, Sleep, sleep};

use crate::server::Server;

/// The source of the messages of a stream. `None` ends it.
pub(crate) trait SseSource: Send + 'static {
    /// The first bytes, which show the client that the stream is open.
    const OPENING: &'static str = "retry: 1000\n\n";

    /// Waits for the next messages. Cancel-safe.
    fn next(&mut self) -> impl Future<Output = Option<String>> + Send;

    /// Returns the last message if the server stops.
    fn close(&mut self) -> Option<String> {
        None
    }
}

/// Answers with a stream, which ends when the server stops.
pub(crate) fn answer(server: &Server, source: impl SseSource) -> Response {
    stream(source, server.closing.clone(), server.options.keep_alive)
}

/// Answers with a stream, which ends when `closing` is cancelled.
pub(crate) fn stream<S: SseSource>(
    source: S,
    closing: CancellationToken,
    keep_alive: Duration,
) -> Response {
    let closing = WakeGated::new(async move { closing.cancelled().await }.boxed());
    let (heard, alive) = (Instant::now(), WakeGated::new(Box::pin(sleep(keep_alive))));
    // It is moved with each message.
    let begun = Box::new(SseStream { source, closing, keep_alive, heard, alive });
    let state = Some((begun, Some(S::OPENING.to_owned())));
    let pieces = unfold(state, |state| async move {
        let (mut begun, first) = state?;
        let piece = match first {
            Some(first) => Some(first),
            None => begun.next().await,
        };
        let (piece, state) = match piece {
            Some(piece) => (piece, Some((begun, None))),
            None => (begun.source.close()?, None),
        };
        Some((Ok::<_, Infallible>(piece), state))
    });
    let mut answer = Response::new(Body::from_stream(pieces));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // A proxy that collects the answer would hold the events back.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    answer
}

/// A stream that has begun. Its waiting future is kept from one message to the next, and is not polled
/// for each word, because all streams of a server wait for the same end.
struct SseStream<S> {
    source: S,
    closing: WakeGated<BoxFuture<'static, ()>>,
    keep_alive: Duration,
    /// When the client has got something.
    heard: Instant,
    /// Ends when a sign of life may be due.
    alive: WakeGated<Pin<Box<Sleep>>>,
}

impl<S: SseSource> SseStream<S> {
    async fn next(&mut self) -> Option<String> {
        loop {
            tokio::select! {
                biased;
                () = &mut self.closing => return None,
                piece = self.source.next() => {
                    self.heard = Instant::now();
                    return piece;
                }
                () = &mut self.alive => {}
            }
            let (now, due) = (Instant::now(), self.heard + self.keep_alive);
            if due <= now {
                self.heard = now;
                return Some(": \n\n".to_owned());
            }
            self.alive.inner_mut().as_mut().reset(due);
        }
    }
}
