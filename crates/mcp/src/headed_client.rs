//! An HTTP client that sends the declared headers, and asks for new ones once a server refuses
//! them.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::{Error as SseError, Sse};
use tokio::sync::Mutex;

use crate::headers::ServerHeaders;

/// A client with headers. Clones share the last result of the source.
#[derive(Clone)]
pub(crate) struct HeadedClient<C> {
    inner: C,
    headers: Option<ServerHeaders>,
    current: Arc<Mutex<Option<SourcedHeaders>>>,
}

pub(crate) type Headers = HashMap<HeaderName, HeaderValue>;
type SourcedHeaders = Arc<[(HeaderName, HeaderValue)]>;
pub(crate) type SendError = StreamableHttpError<reqwest::Error>;

impl<C> HeadedClient<C> {
    pub(crate) fn new(inner: C, headers: Option<ServerHeaders>) -> Self {
        Self { inner, headers, current: Arc::default() }
    }

    #[cfg(feature = "oauth")]
    pub(crate) const fn inner(&self) -> &C {
        &self.inner
    }

    /// Sends a request, and once more if the server refuses its headers and the source has new
    /// ones.
    async fn send<T, F: Future<Output = Result<T, SendError>>>(
        &self,
        own: Headers,
        send: impl Fn(Headers) -> F,
    ) -> Result<T, SendError> {
        let Some(source) = &self.headers else { return send(own).await };
        let with = |headers: &SourcedHeaders| {
            let mut all: Headers = headers.iter().cloned().collect();
            all.extend(own.clone());
            all
        };
        let sent = {
            let mut current = self.current.lock().await;
            match &*current {
                Some(headers) => Arc::clone(headers),
                None => Arc::clone(current.insert(read(source, false).await?)),
            }
        };
        let refused = match send(with(&sent)).await {
            Err(error) if is_refusal(&error) => error,
            ended => return ended,
        };
        let renewed = {
            let mut current = self.current.lock().await;
            match &*current {
                // Another request has renewed them meanwhile.
                Some(headers) if !Arc::ptr_eq(headers, &sent) => Arc::clone(headers),
                _ => {
                    let renewed = read(source, true).await?;
                    if renewed == sent {
                        return Err(refused);
                    }
                    Arc::clone(current.insert(renewed))
                }
            }
        };
        send(with(&renewed)).await
    }
}

async fn read(source: &ServerHeaders, is_refused: bool) -> Result<SourcedHeaders, SendError> {
    let headers = source.read(is_refused).await;
    headers.map(Into::into).map_err(|why| SendError::Io(io::Error::other(why)))
}

/// Returns whether a server rejects the client's identity: status 401 or 403.
fn is_refusal(error: &SendError) -> bool {
    match error {
        SendError::AuthRequired(_) | SendError::InsufficientScope(_) => true,
        SendError::Client(error) => {
            error.status().is_some_and(|status| [401, 403].contains(&status.as_u16()))
        }
        // A response without a challenge.
        SendError::UnexpectedServerResponse(text) => {
            ["HTTP 401", "HTTP 403"].iter().any(|status| text.starts_with(status))
        }
        _ => false,
    }
}

impl<C> StreamableHttpClient for HeadedClient<C>
where
    C: StreamableHttpClient<Error = reqwest::Error> + Sync,
{
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, SendError> {
        self.send(custom_headers, |headers| {
            let (uri, message, id) = (uri.clone(), message.clone(), session_id.clone());
            self.inner.post_message(uri, message, id, auth_header.clone(), headers)
        })
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, SendError> {
        self.send(custom_headers, |headers| {
            let (uri, message, id) = (uri.clone(), message.clone(), session_id.clone());
            let token = auth_header.clone();
            self.inner.post_message_with_response_limits(uri, message, id, token, headers, limits)
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), SendError> {
        self.send(custom_headers, |headers| {
            let (uri, id) = (uri.clone(), session_id.clone());
            self.inner.delete_session(uri, id, auth_header.clone(), headers)
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, SendError> {
        self.send(custom_headers, |headers| {
            let (uri, id, last) = (uri.clone(), session_id.clone(), last_event_id.clone());
            self.inner.get_stream(uri, id, last, auth_header.clone(), headers)
        })
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, SendError> {
        self.send(custom_headers, |headers| {
            let (uri, id, last) = (uri.clone(), session_id.clone(), last_event_id.clone());
            let (token, most) = (auth_header.clone(), max_sse_event_size);
            self.inner.get_stream_with_max_sse_event_size(uri, id, last, token, headers, most)
        })
        .await
    }
}
