//! A server and the credentials for it, which the models of all vendors share.
//!
//! This module decides where a key may be sent and which client sends it. `http` makes one request,
//! and `session` one conversation over a WebSocket.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use silcrow_http_client::{self as http_client, ClientOptions, HttpClient};
use silcrow_provider::{Activity, DeltaStream, Error, ErrorKind, OpeningSession, Request, sse};
use tokio::time;

use crate::answer::EventReader;
use crate::body::ResponseBody;
use crate::error::Peer;
use crate::fields::BodyFields;
use crate::headers::ExtraHeaders;
use crate::http::{self, HttpExchange};
use crate::key::ApiKey;
use crate::protocol::WebSocketProtocol;
use crate::proxy::Proxy;
use crate::session;
use crate::timeouts::Timeouts;
use crate::url::shown;
use crate::ws::Socket;

/// A server, the credentials for it, and the settings of requests to it.
#[derive(Clone)]
pub(crate) struct Host {
    /// The name of the API, for messages.
    api: &'static str,
    pub(crate) url: Url,
    key: Option<ApiKey>,
    /// The headers that the API requires; the key among them is marked as sensitive.
    headers: HeaderMap,
    extra_headers: ExtraHeaders,
    pub(crate) fields: BodyFields,
    /// Whether the key may be sent over plain HTTP to another machine.
    pub(crate) plain_http: bool,
    /// At most one for https and one for plain HTTP.
    proxies: Vec<Proxy>,
    timeouts: Timeouts,
    client: HttpClient,
    /// The client for upgrades.
    upgrading: HttpClient,
}

impl Host {
    pub(crate) fn new(
        api: &'static str,
        url: Url,
        key: Option<ApiKey>,
        headers: HeaderMap,
    ) -> Self {
        let (client, upgrading) = clients(Timeouts::default(), &[]);
        Self {
            api,
            url,
            key,
            headers,
            extra_headers: ExtraHeaders::default(),
            fields: BodyFields::default(),
            plain_http: false,
            proxies: Vec::new(),
            timeouts: Timeouts::default(),
            client,
            upgrading,
        }
    }

    /// Returns the host at another URL.
    pub(crate) fn at(self, url: Url) -> Self {
        Self { url, ..self }
    }

    pub(crate) fn with_timeouts(self, timeouts: Timeouts) -> Self {
        let (client, upgrading) = clients(timeouts, &self.proxies);
        Self { timeouts, client, upgrading, ..self }
    }

    pub(crate) fn with_proxy(mut self, proxy: Proxy) -> Self {
        self.proxies.retain(|other| !other.is_like(&proxy));
        self.proxies.push(proxy);
        let (client, upgrading) = clients(self.timeouts, &self.proxies);
        Self { client, upgrading, ..self }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        self.extra_headers.set(&self.headers, name, value)?;
        Ok(self)
    }

