//! One request to addresses that were checked before.
//!
//! This module sends the request. It does not decide which addresses may be reached.

use std::net::SocketAddr;

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderValue,
};
use reqwest::{Method, Response};
use silcrow_http_client::{self as http_client, Client, ClientOptions, ClientProxy, Url};
use tokio::time;

use crate::error::{Error, ErrorKind};
use crate::limits::FetchLimits;
use crate::web_url::WebUrl;

/// A proxy that a person chose.
#[derive(Clone)]
pub(crate) struct ChosenProxy(ClientProxy);

impl ChosenProxy {
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let wrong =
            |error| Error::new(ErrorKind::Invalid, "the proxy cannot be used").with_source(error);
        ClientProxy::new(url).map(Self).map_err(wrong)
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
    (method, body): (&Method, Option<&str>),
    headers: HeaderMap,
    addresses: &[SocketAddr],
    proxy: Option<&ChosenProxy>,
    limits: &FetchLimits,
) -> Result<Response, Error> {
    let client = client(url, addresses, proxy, limits)?;
    let request = client.request(method.clone(), url.as_str()).headers(headers);
    let sent = match body {
        Some(json) => request.header(CONTENT_TYPE, JSON).body(json.to_owned()).send(),
        None => request.send(),
    };
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

/// The media type of a body.
const JSON: &str = "application/json";

/// Builds a client for one request, which can connect only to these addresses.
fn client(
    url: &WebUrl,
    addresses: &[SocketAddr],
    proxy: Option<&ChosenProxy>,
    limits: &FetchLimits,
) -> Result<Client, Error> {
    let options = ClientOptions::new().with_connect_timeout(limits.connect).with_version_1();
    let options = match proxy {
        Some(ChosenProxy(proxy)) => options.with_proxy(proxy.clone()).without_retries(),
        None => options.reaching_only(url.host(), addresses),
    };
    let no_client = |error: http_client::Error| {
        Error::new(ErrorKind::Network, "cannot make an HTTP client").with_source(error)
    };
    let url = Url::parse(url.as_str()).map_err(|error| {
        Error::new(ErrorKind::Invalid, "the URL cannot be read").with_source(error)
    })?;
    options.build(&url).map_err(no_client)
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

/// Returns the first cause, whose message explains the failure.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}
