//! One request to addresses that were checked before.
//!
//! This module has the client and its settings. It does not decide which addresses may be reached.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderMap, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, Proxy, Response, redirect, retry};
use tokio::time;

use crate::error::{Error, ErrorKind};
use crate::limits::FetchLimits;
use crate::web_url::WebUrl;

/// A proxy that a person chose.
#[derive(Clone)]
pub(crate) struct ChosenProxy(Proxy);

impl ChosenProxy {
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let wrong = |error: reqwest::Error| {
            let message = "the proxy is not a URL such as `https://proxy.example:3128`";
            Error::new(ErrorKind::Invalid, message).with_source(error.without_url())
        };
        Proxy::all(url).map(Self).map_err(wrong)
    }
}

/// Returns the headers of a request for these media types.
pub(crate) fn headers(accept: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"));
    headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("en, *;q=0.5"));
    headers
}

/// Sends a request to one of the addresses, or to the address that is the URL's host, and waits for
/// the headers of the answer.
pub(crate) async fn send(
    url: &WebUrl,
    headers: HeaderMap,
    addresses: &[SocketAddr],
    proxy: Option<&ChosenProxy>,
    limits: &FetchLimits,
) -> Result<Response, Error> {
    let client = client(url, addresses, proxy, limits)?;
    let sent = client.get(url.as_str()).headers(headers).send();
    let response = time::timeout(limits.connect + limits.headers, sent).await;
    let late = |_| Error::new(ErrorKind::Timeout, "the server does not answer in time");
    let response = response.map_err(late)?.map_err(unanswered)?;
    let size = |headers: &HeaderMap| {
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>()
    };
    match size(response.headers()) > limits.header_bytes {
        true => Err(Error::new(ErrorKind::Answer, "the headers of its answer are too large")),
        false => Ok(response),
    }
}

/// Builds a client for one request, which knows no other addresses than these. For https it trusts
/// the machine's certificate authorities, or the bundled ones if the machine has none.
fn client(
    url: &WebUrl,
    addresses: &[SocketAddr],
    proxy: Option<&ChosenProxy>,
    limits: &FetchLimits,
) -> Result<Client, Error> {
    let builder = || {
        let builder = ClientBuilder::new()
            .user_agent(concat!("silcrow/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .http1_only()
            // The features of another crate may turn these on: `decode` has the limits.
            .no_gzip()
            .no_deflate()
            .no_brotli()
            .no_zstd()
            .connect_timeout(limits.connect);
        match proxy {
            Some(ChosenProxy(proxy)) => builder.proxy(proxy.clone()),
            None => {
                builder.dns_resolver(Arc::new(NoOtherNames)).resolve_to_addrs(url.host(), addresses)
            }
        }
    };
    let bundled = |count| {
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().take(count);
        let roots = roots.map(|root| Certificate::from_der(root)).collect::<Result<Vec<_>, _>>()?;
        builder().tls_certs_only(roots).build()
    };
    // A client has authorities even if it needs none, and reading the machine's takes a while.
    let client = match url.is_https() || proxy.is_some() {
        true => builder().build().or_else(|_| bundled(usize::MAX)),
        false => bundled(1),
    };
    client.map_err(|error| {
        let message = "no request can be made: TLS does not work on this machine";
        Error::new(ErrorKind::Network, message).with_source(error)
    })
}

/// A resolver that knows no name: all that may be reached is resolved and checked before.
struct NoOtherNames;

impl Resolve for NoOtherNames {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(async { Err(io::Error::from(io::ErrorKind::NotFound).into()) })
    }
}

/// Returns the error for a request without an answer.
fn unanswered(error: reqwest::Error) -> Error {
    let error = error.without_url();
    let (kind, what) = match (error.is_timeout(), error.is_connect()) {
        (true, _) => (ErrorKind::Timeout, "the server takes too long to connect to"),
        (false, true) => (ErrorKind::Network, "the server cannot be connected to"),
        (false, false) => (ErrorKind::Network, "the server ended the connection without an answer"),
    };
    Error::new(kind, what).with_source(root(&error))
}

/// Returns the first cause, whose message says what happened.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}