    /// Checks that the secrets may be sent to `url`.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Error> {
        let secret = self.key.iter().chain(&self.extra_headers.secrets).next();
        match secret {
            Some(key) if !self.plain_http && !is_private(url) => Err(Error::new(
                ErrorKind::Refused,
                format!(
                    "the key from {} would be sent to {} over plain http, where everybody on the \
                     way can read it; use https",
                    key.source(),
                    shown(url)
                ),
            )),
            _ => Ok(()),
        }
    }

    pub(crate) const fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    pub(crate) fn with_headers(self, headers: HeaderMap) -> Self {
        Self { headers, ..self }
    }

    /// Returns the answer to a request, which is sent when the first delta is polled.
    pub(crate) fn ask(
        &self,
        url: Url,
        body: Vec<u8>,
        streaming: bool,
        reader: Box<dyn EventReader>,
    ) -> DeltaStream {
        match self.exchange(url, body, streaming, reader) {
            Ok(exchange) => http::deltas(exchange, self.timeouts),
            Err(error) => stream::iter([Err(error)]).boxed(),
        }
    }

    /// Sends a request and returns when its answer begins.
    pub(crate) async fn open(
        &self,
        url: Url,
        body: Vec<u8>,
        streaming: bool,
        reader: Box<dyn EventReader>,
    ) -> Result<DeltaStream, Error> {
        http::open(self.exchange(url, body, streaming, reader)?, self.timeouts).await
    }

    /// Opens a session over a WebSocket at `url`.
    pub(crate) fn converse<T: WebSocketProtocol>(
        &self,
        url: Url,
        protocol: T,
        request: Request,
    ) -> OpeningSession {
        let host = self.clone();
        Box::pin(async move {
            host.check(&url)?;
            let peer = Arc::new(host.peer(&url));
            let upgrade = host.upgrading(&url)?.get(url).headers(host.headers());
            // The upgrade gets as much time as the connection.
            let limit = host.timeouts.connect * 2;
            let socket = Socket::open(upgrade, &peer, limit).await?;
            session::open(socket, peer, host.timeouts, protocol, request).await
        })
    }

    /// Returns the text at `url`, and the peer that sent it.
    pub(crate) async fn get(&self, url: Url) -> Result<(Peer, String), Error> {
        self.check(&url)?;
        let peer = self.peer(&url);
        let request = self.client(&url)?.get(url).headers(self.headers());
        let again = request.try_clone();
        let all = async {
            let response = match (request.send().await, again) {
                // A connection that was kept may have been closed meanwhile, and a list may be asked
                // for twice.
                (Err(error), Some(again)) if is_lost(&error) => again.send().await,
                (response, _) => response,
            };
            let response = response.map_err(|error| peer.unreachable(error))?;
            let mut body =
                ResponseBody::new(http::accepted(response, &peer).await?, Activity::default());
            match http::collect(&mut body, sse::MAX_EVENT).await {
                (_, Some(cause)) => Err(peer.cut(Some(cause))),
                (bytes, None) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            }
        };
        let limit = self.timeouts.whole;
        let text = time::timeout(limit, all).await.unwrap_or_else(|_| {
            let seconds = limit.as_secs_f64();
            let message = format!("{} did not answer within {seconds} s", peer.url);
            Err(Error::new(ErrorKind::Timeout, message))
        })?;
        Ok((peer, text))
    }

    fn client(&self, url: &Url) -> Result<Client, Error> {
        self.client.for_url(url).map_err(no_client)
    }

    fn upgrading(&self, url: &Url) -> Result<Client, Error> {
        self.upgrading.for_url(url).map_err(no_client)
    }

    fn peer(&self, url: &Url) -> Peer {
        let peer = Peer::new(self.api, shown(url), self.key.clone());
        peer.hiding(self.extra_headers.secrets.clone())
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = self.extra_headers.map.clone();
        headers.extend(self.headers.clone());
        headers
    }

    fn exchange(
        &self,
        url: Url,
        body: Vec<u8>,
        streaming: bool,
        reader: Box<dyn EventReader>,
    ) -> Result<HttpExchange, Error> {
        self.check(&url)?;
        let peer = Arc::new(self.peer(&url));
        let client = self.client(&url)?;
        let headers = self.headers();
        Ok(HttpExchange { client, url, headers, body, streaming, peer, reader })
    }
}

/// Returns the client for requests, and the one for upgrades, which speaks HTTP/1.1.
fn clients(timeouts: Timeouts, proxies: &[Proxy]) -> (HttpClient, HttpClient) {
    let options = ClientOptions::new().with_connect_timeout(timeouts.connect);
    let options =
        proxies.iter().fold(options, |options, proxy| options.with_proxy(proxy.to_client()));
    (HttpClient::new(options.clone()), HttpClient::new(options.with_version_1()))
}

fn no_client(error: http_client::Error) -> Error {
    Error::new(ErrorKind::Network, "cannot build an HTTP client").with_source(error)
}

/// Returns whether a request was sent, perhaps in part, and nothing came back.
fn is_lost(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout()
}

/// Shows the host without the URL's password.
impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut host = f.debug_struct("Host");
        host.field("api", &self.api).field("url", &shown(&self.url));
        host.field("key", &self.key).field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// Returns whether requests to the URL cannot be read on the way.
fn is_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_local = match address {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    };
    url.scheme() == "https" || is_local
}

/// Parses a server's URL. The error does not show the URL, which may hold a password.
pub(crate) fn parse(url: &str) -> Result<Url, Error> {
    let wrong = |why: &str| {
        let message = format!("the server's URL {why}; write it like http://127.0.0.1:8080/v1");
        Error::new(ErrorKind::Refused, message)
    };
    let url = Url::parse(url.trim()).map_err(|error| wrong("cannot be read").with_source(error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("is neither http nor https"));
    }
    Ok(url)
}

/// Returns the host and the port of a server's URL, such as `api.example.com:443`, for which a key
/// is declared.
///
/// ```
/// use silcrow_vendors::authority;
///
/// assert_eq!(authority("https://api.example.com/v1")?, "api.example.com:443");
/// assert_eq!(authority("http://127.0.0.1:8080")?, "127.0.0.1:8080");
/// # Ok::<_, silcrow_provider::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error of [`ErrorKind::Refused`] if `url` is not a URL of HTTP.
pub fn authority(url: &str) -> Result<String, Error> {
    let url = parse(url)?;
    let port = url.port_or_known_default().unwrap_or_default();
    Ok(format!("{}:{port}", url.host_str().unwrap_or_default()))
}

/// Returns the URL of `endpoint` on a server. No path means `/v1`; a path is kept, and `endpoint`
/// is added unless it is there already.
pub(crate) fn endpoint(url: &str, endpoint: &str) -> Result<Url, Error> {
    let mut url = parse(url)?;
    let path = match url.path().trim_end_matches('/') {
        "" => format!("/v1{endpoint}"),
        whole if whole.ends_with(endpoint) => whole.to_owned(),
        base => format!("{base}{endpoint}"),
    };
    url.set_path(&path);
    Ok(url)
}
