use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Certificate, Client, ClientBuilder, Response, Url, redirect};
use silcrow_provider::{
    Activity, Delta, DeltaStream, Error, ErrorKind, SilenceLimits, limit, sent, sse,
};
use tokio::time::{self, Instant};

use crate::answer::{Api, Out};
use crate::body::{Body, foreign_encoding};
use crate::error::{Cause, Peer};
use crate::proxy::Proxy;
use crate::reader::{self, Reader};
use crate::wait;

mod form;

use form::Form;
pub(crate) use form::media_type;

/// How long a server may take. Nothing limits how long an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands, TLS included.
    pub connect: Duration,
    /// From asking to the first piece of an answer in pieces, while the server gives no byte.
    pub first: Duration,
    /// From asking to that piece, where the server shows signs of life before it: comments, pings,
    /// events about its state. None of them may be `first` behind the one before.
    pub alive: Duration,
    /// From one piece to the next.
    pub idle: Duration,
    /// From asking to an answer that was asked for whole.
    pub whole: Duration,
}

/// 5 seconds to connect, a minute for the first piece and between pieces, ten for the first piece of
/// a server that shows signs of life, and for a whole answer.
impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first: Duration::from_secs(60),
            alive: Duration::from_secs(600),
            idle: Duration::from_secs(60),
            whole: Duration::from_secs(600),
        }
    }
}

/// A client that trusts the machine's authorities, or the bundled ones where the machine has
/// none: without either it could not even be built, not for plain HTTP.
///
/// It follows no redirect and asks no proxy but this one, whatever the environment says.
pub(crate) fn client(timeouts: Timeouts, proxy: Option<&Proxy>) -> Result<Client, Error> {
    build(timeouts, proxy, |builder| builder)
}

/// The same for upgrades, which HTTP/2 does not know.
pub(crate) fn upgrading(timeouts: Timeouts, proxy: Option<&Proxy>) -> Result<Client, Error> {
    build(timeouts, proxy, ClientBuilder::http1_only)
}

fn build(
    timeouts: Timeouts,
    proxy: Option<&Proxy>,
    version: impl Fn(ClientBuilder) -> ClientBuilder,
) -> Result<Client, Error> {
    let no_client = |error: reqwest::Error| {
        let message = "no HTTP client can be built: TLS does not work on this machine";
        Error::new(ErrorKind::Network, message).caused_by(error)
    };
    let proxy = proxy.map(Proxy::to_client).transpose().map_err(no_client)?;
    let builder = || {
        let builder = version(ClientBuilder::new())
            .user_agent(concat!("silcrow/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(timeouts.connect);
        proxy.iter().cloned().fold(builder, ClientBuilder::proxy)
    };
    let bundled = || {
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        let roots = roots.map(|root| Certificate::from_der(root)).collect::<Result<Vec<_>, _>>()?;
        builder().tls_certs_only(roots).build()
    };
    builder().build().or_else(|_| bundled()).map_err(no_client)
}

/// One request and its answer.
pub(crate) struct Exchange {
    pub(crate) client: Client,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) streaming: bool,
    pub(crate) peer: Arc<Peer>,
    pub(crate) api: Box<dyn Api>,
}

/// Asks when the first delta is asked for. Dropping the deltas closes the connection.
pub(crate) fn deltas(exchange: Exchange, timeouts: Timeouts) -> DeltaStream {
    let (limits, bytes) = (timeouts.of(&exchange), exchange.body.len());
    Reading::new(At::Ask(exchange), timeouts).into_deltas(limits, bytes)
}

/// Asks at once, and gives the deltas when the answer begins.
pub(crate) async fn open(exchange: Exchange, timeouts: Timeouts) -> Result<DeltaStream, Error> {
    let (limits, bytes) = (timeouts.of(&exchange), exchange.body.len());
    let silent = exchange.peer.silent(limits.first);
    let mut reading = Reading::new(At::Over, timeouts);
    let failed = match time::timeout(limits.first, reading.ask(exchange)).await {
        Ok(at) => {
            reading.at = at;
            reading.out.pop_front_if(|item| item.is_err()).and_then(Result::err)
        }
        Err(_) => Some(silent),
    };
    match failed {
        // Nothing was taken.
        Some(error) if error.kind() == ErrorKind::Network => Err(error),
        Some(error) => Err(error.after_sending(bytes as u64)),
        None => Ok(reading.into_deltas(limits, bytes)),
    }
}

impl Timeouts {
    const fn of(self, exchange: &Exchange) -> SilenceLimits {
        self.limits(exchange.streaming)
    }

    /// How long an answer may be silent that is asked for in pieces, or whole.
    pub(crate) const fn limits(self, streaming: bool) -> SilenceLimits {
        let Self { first, alive, idle, whole, .. } = self;
        match streaming {
            true => SilenceLimits { first, alive, idle },
            false => SilenceLimits { first: whole, alive: whole, idle },
        }
    }
}

struct Reading {
    at: At,
    out: Out,
    linger: Duration,
    /// When to stop reading a finished answer.
    enough: Option<Instant>,
    /// A piece of the answer was given out.
    begun: bool,
    activity: Activity,
}

enum At {
    Ask(Exchange),
    Events(Box<Body>, Reader),
    Over,
}

impl Reading {
    fn new(at: At, timeouts: Timeouts) -> Self {
        let linger = LINGER.min(timeouts.idle / 2);
        let activity = Activity::default();
        Self { at, out: Out::new(), linger, enough: None, begun: false, activity }
    }

    /// The deltas of an answer to so many bytes.
    fn into_deltas(self, limits: SilenceLimits, bytes: usize) -> DeltaStream {
        let activity = self.activity.clone();
        let deltas = stream::unfold(self, |mut reading| async {
            let item = reading.next().await?;
            Some((item, reading))
        });
        sent(limit(Box::pin(deltas), limits, activity), bytes as u64)
    }

    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            if let Some(item) = self.out.pop_front() {
                if matches!(item, Ok(Delta::Text(_) | Delta::Reasoning(_))) {
                    self.begin();
                }
                return Some(item);
            }
            self.at = match std::mem::replace(&mut self.at, At::Over) {
                At::Ask(exchange) => self.ask(exchange).await,
                At::Events(body, reader) => self.read(body, reader).await,
                At::Over => return None,
            };
        }
    }

    /// Behind the first piece comes what is known by then of the tokens: whoever hangs up before
    /// the end learns no more.
    fn begin(&mut self) {
        if !std::mem::replace(&mut self.begun, true)
            && let At::Events(_, reader) = &self.at
        {
            self.out.push_front(Ok(Delta::Usage(reader.early_usage())));
        }
    }

    async fn ask(&mut self, exchange: Exchange) -> At {
        match exchange.send(self.activity.clone()).await {
            Ok((Form::Events, body)) => {
                At::Events(Box::new(body), Reader::new(exchange.peer, exchange.api))
            }
            Ok((Form::Whole, mut body)) => {
                let (bytes, cause) = collect(&mut body, WHOLE_BODY).await;
                if bytes.len() > WHOLE_BODY {
                    let why = format!("it gave more than {WHOLE_BODY} bytes at once");
                    self.out.push_back(Err(exchange.peer.malformed(&why)));
                } else {
                    let text = String::from_utf8_lossy(&bytes);
                    reader::whole(exchange.peer, exchange.api, &text, cause, &mut self.out);
                }
                At::Over
            }
            Err(error) => {
                self.out.push_back(Err(error));
                At::Over
            }
        }
    }

    async fn read(&mut self, mut body: Box<Body>, reader: Reader) -> At {
        // With its finish reason the answer is whole; its usage is worth a short wait.
        if reader.is_finished() && self.enough.is_none() {
            self.enough = Some(Instant::now() + self.linger);
        }
        let read = match self.enough {
            Some(enough) => time::timeout_at(enough, body.chunk()).await.unwrap_or(Ok(None)),
            None => body.chunk().await,
        };
        match read {
            Ok(Some(bytes)) => match reader.push(&bytes, &mut self.out) {
                Some(reader) => At::Events(body, reader),
                None => At::Over,
            },
            Ok(None) => {
                reader.end(None, &mut self.out);
                At::Over
            }
            Err(error) => {
                reader.end(Some(error), &mut self.out);
                At::Over
            }
        }
    }
}

