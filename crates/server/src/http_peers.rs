//! Other servers over HTTP.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, Uri, header};
use futures_util::future::{BoxFuture, ready};
use futures_util::{FutureExt as _, StreamExt as _};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::peers::{PROOF, PeerAnswer, PeerTransport};

/// The other servers of a store, over HTTP in a trusted network: their streams are not encrypted.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HttpPeers;

impl PeerTransport for HttpPeers {
    fn get<'a>(
        &'a self,
        url: &'a str,
        headers: &'a [(&'static str, String)],
    ) -> BoxFuture<'a, Result<PeerAnswer, Error>> {
        async move {
            let answered = timeout(PATIENCE, get(url, headers)).await;
            answered.unwrap_or_else(|_| Err(failed(url, "it does not answer")))
        }
        .boxed()
    }
}

async fn get(url: &str, headers: &[(&'static str, String)]) -> Result<PeerAnswer, Error> {
    let wrong = |error: &dyn std::fmt::Display| failed(url, &error.to_string());
    let uri: Uri = url.parse().map_err(|error| wrong(&error))?;
    let Some(authority) = uri.authority().filter(|_| uri.scheme_str() == Some("http")) else {
        return Err(failed(url, "an address begins with http://"));
    };
    let port = authority.port_u16().unwrap_or(80);
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let socket = TcpStream::connect((host, port)).await.map_err(|error| wrong(&error))?;
    socket.set_nodelay(true).map_err(|error| wrong(&error))?;
    let shaken = http1::handshake(TokioIo::new(socket)).await;
    let (mut sender, connection) = shaken.map_err(|error| wrong(&error))?;
    // It ends when the answer is read or dropped.
    tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::get(path).header(header::HOST, authority.as_str());
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request.body(Body::empty()).map_err(|error| wrong(&error))?;
    let answer = sender.send_request(request).await.map_err(|error| wrong(&error))?;
    if answer.status() != StatusCode::OK {
        return Err(failed(url, &format!("it answers with {}", answer.status())));
    }
    let proof = answer.headers().get(PROOF).and_then(|proof| proof.to_str().ok());
    let proof = proof.unwrap_or_default().to_owned();
    let pieces = Body::new(answer.into_body()).into_data_stream();
    let whole = pieces.take_while(|piece| ready(piece.is_ok()));
    // The connection lives as long as its sender.
    let body = whole.filter_map(move |piece| {
        let _ = &sender;
        ready(piece.ok().map(|piece| piece.to_vec()))
    });
    Ok(PeerAnswer { proof, body: body.boxed() })
}

fn failed(url: &str, why: &str) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the server at {url} cannot be used: {why}"))
}

/// The time in which another server must begin its answer.
const PATIENCE: Duration = Duration::from_secs(3);
