//! One request over HTTP, and its answer.
//!
//! This module handles statuses, forms of bodies and timeouts; the `reader` reads the answer.
//!
//! [`AnswerTransfer`] is in one of the states of [`TransferState`]: `Ask` becomes `Events` when a
//! streamed answer begins, and both become `Over` when the answer is complete or fails.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Response, Url};
use silcrow_http_client::retry_after;
use silcrow_provider::{
    Activity, Delta, DeltaStream, Error, ErrorKind, SilenceLimits, add_sent_bytes, limit_silence,
    sse,
};
use tokio::time::{self, Instant};
use tracing::debug;

use crate::answer::{DeltaQueue, EventReader};
use crate::body::{ResponseBody, foreign_encoding};
use crate::error::{ErrorCause, Peer};
use crate::reader::{self, AnswerReader};
use crate::retry_advice;
use crate::timeouts::Timeouts;
use crate::url::shown;

mod form;

use form::BodyForm;
pub(crate) use form::media_type;

/// One request, and the reader of its answer.
pub(crate) struct HttpExchange {
    pub(crate) client: Client,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) streaming: bool,
    pub(crate) peer: Arc<Peer>,
    pub(crate) reader: Box<dyn EventReader>,
}

/// Returns the answer to a request that is sent when the first delta is polled. Dropping the stream
/// closes the connection.
pub(crate) fn deltas(exchange: HttpExchange, timeouts: Timeouts) -> DeltaStream {
    let (limits, bytes) = (timeouts.limits(exchange.streaming), exchange.body.len());
    AnswerTransfer::new(TransferState::Ask(exchange), timeouts).into_deltas(limits, bytes)
}

/// Sends a request and returns its answer once it begins.
pub(crate) async fn open(exchange: HttpExchange, timeouts: Timeouts) -> Result<DeltaStream, Error> {
    let (limits, bytes) = (timeouts.limits(exchange.streaming), exchange.body.len());
    let silent = exchange.peer.silent(limits.first);
    let mut reading = AnswerTransfer::new(TransferState::Over, timeouts);
    let failed = match time::timeout(limits.first, reading.ask(exchange)).await {
        Ok(at) => {
            reading.at = at;
            reading.out.pop_front_if(|item| item.is_err()).and_then(Result::err)
        }
        Err(_) => Some(silent),
    };
    match failed {
        // The server received nothing.
        Some(error) if error.kind() == ErrorKind::Network => Err(error),
        Some(error) => Err(error.with_sent(bytes as u64)),
        None => Ok(reading.into_deltas(limits, bytes)),
    }
}

struct AnswerTransfer {
    at: TransferState,
    out: DeltaQueue,
    linger: Duration,
    /// The time at which to stop reading a finished answer.
    enough: Option<Instant>,
    /// Whether a delta with text was emitted.
    has_begun: bool,
    activity: Activity,
}

enum TransferState {
    Ask(HttpExchange),
    Events(Box<ResponseBody>, AnswerReader),
    Over,
}

impl AnswerTransfer {
    fn new(at: TransferState, timeouts: Timeouts) -> Self {
        let linger = LINGER.min(timeouts.idle / 2);
        let activity = Activity::default();
        Self { at, out: DeltaQueue::new(), linger, enough: None, has_begun: false, activity }
    }

