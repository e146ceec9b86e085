//! One connection to a server, from its handshake to its end.
//!
//! A connection is *open* until the server closes it, its program ends, or [`Connection::close`] is
//! called, and is never opened again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::{ErrorCode, ProtocolVersion, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService,
    serve_client_with_lifecycle,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::client::any_transport::AnyTransport;
use crate::client::face::ClientFace;
use crate::client::http;
use crate::client::late_answers::WithoutLateAnswers;
use crate::client::log::ServerLog;
use crate::client::output::MessageLines;
use crate::client::process::ServerProcess;
use crate::config::{ServerAddress, ServerCommand, ServerConfig};
use crate::error::{Error, ErrorKind};

/// The outcome of a handshake.
type HandshakeResult = Result<RunningService<RoleClient, ClientFace>, ClientInitializeError>;

/// An open connection. Dropping it closes it and ends the server's program.
#[derive(Debug)]
pub(crate) struct Connection {
    service: RunningService<RoleClient, ClientFace>,
    process: Option<ServerProcess>,
}

impl Connection {
    /// Reaches a server, and shakes hands with it, within the server's time limit.
    pub(crate) async fn open(
        config: &ServerConfig,
        face: ClientFace,
        log: &ServerLog,
        running: Arc<watch::Sender<usize>>,
    ) -> Result<Self, Error> {
        let limit = config.start_timeout + config.address.patience();
        match timeout(limit, Self::open_slowly(config, face, log, running)).await {
            Ok(opened) => opened,
            Err(_) => {
                let seconds = limit.as_secs_f64();
                let message = format!("the server `{}` did not answer in {seconds} s", config.name);
                Err(Error::new(ErrorKind::Silent, message + &said(log)))
            }
        }
    }

    async fn open_slowly(
        config: &ServerConfig,
        face: ClientFace,
        log: &ServerLog,
        running: Arc<watch::Sender<usize>>,
    ) -> Result<Self, Error> {
        let is_stale = Arc::clone(&face.is_stale);
        let (served, process) = match &config.address {
            ServerAddress::Command(command) => {
                let start = |revision| {
                    let (face, running) = (face.clone(), running.clone());
                    Self::start(config, command, face, log, running, revision)
                };
                let (served, process) = start(any_revision()).await?;
                match served {
                    // It needed longer than the question for its revision, and has answered since.
                    Err(error) if is_stateless(&error) => {
                        process.stop().await;
                        let (served, process) = start(stateless_revision()).await?;
                        (served, Some(process))
                    }
                    served => (served, Some(process)),
                }
            }
            ServerAddress::Url(url) => {
                let client = http::server_client(&config.name, url)?;
                let shake = || {
                    let transport = AnyTransport::new(http::transport(&client, url));
                    serve_client_with_lifecycle(face.clone(), transport, any_revision())
                };
                let served = match (shake().await, http::login(&client)) {
                    // The handshake does not wait as long as a person may take.
                    (Err(_), Some(Ok(()))) => shake().await,
                    (Err(_), Some(Err(why))) => {
                        let message =
                            format!("the login at the server `{}` failed: {why}", config.name);
                        return Err(Error::new(ErrorKind::Unauthorized, message));
                    }
                    (served, _) => served,
                };
                if matches!(&served, Err(error) if !error.is_authorization_required())
                    && http::speaks_old_transport(url).await
                {
                    return Err(old_transport(config));
                }
                (served, None)
            }
        };
        match served {
            Ok(service) => {
                let connection = Self { service, process };
                if connection.is_stateless() {
                    tokio::spawn(watch_lists(connection.peer().clone(), is_stale));
                }
                Ok(connection)
            }
            Err(error) => Err(failed(config, error, process.as_ref(), log).await),
        }
    }

    /// Starts a server's program, and shakes hands with it.
    async fn start(
        config: &ServerConfig,
        command: &ServerCommand,
        face: ClientFace,
        log: &ServerLog,
        running: Arc<watch::Sender<usize>>,
        revision: ClientLifecycleMode,
    ) -> Result<(HandshakeResult, ServerProcess), Error> {
        let started = ServerProcess::start(command, log, running);
        let (process, output, input) = started.map_err(|error| {
            let program = command.words.first().map_or("", String::as_str);
            let message = format!("`{program}`, the server `{}`, cannot be started", config.name);
            Error::new(ErrorKind::Unreachable, message).with_source(error)
        })?;
        let output = MessageLines::new(output, log.clone());
        let transport = WithoutLateAnswers::new(AsyncRwTransport::new_client(output, input));
        let transport = AnyTransport::new(transport);
        Ok((serve_client_with_lifecycle(face, transport, revision).await, process))
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.service.is_closed() && !self.peer().is_transport_closed()
    }

