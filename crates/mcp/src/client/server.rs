//! A server: its connection, if there is one, and its known tools.
//!
//! ```text
//! not reached ─► connected ─► lost ─► connected again by the next call
//!      └───────► failed ─► fails at once until the pause is over ─► tried again by the next call
//! ```
//!
//! A server's offers stay known while it is not reachable.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::Prompt;
use silcrow_media::MediaDecoder;
use silcrow_tool::{CancellationToken, Spill};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::client::connection::{Connection, said};
use crate::client::definition::{CallLimits, ToolDefinition};
use crate::client::face::ClientFace;
use crate::client::log::ServerLog;
use crate::client::pages::{self, Pages};
use crate::client::started_files::StartedFiles;
use crate::config::{ServerAddress, ServerConfig};
use crate::error::{Error, ErrorKind};
use crate::options::Options;

/// A server that may be reachable.
pub(crate) struct ServerHandle {
    pub(crate) config: ServerConfig,
    pub(crate) face: ClientFace,
    pub(crate) log: ServerLog,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    pub(crate) decoder: Arc<dyn MediaDecoder>,
    /// The runtime that keeps connections.
    pub(crate) runtime: Handle,
    /// Cancelled when the server is not to be used any more.
    closing: CancellationToken,
    /// The number of the server's programs that have not ended.
    running: Arc<watch::Sender<usize>>,
    link: tokio::sync::Mutex<ConnectionState>,
    known: Mutex<Known>,
    started: Mutex<KnownStarts>,
}

/// The files of the program's starts.
#[derive(Default)]
struct KnownStarts {
    /// The files of the first start, or of the latest one that a person allowed.
    first: Option<StartedFiles>,
    /// The files of the latest start that was not allowed, and the error about it.
    refused: Option<(StartedFiles, String)>,
}

/// The connection, or the results of attempts to make one.
#[derive(Default)]
struct ConnectionState {
    connection: Option<Arc<Connection>>,
    failures: u32,
    /// The time before which no attempt is made.
    pause_until: Option<Instant>,
}

/// The latest offer of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) tools: Arc<Vec<ToolDefinition>>,
    pub(crate) prompts: Arc<Vec<Prompt>>,
    /// The reasons why tools were left out, and which list was cut.
    pub(crate) notices: Vec<String>,
    /// The name and version that the server reports; empty before it was reached.
    pub(crate) program: String,
    /// The revision of the protocol; empty before the server was reached.
    pub(crate) revision: String,
    /// The number of changes of the lists.
    pub(crate) changes: u64,
    /// Why the server is not reachable.
    pub(crate) failure: Option<String>,
    /// Whether that is because it rejects the client's identity.
    pub(crate) is_refused: bool,
}

