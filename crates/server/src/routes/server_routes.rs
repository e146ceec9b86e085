//! Endpoints about the server itself.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tokio::time::timeout;

use crate::auth::{AccessToken, ServerUser, ended_cookie, is_encrypted};
use crate::bodies::{json, read_body};
use crate::error::{Error, ErrorKind};
use crate::server::Server;
use crate::source::RunPlace;

/// Says that the server lives. Only its users get details.
pub(super) async fn health(State(server): State<Server>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    // A server whose store is away lives, too.
    let body = match server.user_of(&parts).await {
        Ok(Some(_)) => format!(r#"{{"status":"ok","runs":{}}}"#, server.runs.count()),
        _ => r#"{"status":"ok"}"#.to_owned(),
    };
    json(StatusCode::OK, body)
}

/// Answers once the store does, so that a server without its store gets no requests. A server that
/// is about to stop gets none either.
pub(super) async fn ready(State(server): State<Server>) -> Result<Response, Error> {
    if !server.is_open() {
        return Err(Error::new(ErrorKind::Unavailable, "the server is about to stop"));
    }
    let asked = timeout(PATIENCE, server.store.head("ready")).await;
    match asked {
        Ok(Ok(_)) => Ok(json(StatusCode::OK, r#"{"status":"ok"}"#.to_owned())),
        // Clients without a token do not get the reason.
        _ => Err(Error::new(ErrorKind::Unavailable, "the store cannot be used")),
    }
}

/// Describes this server.
pub(super) async fn about(State(server): State<Server>, user: ServerUser) -> Response {
    let about = server.source.about(&RunPlace::new("about").with_user(user.name));
    json(StatusCode::OK, about.to_string())
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
    let failed = |why: String| Error::new(ErrorKind::Failed, format!("cannot log you in: {why}"));
    let is_encrypted = server.options.behind_tls || is_encrypted(&headers);
    let begin = |token| server.access.begin_session(&token, &headers, is_encrypted);
    let cookie = AccessToken::parse(&sent.token).map(begin).transpose();
    let cookie = cookie.map_err(|why| failed(why.to_string()))?.flatten();
    let Some(cookie) = cookie else {
        return Err(Error::new(ErrorKind::Unauthorized, "this is not the token of the server"));
    };
    Ok((StatusCode::NO_CONTENT, set(&cookie)?).into_response())
}

/// Ends the session of a page: here, at all servers of the store, and in the browser.
pub(super) async fn logout(
    State(server): State<Server>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let known = server.access.session_user(&headers);
    if let Some(session) = known.and_then(|known| known.session) {
        server.ended_sessions.end(&session, &*server.store).await?;
    }
    let is_encrypted = server.options.behind_tls || is_encrypted(&headers);
    Ok((StatusCode::NO_CONTENT, set(&ended_cookie(&headers, is_encrypted))?).into_response())
}

/// Returns the header that sets a cookie.
fn set(cookie: &str) -> Result<[(HeaderName, HeaderValue); 1], Error> {
    let cookie = HeaderValue::from_str(cookie);
    let cookie = cookie.map_err(|why| Error::new(ErrorKind::Failed, why.to_string()))?;
    Ok([(header::SET_COOKIE, cookie)])
}

/// The time in which the store must show that it is usable.
const PATIENCE: Duration = Duration::from_secs(5);
