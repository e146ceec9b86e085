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
use futures_util::stream;
use silcrow_exec::CancellationToken;
use tokio::time::timeout;

use crate::server::Server;

/// The source of the messages of a stream. `None` ends it.
pub(crate) trait SseSource: Send + 'static {
    /// Waits for the next messages. Cancel-safe.
    fn next(&mut self) -> impl Future<Output = Option<String>> + Send;
}

/// Answers with a stream.
pub(crate) fn answer(server: &Server, source: impl SseSource) -> Response {
    let (closing, keep_alive) = (server.closing.clone(), server.options.keep_alive);
    // The first bytes tell the client that the stream is there.
    let first = Some("retry: 1000\n\n".to_owned());
    let state = (source, closing, keep_alive, first);
    let pieces = stream::unfold(state, |(mut source, closing, keep_alive, first)| async move {
        let piece = match first {
            Some(first) => Some(first),
            None => next(&mut source, &closing, keep_alive).await,
        };
        piece.map(|piece| (Ok::<_, Infallible>(piece), (source, closing, keep_alive, None)))
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