impl Exchange {
    async fn send(&self, activity: Activity) -> Result<(Form, Body), Error> {
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .header(ACCEPT_ENCODING, "identity")
            .body(self.body.clone());
        let response = request.send().await.map_err(|error| self.peer.unreachable(error))?;
        let response = accepted(response, &self.peer).await?;
        activity.note();
        if let Some(encoding) = foreign_encoding(response.headers()) {
            let encoding = self.peer.quote(&encoding);
            let why = format!("it gave the encoding `{encoding}`, which was not asked for");
            return Err(self.peer.malformed(&why));
        }
        let kind = media_type(response.headers());
        let mut body = Body::new(response, activity);
        let form = match Form::of(&kind, &mut body).await {
            Some(form) => form,
            None if kind.is_empty() && self.streaming => Form::Events,
            None if kind.is_empty() => Form::Whole,
            None if kind == "text/html" => {
                return Err(self.peer.malformed("it gave an HTML page"));
            }
            None => {
                let why = format!("it gave `{}`", self.peer.quote(&kind));
                return Err(self.peer.malformed(&why));
            }
        };
        Ok((form, body))
    }
}

/// The answer, unless it is a redirect or tells of an error.
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
    let (wait, advised) = (wait::asked(response.headers()), wait::advised(response.headers()));
    let body = match foreign_encoding(response.headers()) {
        Some(_) => Vec::new(),
        None => {
            let mut body = Body::new(response, Activity::default());
            let body = time::timeout(LINGER, collect(&mut body, ERROR_BODY)).await;
            body.unwrap_or_default().0
        }
    };
    Err(peer.status(status, wait, advised, &String::from_utf8_lossy(&body)))
}

/// The URL as messages may show it: without password and query.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only where there is nothing to remove.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// A body, or its beginning once that is longer than `limit`, and what broke it off.
pub(crate) async fn collect(body: &mut Body, limit: usize) -> (Vec<u8>, Option<Cause>) {
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

/// How long to wait for what an answer can do without.
const LINGER: Duration = Duration::from_secs(5);

/// The most bytes of an answer that comes whole.
const WHOLE_BODY: usize = sse::MAX_EVENT;

/// The most bytes read of a body that tells of an error.
const ERROR_BODY: usize = 64 << 10;
