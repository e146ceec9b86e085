//! The HTTP client of a server that may require a login.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use reqwest::Client;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Error as SseError, Sse};

use super::session::LoginSession;
use crate::headed_client::{Headers, SendError};

/// Sends requests, and logs in when a server asks for it.
#[derive(Clone)]
pub(crate) struct LoginClient {
    http: Client,
    /// There is none if nothing is declared about a login.
    session: Option<Arc<LoginSession>>,
}

impl LoginClient {
    pub(crate) fn new(http: Client, session: Option<LoginSession>) -> Self {
        Self { http, session: session.map(Arc::new) }
    }

    /// Returns the result of the person's last login, if there was one.
    pub(crate) fn login(&self) -> Option<Result<(), String>> {
        self.session.as_ref()?.ended()
    }

    /// Sends a request, and again after each login. A server that rejects every login gets only a few.
    async fn send<T, F: Future<Output = Result<T, SendError>>>(
        &self,
        given: Option<String>,
        send: impl Fn(Option<String>) -> F,
    ) -> Result<T, SendError> {
        let Some(session) = self.session.as_ref().filter(|_| given.is_none()) else {
            return send(given).await;
        };
        let mut token = session.token().await?;
        for _ in 0..MOST_LOGINS {
            session.observe(token.as_deref());
            let failed = match send(token.clone()).await {
                Err(error) if error.auth_challenge().is_some() => error,
                ended => return ended,
            };
            let challenge = failed.auth_challenge().unwrap_or_default().to_owned();
            token = Some(session.log_in(&challenge, token.as_deref()).await?);
        }
        session.observe(token.as_deref());
        send(token).await
    }
}

impl StreamableHttpClient for LoginClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, SendError> {
        self.send(auth_header, |token| {
            let (uri, message, id) = (uri.clone(), message.clone(), session_id.clone());
            self.http.post_message(uri, message, id, token, custom_headers.clone())
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
        self.send(auth_header, |token| {
            let (uri, message, id) = (uri.clone(), message.clone(), session_id.clone());
            let headers = custom_headers.clone();
            self.http.post_message_with_response_limits(uri, message, id, token, headers, limits)
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
        self.send(auth_header, |token| {
            let (uri, id) = (uri.clone(), session_id.clone());
            self.http.delete_session(uri, id, token, custom_headers.clone())
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
        self.send(auth_header, |token| {
            let (uri, id, last) = (uri.clone(), session_id.clone(), last_event_id.clone());
            self.http.get_stream(uri, id, last, token, custom_headers.clone())
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
        self.send(auth_header, |token| {
            let (uri, id, last) = (uri.clone(), session_id.clone(), last_event_id.clone());
            let headers = custom_headers.clone();
            self.http.get_stream_with_max_sse_event_size(
                uri,
                id,
                last,
                token,
                headers,
                max_sse_event_size,
            )
        })
        .await
    }
}

/// The number of logins that one request may ask for.
const MOST_LOGINS: usize = 2;
