//! Answers that are streams of server-sent events.
//!
//! A stream says that it lives when nothing else happens, and ends when the server stops. That it
//! ends says nothing about a run.

use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use futures_util::stream::unfold;
use silcrow_tool::CancellationToken;
use tokio::time::timeout;

use crate::server::Server;

/// The source of the messages of a stream. `None` ends it.
pub(crate) trait SseSource: Send + 'static {
    /// The first bytes, which tell the client that the stream is there.
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
    let first = Some(S::OPENING.to_owned());
    let state = Some((source, closing, keep_alive, first));
    let pieces = unfold(state, |state| async move {
        let (mut source, closing, keep_alive, first) = state?;
        let piece = match first {
            Some(first) => Some(first),
            None => next(&mut source, &closing, keep_alive).await,
        };
        let (piece, state) = match piece {
            Some(piece) => (piece, Some((source, closing, keep_alive, None))),
            None => (source.close()?, None),
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

async fn next(
    source: &mut impl SseSource,
    closing: &CancellationToken,
    keep_alive: Duration,
) -> Option<String> {
    tokio::select! {
        biased;
        () = closing.cancelled() => None,
        piece = timeout(keep_alive, source.next()) => piece.unwrap_or_else(|_| Some(": \n\n".to_owned())),
    }
}