impl ServerHandle {
    pub(crate) fn new(config: ServerConfig, options: &Options) -> Self {
        let face = ClientFace::new(&config.name, options.elicitor.clone());
        let (spill, decoder) = (options.spill.clone(), Arc::clone(&options.decoder));
        let (log, runtime) = (ServerLog::default(), Handle::current());
        let (link, known) = (tokio::sync::Mutex::default(), Mutex::default());
        let (closing, running) = (CancellationToken::new(), Arc::default());
        let started = Mutex::default();
        Self { config, face, log, spill, decoder, runtime, closing, running, link, known, started }
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
        if self.closing.is_cancelled() {
            return Err(self.closed());
        }
        let now = Instant::now();
        if let Some(until) = link.pause_until.filter(|until| *until > now) {
            if let Some((_, why)) = &self.starts().refused {
                return Err(Error::new(ErrorKind::Unreachable, why.clone()));
            }
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
                server.check_files().await?;
                let running = Arc::clone(&server.running);
                let opened =
                    Connection::open(&server.config, server.face.clone(), &server.log, running);
                let opened = Arc::new(opened.await?);
                server.read_lists(&opened).await?;
                Ok(opened)
            }
        };
        let mut opening = self.runtime.spawn(opening);
        let opened = tokio::select! {
            biased;
            () = self.closing.cancelled() => {
                opening.abort();
                Err(self.closed())
            }
            // It fails if the runtime shuts down.
            opened = &mut opening => opened.unwrap_or_else(|_| Err(self.closed())),
        };
        match opened {
            Ok(connection) => {
                *link = ConnectionState {
                    connection: Some(Arc::clone(&connection)),
                    ..ConnectionState::default()
                };
                let mut known = self.lock();
                (known.failure, known.is_refused) = (None, false);
                Ok(connection)
            }
            Err(error) => {
                link.pause_until = Some(Instant::now() + pause(link.failures));
                link.failures = link.failures.saturating_add(1);
                let mut known = self.lock();
                known.failure = Some(silcrow_event::error_chain(&error));
                known.is_refused = error.kind() == ErrorKind::Unauthorized;
                Err(error)
            }
        }
    }

    fn closed(&self) -> Error {
        let message = format!("the server `{}` is not used any more", self.config.name);
        Error::new(ErrorKind::Unreachable, message)
    }

    /// Returns an error if the program, or a file that the declaration names, has changed since the
    /// first start, and nobody allows the change.
    async fn check_files(&self) -> Result<(), Error> {
        let ServerAddress::Command(command) = &self.config.address else { return Ok(()) };
        let command = command.clone();
        let read = tokio::task::spawn_blocking(move || StartedFiles::read(&command)).await;
        let Some(now) = read.ok().flatten() else { return Ok(()) };
        let changed = self.starts().first.get_or_insert_with(|| now.clone()).difference(&now);
        let Some(changed) = changed else {
            self.starts().refused = None;
            return Ok(());
        };
        let is_refused = self.starts().refused.as_ref().is_some_and(|(files, _)| *files == now);
        if !is_refused && self.face.allows_restart(&changed).await {
            *self.starts() = KnownStarts { first: Some(now), refused: None };
            return Ok(());
        }
        let (name, changed) = (&self.config.name, changed.display());
        let message = format!(
            "the server `{name}` is not started again, because {changed} has changed since it was \
             started first; a new run starts it as it is"
        );
        self.starts().refused = Some((now, message.clone()));
        Err(Error::new(ErrorKind::Unreachable, message))
    }

    fn starts(&self) -> MutexGuard<'_, KnownStarts> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the lists again if the server has announced a change, and returns the task that reads
    /// them. A server that is not reachable is tried again in a background task.
    pub(crate) fn refresh(self: &Arc<Self>) -> Option<JoinHandle<()>> {
        // If the lock is held, the server is being reached.
        let link = self.link.try_lock().ok()?;
        let open = link.connection.as_ref().filter(|one| one.is_open()).map(Arc::clone);
        let is_paused = link.pause_until.is_some_and(|until| until > Instant::now());
        drop(link);
        let server = Arc::clone(self);
        match open {
            Some(_) if !self.face.is_stale.load(Ordering::Relaxed) => None,
            Some(connection) => Some(self.runtime.spawn(async move {
                if server.read_lists(&connection).await.is_err() {
                    // Its offers stay known until it can be asked again.
                    server.face.is_stale.store(true, Ordering::Relaxed);
                }
            })),
            None if is_paused => None,
            None => {
                self.runtime.spawn(async move { drop(server.connection().await) });
                None
            }
        }
    }

    /// Reads the offers of the server.
    async fn read_lists(&self, connection: &Connection) -> Result<(), Error> {
        self.face.is_stale.store(false, Ordering::Relaxed);
        let peer = connection.peer();
        let info = peer.peer_info();
        let can = info.as_ref().map(|info| &info.capabilities);
        let program = connection.program();
        let lists = async {
            let tools = match can.is_none_or(|can| can.tools.is_some()) {
                true => pages::tools(peer).await?,
                false => (Pages::default(), Vec::new()),
            };
            // Prompts are for people, so a server that fails to list them still has its tools.
            let prompts = match can.is_some_and(|can| can.prompts.is_some()) {
                true => pages::prompts(peer).await.unwrap_or_default(),
                false => Pages::default(),
            };
            Ok::<_, rmcp::ServiceError>((tools, prompts))
        };
        let name = &self.config.name;
        // A server may want a login for its lists only.
        let limit = self.config.start_timeout + self.config.address.patience();
        let listed = timeout(limit, lists).await.map_err(|_| {
            let message = format!("the server `{name}` did not list its tools in time");
            Error::new(ErrorKind::Silent, message + &said(&self.log))
        })?;
        let ((listed, unreadable), prompts) = listed.map_err(|error| {
            if error.is_authorization_required() {
                let message = format!("the server `{name}` {}", self.config.address.refusal());
                return Error::new(ErrorKind::Unauthorized, message);
            }
            let message = format!("the server `{name}` cannot list its tools");
            Error::new(ErrorKind::Protocol, message).with_source(error)
        })?;
        let call = self.config.timeout.max(self.config.progress_timeout);
        let limits = CallLimits { start: self.config.start_timeout, call };
        let read = |tool| ToolDefinition::read(name, tool, self.config.is_trusted, limits);
        let cut = [(listed.cut, "tools"), (prompts.cut, "prompts")].into_iter();
        let cut =
            cut.filter_map(|(cut, what)| Some(format!("{name}: the list of {what} {}", cut?)));
        let (mut tools, mut notices, prompts) =
            (Vec::new(), cut.collect::<Vec<_>>(), prompts.items);
        notices.extend(unreadable.into_iter().map(|why| format!("{name}: {why}")));
        for tool in &listed.items {
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
        known.program = program;
        Ok(())
    }

    /// Closes the connection for good, and waits until the server's programs have ended.
    pub(crate) async fn close(&self) {
        self.closing.cancel();
        let connection = self.link.lock().await.connection.take();
        if let Some(connection) = connection {
            connection.close().await;
        }
        // An abandoned start ends without help, or is killed before this time is over.
        let mut running = self.running.subscribe();
        let _ = timeout(LAST_MOMENT, running.wait_for(|running| *running == 0)).await;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the pause after a failure, by the number of failures before it.
fn pause(failures: u32) -> Duration {
    (FIRST_PAUSE * 2_u32.saturating_pow(failures.min(10))).min(LONGEST_PAUSE)
}

/// The time that the programs of a closed server have to end.
const LAST_MOMENT: Duration = Duration::from_secs(10);

/// The pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The pause after many failures.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
