//! Endpoints about the server itself.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tokio::time::timeout;

use crate::auth::AccessToken;
use crate::bodies::{json, read_body};
use crate::error::{Error, ErrorKind};
use crate::server::Server;

pub(super) async fn health(State(server): State<Server>) -> Response {
    json(StatusCode::OK, format!(r#"{{"status":"ok","runs":{}}}"#, server.runs.count()))
}

/// Answers once the store has, so that a server without its store gets no requests. Neither does one
/// that is about to stop.
pub(super) async fn ready(State(server): State<Server>) -> Result<Response, Error> {
    if !server.is_open() {
        return Err(Error::new(ErrorKind::Unavailable, "the server is about to stop"));
    }
    let asked = timeout(PATIENCE, server.store.head("ready")).await;
    match asked {
        Ok(Ok(_)) => Ok(json(StatusCode::OK, r#"{"status":"ok"}"#.to_owned())),
        // Why is nothing for those who have no token.
        _ => Err(Error::new(ErrorKind::Unavailable, "the store cannot be used")),
    }
}

#[derive(Deserialize)]
struct Login {
    token: String,
}

pub(super) async fn login(
    State(server): State<Server>,
    request: Request,
) -> Result<Response, Error> {
    let headers = request.headers().clone();
    let sent: Login = read_body(&server, request).await?;
    let token = AccessToken::parse(&sent.token);
    let cookie = token.and_then(|token| server.access.session(&token, &headers));
    let Some(cookie) = cookie else {
        return Err(Error::new(ErrorKind::Unauthorized, "this is not the token of the server"));
    };
    let failed = |why: String| Error::new(ErrorKind::Failed, format!("cannot log you in: {why}"));
    let cookie = HeaderValue::from_str(&cookie).map_err(|why| failed(why.to_string()))?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// How long the store may take to show that it can be used.
const PATIENCE: Duration = Duration::from_secs(5);
