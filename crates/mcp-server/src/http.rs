//! Streamable HTTP: the mount in a server, and the sessions of clients before 2026-07-28.
//!
//! A session belongs to the user who has begun it. Their number is limited.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use futures_util::{FutureExt as _, StreamExt as _};
use rmcp::handler::server::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use silcrow_server::{CancellationToken, Error, ErrorKind, Server, ServerUser};

use crate::options::Options;

/// Mounts the handler of a program at `/mcp`, with the tokens, hosts, origins and limits of a server.
/// `make` makes a handler for each session, or for each request of a client without sessions.
pub fn mount<H: ServerHandler>(
    server: &Server,
    options: &Options,
    make: impl Fn() -> H + Send + Sync + 'static,
) -> Router {
    let manager = Arc::new(LocalSessionManager::default());
    // The server has checked the host and the origin already.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(server.options().body)
        .with_sse_keep_alive(Some(server.options().keep_alive));
    let service = StreamableHttpService::new(
        move || Ok::<_, io::Error>(make()),
        Arc::clone(&manager),
        config,
    );
    let sessions = Arc::new(HttpSessions {
        manager,
        owners: Mutex::default(),
        most: options.sessions,
        most_of_user: options.sessions_of_user,
        closing: server.closing(),
    });
    let router =
        Router::new().route_service("/mcp", service).layer(from_fn_with_state(sessions, owned));
    server.guard(router)
}

/// The sessions of all clients.
struct HttpSessions {
    manager: Arc<LocalSessionManager>,
    owners: Mutex<HashMap<String, Option<String>>>,
    most: usize,
    most_of_user: usize,
    closing: CancellationToken,
}

impl HttpSessions {
    /// Returns whether a session belongs to a user.
    fn is_of(&self, session: &str, user: &ServerUser) -> bool {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(session).is_some_and(|owner| *owner == user.name)
    }

    /// Takes note of a new session, unless there are too many.
    async fn add(&self, session: &str, user: &ServerUser) -> bool {
        let open = self.manager.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|id, _| open.contains_key(&**id));
        let theirs = owners.values().filter(|owner| **owner == user.name).count();
        if owners.len() >= self.most || theirs >= self.most_of_user {
            return false;
        }
        owners.insert(session.to_owned(), user.name.clone());
        true
    }
}

/// Passes on requests without a session, and a user's requests in their own session.
async fn owned(
    State(sessions): State<Arc<HttpSessions>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(user) = request.extensions().get::<ServerUser>().cloned() else {
        return Error::new(ErrorKind::Unauthorized, "nobody is logged in").into_response();
    };
    let id = |headers: &axum::http::HeaderMap| {
        headers.get(SESSION).map(|id| id.to_str().unwrap_or_default().to_owned())
    };
    let asked = id(request.headers());
    if asked.as_deref().is_some_and(|asked| !sessions.is_of(asked, &user)) {
        let why = "you have no session of this id; begin another one";
        return Error::new(ErrorKind::NotFound, why).into_response();
    }
    let is_idle = request.method() == Method::GET;
    let answer = next.run(request).await;
    if asked.is_none()
        && let Some(begun) = id(answer.headers())
        && !sessions.add(&begun, &user).await
    {
        use rmcp::transport::streamable_http_server::session::SessionManager as _;
        // The session ends without help if this fails.
        let _ = sessions.manager.close_session(&begun.as_str().into()).await;
        let why = "too many sessions are open; close one, or try again later";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    if is_idle {
        // An idle stream does not delay the end of the server.
        let closing = sessions.closing.clone();
        let ends = async move { closing.cancelled().await }.boxed();
        return answer.map(|body| Body::from_stream(body.into_data_stream().take_until(ends)));
    }
    answer
}

const SESSION: &str = "mcp-session-id";
