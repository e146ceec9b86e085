//! Checks on every request: the size of its head, and its host and origin. Most requests also need a
//! user.
//!
//! A page of another site can make a browser send requests to this server. Such a request has the
//! origin of that page, or, if a name was rebound to the address of this server, another host.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::{Instrument as _, debug, debug_span};

use crate::error::{AnsweredError, Error, ErrorKind};
use crate::faces::error_form;
use crate::server::Server;

/// Passes a request on, or refuses it.
pub(crate) async fn gate(State(server): State<Server>, request: Request, next: Next) -> Response {
    let form = error_form(request.uri().path());
    let span = debug_span!(
        "request",
        http.request.method = request.method().as_str(),
        url.path = request.uri().path(),
    );
    let mut answer = pass(&server, request, next).instrument(span.clone()).await;
    let status = answer.status().as_u16();
    server.runs.meters().answered(status);
    span.in_scope(|| debug!(http.response.status_code = status, "the answer begins"));
    if let Some(form) = form
        && let Some(error) = answer.extensions_mut().remove::<AnsweredError>()
    {
        *answer.body_mut() = Body::from(form(error.kind, &error.message));
    }
    answer
}

async fn pass(server: &Server, request: Request, next: Next) -> Response {
    let origin = match check(server, request.headers()) {
        Ok(origin) => origin,
        Err(error) => return error.into_response(),
    };
    let is_preflight = request.method() == Method::OPTIONS && origin.is_some();
    let wanted = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let mut answer = match is_preflight {
        true => StatusCode::NO_CONTENT.into_response(),
        false => next.run(request).await,
    };
    let headers = answer.headers_mut();
    if is_preflight {
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .insert(header::VARY, HeaderValue::from_static("origin, access-control-request-headers"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        // A page that may use the server may send any header: the libraries add their own.
        let sent = wanted.unwrap_or_else(|| HeaderValue::from_static(SENT_HEADERS));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, sent);
        let read = HeaderValue::from_static("mcp-session-id, retry-after, silcrow-unused");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, read);
        let allowed = HeaderValue::from_static("GET, POST, DELETE");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allowed);
    }
    answer
}

/// Passes the request of a user on, with the user.
pub(crate) async fn authenticate(
    State(server): State<Server>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let user = match server.user_of(&parts).await {
        Ok(Some(user)) => user,
        Ok(None) => {
            let why = "send the token of the server as `Authorization: Bearer TOKEN`, or log in";
            return Error::new(ErrorKind::Unauthorized, why).into_response();
        }
        Err(error) => return error.into_response(),
    };
    parts.extensions.insert(user);
    next.run(Request::from_parts(parts, body)).await
}

/// Checks the head of a request, and returns its origin if that is one of the listed other ones.
fn check(server: &Server, headers: &HeaderMap) -> Result<Option<HeaderValue>, Error> {
    // A name and a value have `: ` between them and a line end after them.
    let size: usize =
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > server.options.head {
        let why =
            format!("the headers have {size} bytes; at most {} are read", server.options.head);
        return Err(Error::new(ErrorKind::HeadTooLarge, why));
    }
    if headers.get_all(header::HOST).iter().count() > 1 {
        // A proxy may have read the other header.
        let why = "the request has several headers `Host`; send one";
        return Err(Error::new(ErrorKind::Malformed, why));
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = without_port(host);
    let is_listed = |listed: &String| listed.eq_ignore_ascii_case(name);
    if !LOOPBACK.contains(&&*name.to_ascii_lowercase())
        && !server.options.hosts.iter().any(is_listed)
    {
        let why = format!("this server is not reached as {name:?}; use its own address");
        return Err(Error::new(ErrorKind::Forbidden, why));
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(None) };
    let text = origin.to_str().unwrap_or_default();
    let own = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    if own.is_some_and(|own| own.eq_ignore_ascii_case(host)) {
        return Ok(None);
    }
    if server.options.origins.iter().any(|listed| listed.eq_ignore_ascii_case(text)) {
        return Ok(Some(origin.clone()));
    }
    let why = format!("pages of {text:?} may not use this server; its owner can list that origin");
    Err(Error::new(ErrorKind::Forbidden, why))
}

/// Returns the name of a host without the port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    }
}

/// The time for which a browser keeps a page's permissions, in seconds.
const PREFLIGHT_AGE: &str = "600";

/// The headers that pages of other origins may send, unless they ask for others. Some belong to the
/// Model Context Protocol.
const SENT_HEADERS: &str = "authorization, content-type, last-event-id, mcp-method, mcp-name, \
                            mcp-protocol-version, mcp-session-id, traceparent";

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
