//! A server: the connection to it, if there is one, and what is known of its tools.
//!
//! ```text
//! not reached ─► connected ─► lost ─► connected again by the next call
//!      └───────► failed ─► fails at once until the pause is over ─► tried again by the next call
//! ```
//!
//! What a server offered stays known while it is not reachable.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::Prompt;
use silcrow_exec::Spill;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout};

use crate::config::ServerConfig;
use crate::connection::{Connection, said};
use crate::definition::ToolDefinition;
use crate::elicit::Elicitor;
use crate::error::{Error, ErrorKind};
use crate::face::ClientFace;
use crate::log::ServerLog;

/// A server that may be reachable.
pub(crate) struct ServerHandle {
    pub(crate) config: ServerConfig,
    pub(crate) face: ClientFace,
    pub(crate) log: ServerLog,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    /// The runtime that keeps connections.
    pub(crate) runtime: Handle,
    link: tokio::sync::Mutex<ConnectionState>,
    known: Mutex<Known>,
}

/// The connection, or what is known of the attempts to make one.
#[derive(Default)]
struct ConnectionState {
    connection: Option<Arc<Connection>>,
    failures: u32,
    /// The time before which no attempt is made.
    pause_until: Option<Instant>,
}

/// What a server offers, as it said last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) tools: Arc<Vec<ToolDefinition>>,
    pub(crate) prompts: Arc<Vec<Prompt>>,
    /// Why tools were left out.
    pub(crate) notices: Vec<String>,
    /// The revision of the protocol; empty before the server was reached.
    pub(crate) revision: String,
    /// The number of changes of the lists.
    pub(crate) changes: u64,
    /// Why the server is not reachable.
    pub(crate) failure: Option<String>,
}

impl ServerHandle {
    pub(crate) fn new(
        config: ServerConfig,
        elicitor: Option<Arc<dyn Elicitor>>,
        spill: Option<Arc<dyn Spill>>,
    ) -> Self {
        let face = ClientFace::new(&config.name, elicitor);
        let (log, runtime) = (ServerLog::default(), Handle::current());
        let (link, known) = (tokio::sync::Mutex::default(), Mutex::default());
        Self { config, face, log, spill, runtime, link, known }
    }

    pub(crate) fn known(&self) -> Known {
        self.lock().clone()
    }

    /// Returns an open connection, and makes one if there is none.
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, Error> {
        let mut link = self.link.lock().await;
        if let Some(connection) = link.connection.as_ref().filter(|one| one.is_open()) {
            return Ok(Arc::clone(connection));
        }
        link.connection = None;
        let now = Instant::now();
        if let Some(until) = link.pause_until.filter(|until| *until > now) {
            let seconds = (until - now).as_secs() + 1;
            let name = &self.config.name;
            let message =
                format!("the server `{name}` is not reachable; it is tried again in {seconds} s");
            return Err(Error::new(ErrorKind::Unreachable, message + &said(&self.log)));
        }
        // The call that asked for it may be stopped, and the connection outlives the call.
        let opening = {
            let server = Arc::clone(self);
            async move {
                let opened =
                    Connection::open(&server.config, server.face.clone(), &server.log).await;
                let opened = Arc::new(opened?);
                server.read_lists(&opened).await?;
                Ok(opened)
            }
        };
        let opened = self.runtime.spawn(opening).await;
        let opened = opened.unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Unreachable, "the program is shutting down"))
        });
        match opened {
            Ok(connection) => {
                *link = ConnectionState {
                    connection: Some(Arc::clone(&connection)),
                    ..ConnectionState::default()
                };
                self.lock().failure = None;
                Ok(connection)
            }
            Err(error) => {
                link.pause_until = Some(Instant::now() + pause(link.failures));
                link.failures = link.failures.saturating_add(1);
                self.lock().failure = Some(silcrow_event::error_chain(&error));
                Err(error)
            }
        }
    }

    /// Reads the lists again if the server has said that they are others by now.
    pub(crate) async fn refresh(self: &Arc<Self>) -> Result<(), Error> {
        let connection = self.connection().await?;
        match self.face.is_stale.load(Ordering::Relaxed) {
            true => self.read_lists(&connection).await,
            false => Ok(()),
        }
    }

    /// Reads what the server offers.
    async fn read_lists(&self, connection: &Connection) -> Result<(), Error> {
        self.face.is_stale.store(false, Ordering::Relaxed);
        let peer = connection.peer();
        let info = peer.peer_info();
        let can = info.as_ref().map(|info| &info.capabilities);
        let lists = async {
            let tools = match can.is_none_or(|can| can.tools.is_some()) {
                true => peer.list_all_tools().await?,
                false => Vec::new(),
            };
            // Prompts are for people, so a server that fails to list them still has its tools.
            let prompts = match can.is_some_and(|can| can.prompts.is_some()) {
                true => peer.list_all_prompts().await.unwrap_or_default(),
                false => Vec::new(),
            };
            Ok::<_, rmcp::ServiceError>((tools, prompts))
        };
        let name = &self.config.name;
        let listed = timeout(self.config.start_timeout, lists).await.map_err(|_| {
            let message = format!("the server `{name}` did not list its tools in time");
            Error::new(ErrorKind::Silent, message + &said(&self.log))
        })?;
        let (listed, prompts) = listed.map_err(|error| {
            let message = format!("the server `{name}` cannot list its tools");
            Error::new(ErrorKind::Protocol, message).with_source(error)
        })?;
        let read =
            |tool| ToolDefinition::read(name, tool, self.config.is_trusted, self.config.timeout);
        let (mut tools, mut notices) = (Vec::new(), Vec::new());
        for tool in &listed {
            match read(tool) {
                Ok(tool) => tools.push(tool),
                Err(why) => notices.push(format!("{name}: {why}")),
            }
        }
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools.dedup_by(|one, other| one.name == other.name);
        let mut known = self.lock();
        if *known.tools != tools || *known.prompts != prompts {
            known.changes += 1;
        }
        (known.tools, known.prompts) = (Arc::new(tools), Arc::new(prompts));
        (known.notices, known.revision) = (notices, connection.revision());
        Ok(())
    }

    /// Closes the connection, and waits until the server's program has ended.
    pub(crate) async fn close(&self) {
        let connection = self.link.lock().await.connection.take();
        if let Some(connection) = connection {
            connection.close().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the pause after a failure that follows so many others.
fn pause(failures: u32) -> Duration {
    (FIRST_PAUSE * 2_u32.saturating_pow(failures.min(10))).min(LONGEST_PAUSE)
}

/// The pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The pause after many failures.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