    /// Returns the deltas of an answer to a request of `bytes` bytes.
    fn into_deltas(self, limits: SilenceLimits, bytes: usize) -> DeltaStream {
        let activity = self.activity.clone();
        let deltas = stream::unfold(self, |mut reading| async {
            let item = reading.next().await?;
            Some((item, reading))
        });
        add_sent_bytes(limit_silence(Box::pin(deltas), limits, activity), bytes as u64)
    }

    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            if let Some(item) = self.out.pop_front() {
                if matches!(item, Ok(Delta::Text(_) | Delta::Reasoning(_))) {
                    self.begin();
                }
                return Some(item);
            }
            self.at = match std::mem::replace(&mut self.at, TransferState::Over) {
                TransferState::Ask(exchange) => self.ask(exchange).await,
                TransferState::Events(body, reader) => self.read(body, reader).await,
                TransferState::Over => return None,
            };
        }
    }

    /// Emits the usage that is known so far after the first delta, for a caller that hangs up
    /// before the end.
    fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true)
            && let TransferState::Events(_, reader) = &self.at
        {
            self.out.push_front(Ok(Delta::Usage(reader.early_usage())));
        }
    }

    async fn ask(&mut self, mut exchange: HttpExchange) -> TransferState {
        match exchange.send(self.activity.clone()).await {
            Ok((BodyForm::Events, body)) => TransferState::Events(
                Box::new(body),
                AnswerReader::new(exchange.peer, exchange.reader),
            ),
            Ok((BodyForm::Whole, mut body)) => {
                let (bytes, cause) = collect(&mut body, WHOLE_BODY).await;
                if bytes.len() > WHOLE_BODY {
                    let why = format!("it sent more than {WHOLE_BODY} bytes at once");
                    self.out.push_back(Err(exchange.peer.malformed(&why)));
                } else {
                    let text = String::from_utf8_lossy(&bytes);
                    reader::whole(exchange.peer, exchange.reader, &text, cause, &mut self.out);
                }
                TransferState::Over
            }
            Err(error) => {
                self.out.push_back(Err(error));
                TransferState::Over
            }
        }
    }

    async fn read(&mut self, mut body: Box<ResponseBody>, reader: AnswerReader) -> TransferState {
        // The answer is complete with its finish reason, but its usage is worth a short wait.
        if reader.is_finished() && self.enough.is_none() {
            self.enough = Some(Instant::now() + self.linger);
        }
        let read = match self.enough {
            Some(enough) => time::timeout_at(enough, body.chunk()).await.unwrap_or(Ok(None)),
            None => body.chunk().await,
        };
        match read {
            Ok(Some(bytes)) => match reader.push(&bytes, &mut self.out) {
                Some(reader) => TransferState::Events(body, reader),
                None => TransferState::Over,
            },
            Ok(None) => {
                reader.end(None, &mut self.out);
                TransferState::Over
            }
            Err(error) => {
                reader.end(Some(error), &mut self.out);
                TransferState::Over
            }
        }
    }
}

impl HttpExchange {
    /// Sends the request, and keeps no copy of its body.
    async fn send(&mut self, activity: Activity) -> Result<(BodyForm, ResponseBody), Error> {
        let body = std::mem::take(&mut self.body);
        let (host, bytes) = (self.url.host_str(), body.len());
        debug!(server.address = host, bytes, "sends a request");
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .header(ACCEPT_ENCODING, "identity")
            .body(body);
        let response = request.send().await.map_err(|error| self.peer.unreachable(error))?;
        let status = response.status().as_u16();
        debug!(server.address = host, http.response.status_code = status, "the server answers");
        let response = accepted(response, &self.peer).await?;
        activity.note();
        if let Some(encoding) = foreign_encoding(response.headers()) {
            let encoding = self.peer.quote(&encoding);
            let why = format!("it sent the encoding `{encoding}`, which was not requested");
            return Err(self.peer.malformed(&why));
        }
        let kind = media_type(response.headers());
        let mut body = ResponseBody::new(response, activity);
        let form = match BodyForm::detect(&kind, &mut body).await {
            Some(form) => form,
            None if kind.is_empty() && self.streaming => BodyForm::Events,
            None if kind.is_empty() => BodyForm::Whole,
            None if kind == "text/html" => {
                return Err(self.peer.malformed("it sent an HTML page"));
            }
            None => {
                let why = format!("it sent `{}`", self.peer.quote(&kind));
                return Err(self.peer.malformed(&why));
            }
        };
        Ok((form, body))
    }
}

/// Returns the response unless it is a redirect or an error.
pub(crate) async fn accepted(response: Response, peer: &Peer) -> Result<Response, Error> {
    let status = response.status();
    if status.is_redirection() {
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let to = to.and_then(|to| response.url().join(to).ok());
        return Err(peer.redirected(&to.map_or_else(|| "nowhere".to_owned(), |to| shown(&to))));
    }
    if status.is_success() {
        return Ok(response);
    }
    let (wait, advised) =
        (retry_after(response.headers()), retry_advice::should_retry(response.headers()));
    let body = match foreign_encoding(response.headers()) {
        Some(_) => Vec::new(),
        None => {
            let mut body = ResponseBody::new(response, Activity::default());
            let body = time::timeout(LINGER, collect(&mut body, ERROR_BODY)).await;
            body.unwrap_or_default().0
        }
    };
    Err(peer.status(status, wait, advised, &String::from_utf8_lossy(&body)))
}

/// Reads a body until it is longer than `limit`. Returns the bytes, and the error if the body broke
/// off.
pub(crate) async fn collect(
    body: &mut ResponseBody,
    limit: usize,
) -> (Vec<u8>, Option<ErrorCause>) {
    let mut bytes = Vec::new();
    while bytes.len() <= limit {
        match body.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(cause) => return (bytes, Some(cause)),
        }
    }
    (bytes, None)
}

/// The time limit for useful but optional data, such as usage after a finish reason.
const LINGER: Duration = Duration::from_secs(5);

/// The maximum number of bytes of an answer that does not stream.
const WHOLE_BODY: usize = sse::MAX_EVENT;

/// The maximum number of bytes that are read of an error's body.
const ERROR_BODY: usize = 64 << 10;
