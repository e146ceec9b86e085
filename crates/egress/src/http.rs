//! Clients that speak HTTP: credentials, CONNECT, and requests with absolute URLs.

use std::sync::{Mutex, PoisonError};

use hyper::body::Incoming;
use hyper::header::{
    CONTENT_LENGTH, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TRANSFER_ENCODING,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;

use crate::body::{AnswerBody, Answered};
use crate::connection_pass::{ConnectionPass, is_own};
use crate::destination::Destination;
use crate::forwarded::forward;
use crate::http_connect::connect;
use crate::http_refusal::refusal;
use crate::proxy_parts::ProxyParts;

/// Serves a client until its connection ends. Failures end it.
pub(crate) async fn serve(client: TcpStream, proxy: &ProxyParts, own: &ConnectionPass) {
    let limits = &proxy.limits;
    let tunnel = Tunnel::default();
    let service = service_fn(|request| answer(request, proxy, own, &tunnel));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_header_size(limits.head_bytes)
        .max_headers(limits.headers)
        .serve_connection(TokioIo::new(client), service)
        .with_upgrades()
        .await;
    let tunnel = tunnel.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (Ok(()), Some((upgrade, mut server, _permit))) = (served, tunnel) else { return };
    if let Ok(client) = upgrade.await {
        // Either end may have closed it.
        let _ = copy_bidirectional(&mut TokioIo::new(client), &mut server).await;
    }
}

/// The tunnel that a connection becomes after its answer to CONNECT.
#[derive(Default)]
struct Tunnel(Mutex<Option<(OnUpgrade, TcpStream, OwnedSemaphorePermit)>>);

async fn answer(
    mut request: Request<Incoming>,
    proxy: &ProxyParts,
    own: &ConnectionPass,
    tunnel: &Tunnel,
) -> Answered {
    let pass = request.headers().get(PROXY_AUTHORIZATION).and_then(|value| value.to_str().ok());
    let pass = pass.and_then(|value| proxy.passes.with_authorization(value));
    let Some(pass) = pass.filter(|pass| is_own(own, pass)) else { return Ok(unknown()) };
    if request.method() != Method::CONNECT {
        return Ok(forward(request, proxy, &pass).await);
    }
    // The target counts, and `Host` does not.
    let target = request.uri();
    let is_authority = target.scheme().is_none() && target.path_and_query().is_none();
    let authority = target.authority().filter(|_| is_authority && has_no_body(&request));
    let to = authority.and_then(|authority| Destination::parse(authority.as_str(), None));
    let Some(to) = to else {
        let words = "CONNECT takes a host and a port, such as example.org:443, and nothing else";
        return Ok(refusal(StatusCode::BAD_REQUEST, words));
    };
    let (server, permit) = match connect(proxy, &pass, &to).await {
        Ok(connected) => connected,
        Err(answer) => return Ok(*answer),
    };
    let upgrade = hyper::upgrade::on(&mut request);
    *tunnel.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((upgrade, server, permit));
    Ok(Response::new(AnswerBody::empty()))
}

/// Returns the answer to a client without the credentials of an open pass.
fn unknown() -> Response<AnswerBody> {
    let words =
        "the proxy of confined commands takes only the credentials of the command that runs";
    let mut answer = refusal(StatusCode::PROXY_AUTHENTICATION_REQUIRED, words);
    let scheme = HeaderValue::from_static("Basic realm=\"commands\"");
    answer.headers_mut().insert(PROXY_AUTHENTICATE, scheme);
    answer
}

/// Returns whether no body follows the head of a request.
fn has_no_body(request: &Request<Incoming>) -> bool {
    let headers = request.headers();
    let is_empty = |length: &HeaderValue| length.as_bytes() == b"0";
    !headers.contains_key(TRANSFER_ENCODING) && headers.get(CONTENT_LENGTH).is_none_or(is_empty)
}
