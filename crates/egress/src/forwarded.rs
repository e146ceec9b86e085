//! Requests of plain HTTP, which are forwarded one by one.
//!
//! A request that was read is rewritten, so that a server and the proxy cannot read two things in
//! it: one request, one host, one length of the body.

use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue, TRANSFER_ENCODING};
use hyper::http::uri::{PathAndQuery, Scheme};
use hyper::{Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio::runtime::Handle;

use crate::body::{AnswerBody, ForwardedBody};
use crate::destination::Destination;
use crate::headers::remove_hop_by_hop;
use crate::http_connect::connect;
use crate::http_refusal::refusal;
use crate::pass_state::PassState;
use crate::proxy_parts::ProxyParts;
use crate::tasks::OwnTask;

/// Forwards a request to the server of its URL, and returns the answer.
pub(crate) async fn forward(
    request: Request<Incoming>,
    proxy: &ProxyParts,
    pass: &PassState,
) -> Response<AnswerBody> {
    let Some(to) = destination(request.uri()) else {
        let words =
            "the proxy takes absolute URLs of http, such as http://example.org/, and CONNECT";
        return refusal(StatusCode::BAD_REQUEST, words);
    };
    let (server, permit) = match connect(proxy, pass, &to).await {
        Ok(connected) => connected,
        Err(answer) => return *answer,
    };
    let unanswered = |error: &hyper::Error| {
        refusal(StatusCode::BAD_GATEWAY, &format!("{}: it does not answer: {error}", to.host))
    };
    let limits = &proxy.limits;
    let handshake = http1::Builder::new()
        .max_header_size(limits.head_bytes)
        .max_headers(limits.headers)
        .handshake(TokioIo::new(server));
    let (mut sender, connection) = match handshake.await {
        Ok(handshake) => handshake,
        Err(error) => return unanswered(&error),
    };
    // Its end is seen in the answer.
    let connection = OwnTask::start(&Handle::current(), async move {
        let _ = connection.await;
    });
    match sender.send_request(rewritten(request, &to)).await {
        Ok(answer) => {
            let (mut head, body) = answer.into_parts();
            remove_hop_by_hop(&mut head.headers);
            head.version = Version::HTTP_11;
            let body = ForwardedBody { body, _connection: connection, _permit: permit };
            Response::from_parts(head, AnswerBody::Forwarded(body))
        }
        Err(error) => unanswered(&error),
    }
}

/// Returns the destination of an absolute URL of plain HTTP without a user.
fn destination(url: &Uri) -> Option<Destination> {
    let is_plain = url.scheme() == Some(&Scheme::HTTP);
    let authority = url.authority().filter(|_| is_plain)?;
    Destination::parse(authority.as_str(), Some(HTTP_PORT))
}

/// Returns a request as the server of its URL gets it.
fn rewritten(request: Request<Incoming>, to: &Destination) -> Request<Incoming> {
    let (mut head, body) = request.into_parts();
    let path = head.uri.path_and_query().cloned();
    head.uri = path.unwrap_or_else(|| PathAndQuery::from_static("/")).into();
    head.version = Version::HTTP_11;
    if remove_hop_by_hop(&mut head.headers) {
        head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    let host = match to.port {
        HTTP_PORT => to.host.to_string(),
        _ => to.authority(),
    };
    // A host in one spelling consists of letters, digits and few signs.
    if let Ok(host) = HeaderValue::from_str(&host) {
        head.headers.insert(HOST, host);
    }
    // Extensions have the upgrade of the client, which no server gets.
    head.extensions.clear();
    Request::from_parts(head, body)
}

const HTTP_PORT: u16 = 80;
