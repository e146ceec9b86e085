use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use futures_util::{StreamExt as _, stream};
use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use silcrow_provider::{Activity, DeltaStream, Error, ErrorKind, OpeningSession, Request, sse};
use tokio::time;

use crate::answer::Api;
use crate::body::Body;
use crate::conversation;
use crate::error::Peer;
use crate::fields::Fields;
use crate::headers::Headers;
use crate::http::{self, Exchange, Timeouts};
use crate::key::ApiKey;
use crate::proxy::Proxy;
use crate::talk::Talk;
use crate::ws::Socket;

/// A server and what opens it: what the models of all vendors have in common.
#[derive(Clone)]
pub(crate) struct Host {
    /// What it speaks, for messages.
    speaks: &'static str,
    pub(crate) url: Url,
    key: Option<ApiKey>,
    /// The key among them, marked so that nothing prints it.
    headers: HeaderMap,
    /// Those that are sent besides.
    more: Headers,
    pub(crate) fields: Fields,
    /// The key may be sent over plain HTTP to another machine.
    pub(crate) plain_http: bool,
    proxy: Option<Proxy>,
    timeouts: Timeouts,
    client: Client,
    /// For upgrades; made when one is asked for, since it takes its time to make.
    upgrading: Arc<OnceLock<Client>>,
}

impl Host {
    pub(crate) fn new(
        speaks: &'static str,
        url: Url,
        key: Option<ApiKey>,
        headers: HeaderMap,
    ) -> Result<Self, Error> {
        let timeouts = Timeouts::default();
        let client = http::client(timeouts, None)?;
        Ok(Self {
            speaks,
            url,
            key,
            headers,
            more: Headers::default(),
            fields: Fields::default(),
            plain_http: false,
            proxy: None,
            timeouts,
            client,
            upgrading: Arc::default(),
        })
    }

    /// The same at another place.
    pub(crate) fn at(self, url: Url) -> Self {
        Self { url, ..self }
    }

    pub(crate) fn with_timeouts(self, timeouts: Timeouts) -> Result<Self, Error> {
        if timeouts == self.timeouts {
            return Ok(self);
        }
        let client = http::client(timeouts, self.proxy.as_ref())?;
        Ok(Self { timeouts, client, upgrading: Arc::default(), ..self })
    }

    pub(crate) fn with_proxy(self, proxy: Proxy) -> Result<Self, Error> {
        let client = http::client(self.timeouts, Some(&proxy))?;
        Ok(Self { proxy: Some(proxy), client, upgrading: Arc::default(), ..self })
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        self.more.set(&self.headers, name, value)?;
        Ok(self)
    }

    /// Checks that what is secret may be sent to `url`.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Error> {
        let secret = self.key.iter().chain(&self.more.secrets).next();
        match secret {
            Some(key) if !self.plain_http && !is_private(url) => Err(Error::new(
                ErrorKind::Refused,
                format!(
                    "the key from {} would be sent to {} over plain http, where everybody on the \
                     way can read it; use https",
                    key.source(),
                    http::shown(url)
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

    /// One request to `url`, whose answer `api` reads.
    pub(crate) fn ask(
        &self,
        url: Url,
        body: Vec<u8>,
        streaming: bool,
        api: Box<dyn Api>,
    ) -> DeltaStream {
        match self.exchange(url, body, streaming, api) {
            Ok(exchange) => http::deltas(exchange, self.timeouts),
            Err(error) => stream::iter([Err(error)]).boxed(),
        }
    }

    /// The same, asked at once: the answer has begun.
    pub(crate) async fn open(
        &self,
        url: Url,
        body: Vec<u8>,
        streaming: bool,
        api: Box<dyn Api>,
    ) -> Result<DeltaStream, Error> {
        http::open(self.exchange(url, body, streaming, api)?, self.timeouts).await
    }

    /// A conversation over a WebSocket at `url`.
    pub(crate) fn converse<T: Talk>(&self, url: Url, talk: T, request: Request) -> OpeningSession {
        let host = self.clone();
        Box::pin(async move {
            host.check(&url)?;
            let peer = Arc::new(host.peer(&url));
            let upgrade = host.upgrading()?.get(url).headers(host.headers());
            // A server thinks about an upgrade no longer than about a connection.
            let limit = host.timeouts.connect * 2;
            let socket = Socket::open(upgrade, &peer, limit).await?;
            conversation::open(socket, peer, host.timeouts, talk, request).await
        })
    }

    /// What `url` shows, as text, and who showed it.
    pub(crate) async fn get(&self, url: Url) -> Result<(Peer, String), Error> {
        self.check(&url)?;
        let peer = self.peer(&url);
        let request = self.client.get(url).headers(self.headers());
        let all = async {
            let response = request.send().await.map_err(|error| peer.unreachable(error))?;
            let mut body = Body::new(http::accepted(response, &peer).await?, Activity::default());
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

    fn upgrading(&self) -> Result<Client, Error> {
        if let Some(client) = self.upgrading.get() {
            return Ok(client.clone());
        }
        let client = http::upgrading(self.timeouts, self.proxy.as_ref())?;
        // Another may have been quicker, with one that is as good.
        let _ = self.upgrading.set(client.clone());
        Ok(client)
    }

    fn peer(&self, url: &Url) -> Peer {
        let peer = Peer::new(self.speaks, http::shown(url), self.key.clone());
        peer.hiding(self.more.secrets.clone())
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = self.more.map.clone();
        headers.extend(self.headers.clone());
        headers
    }

    fn exchange(
        &self,
        url: Url,
        body: Vec<u8>,
        streaming: bool,
        api: Box<dyn Api>,
    ) -> Result<Exchange, Error> {
        self.check(&url)?;
        let peer = Arc::new(self.peer(&url));
        let (client, headers, body) =
            (self.client.clone(), self.headers(), self.fields.merge(body));
        Ok(Exchange { client, url, headers, body, streaming, peer, api })
    }
}

/// A URL may hold a password.
impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut host = f.debug_struct("Host");
        host.field("speaks", &self.speaks).field("url", &http::shown(&self.url));
        host.field("key", &self.key).field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// Whether what is sent there can be read only by the server, or on this machine.
fn is_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_local = match address {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    };
    url.scheme() == "https" || is_local
}

/// A server's URL as somebody wrote it. The URL itself stays out of the message: it may hold a
/// password.
pub(crate) fn parse(url: &str) -> Result<Url, Error> {
    let wrong = |why: &str| {
        let message = format!("the server's URL {why}; write it like http://127.0.0.1:8080/v1");
        Error::new(ErrorKind::Refused, message)
    };
    let url = Url::parse(url.trim()).map_err(|error| wrong("cannot be read").caused_by(error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("is neither http nor https"));
    }
    Ok(url)
}

/// Returns the host and the port of a server's URL, such as `api.example.com:443`: what a key is
/// declared for.
///
/// # Errors
///
/// [`ErrorKind::Refused`] when `url` is not one of HTTP.
pub fn authority(url: &str) -> Result<String, Error> {
    let url = parse(url)?;
    let port = url.port_or_known_default().unwrap_or_default();
    Ok(format!("{}:{port}", url.host_str().unwrap_or_default()))
}

/// The URL whose path ends in `endpoint`. No path means `/v1`; a path is kept, and the end is
/// added unless it is there already.
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