    /// Returns the revision of the protocol that the server speaks.
    pub(crate) fn revision(&self) -> String {
        let info = self.peer().peer_info();
        info.map(|info| info.protocol_version.to_string()).unwrap_or_default()
    }

    /// Returns the name and version that the server reports.
    pub(crate) fn program(&self) -> String {
        let info = self.peer().peer_info();
        let own = info.as_ref().and_then(|info| info.server_info.as_ref());
        own.map(|own| format!("{} {}", own.name, own.version)).unwrap_or_default()
    }

    fn is_stateless(&self) -> bool {
        self.peer().peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Returns how the server's program ended; `None` while it runs.
    pub(crate) async fn end(&self) -> Option<String> {
        self.process.as_ref()?.end().await
    }

    /// Closes the connection, and waits until the server's program has ended.
    pub(crate) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(process) = &self.process {
            process.stop().await;
        }
    }
}

/// Asks for the stateless revision, and shakes hands with a server that does not speak it.
fn any_revision() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

/// Asks for the stateless revision, and waits as long as the server needs.
fn stateless_revision() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// Returns whether a server refused the handshake because it speaks the stateless revision.
fn is_stateless(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_stateless(fallback),
        ClientInitializeError::JsonRpcError(error) => {
            let supported = error.data.as_ref().and_then(|data| data["supported"].as_array());
            let own = ProtocolVersion::V_2026_07_28.to_string();
            error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
                && supported.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(&*own)))
        }
        _ => false,
    }
}

/// Records when a server without handshakes says that its lists have changed.
async fn watch_lists(peer: Peer<RoleClient>, is_stale: Arc<std::sync::atomic::AtomicBool>) {
    let Some(info) = peer.peer_info() else { return };
    let mut filter = SubscriptionFilter::new();
    let can = &info.capabilities;
    filter.tools_list_changed =
        can.tools.as_ref().and_then(|tools| tools.list_changed).filter(|changes| *changes);
    filter.prompts_list_changed =
        can.prompts.as_ref().and_then(|prompts| prompts.list_changed).filter(|changes| *changes);
    if filter == SubscriptionFilter::new() {
        return;
    }
    // A server that cannot listen is asked for its lists when it is reached again.
    let Ok(mut subscription) = peer.listen(filter).await else { return };
    while let Ok(Some(_)) = subscription.next().await {
        is_stale.store(true, Ordering::Relaxed);
    }
}

/// Returns the error that a server speaks only the transport before the present one.
fn old_transport(config: &ServerConfig) -> Error {
    let (name, address) = (&config.name, &config.address);
    let message = format!(
        "the server `{name}` at {address} speaks only the transport of 2024 (HTTP+SSE), which the \
         protocol has replaced; name its address for Streamable HTTP, often with /mcp at its end, or \
         run a program between them, such as `npx mcp-remote {address}`"
    );
    Error::new(ErrorKind::Protocol, message)
}

/// Returns why a handshake failed.
async fn failed(
    config: &ServerConfig,
    error: ClientInitializeError,
    process: Option<&ServerProcess>,
    log: &ServerLog,
) -> Error {
    let name = &config.name;
    if error.is_authorization_required() {
        let message = format!("the server `{name}` {}", config.address.refusal());
        return Error::new(ErrorKind::Unauthorized, message);
    }
    let ended = match process {
        Some(process) => process.end().await,
        None => None,
    };
    if let Some(ended) = ended {
        let message = format!("the server `{name}` ended before it could be used ({ended})");
        return Error::new(ErrorKind::Unreachable, message + &said(log));
    }
    match error {
        ClientInitializeError::TransportError { .. } => {
            let message = format!("the server `{name}` cannot be reached at {}", config.address);
            Error::new(ErrorKind::Unreachable, message).with_source(error)
        }
        ClientInitializeError::ConnectionClosed(_) => {
            let message = format!("the server `{name}` closed the connection");
            Error::new(ErrorKind::Unreachable, message + &said(log))
        }
        error => {
            let message = format!("the server `{name}` does not speak a known revision of MCP");
            Error::new(ErrorKind::Protocol, message + &said(log)).with_source(error)
        }
    }
}

/// Returns the last line that the server wrote beside the protocol, as the end of a sentence.
pub(crate) fn said(log: &ServerLog) -> String {
    log.last().map(|line| format!("; its last line was: {line}")).unwrap_or_default()
}
