//! A server: a store, a source of agents, the runs at work, and the users.

use std::fmt;
use std::sync::Arc;

use axum::http::request::Parts;
use silcrow_media::{DirectDecoder, MediaDecoder};
use silcrow_store::Store;
use silcrow_tool::CancellationToken;

use crate::auth::{Access, AccessToken, KnownUser, ServerUser};
use crate::ended_sessions::EndedSessions;
use crate::error::Error;
use crate::forms::FormDesk;
use crate::options::Options;
use crate::peers::PeerTransport;
use crate::runs::Runs;
use crate::seen_logs::SeenLogs;
use crate::source::AgentSource;

/// Serves the agents of a source over HTTP. Clones are the same server.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
///
/// use silcrow_agent::Agent;
/// # use silcrow_provider::ScriptedModel;
/// use silcrow_server::{RunPlace, Server};
/// use silcrow_store::MemoryStore;
///
/// let store = Arc::new(MemoryStore::new());
/// # let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
/// let agent = Agent::new(model, Arc::clone(&store));
/// let server = Server::new(store, move |_: &RunPlace| agent.clone());
///
/// let conversation = server.new_conversation("chat-")?;
/// assert!(conversation.starts_with("chat-"));
/// assert!(server.open_questions(&RunPlace::new(conversation)).await?.is_empty());
/// # Ok::<_, silcrow_server::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Server {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) source: Arc<dyn AgentSource>,
    pub(crate) options: Arc<Options>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) access: Access,
    pub(crate) ended_sessions: Arc<EndedSessions>,
    pub(crate) waiting: Arc<SeenLogs>,
    pub(crate) forms: FormDesk,
    /// The decoder for the files of clients.
    pub(crate) decoder: Arc<dyn MediaDecoder>,
    /// The way to other servers of the store.
    pub(crate) peers: Option<Arc<dyn PeerTransport>>,
    /// Ends the streams of events.
    pub(crate) closing: CancellationToken,
}

impl Server {
    /// Creates a server without users.
    ///
    /// The agents of the source have to use the same store.
    pub fn new(store: impl Store + 'static, source: impl AgentSource + 'static) -> Self {
        let options = Options::default();
        Self {
            store: Arc::new(store),
            source: Arc::new(source),
            runs: Arc::new(Runs::new(&options)),
            options: Arc::new(options),
            access: Access::default(),
            ended_sessions: Arc::default(),
            waiting: Arc::default(),
            forms: FormDesk::default(),
            decoder: Arc::new(DirectDecoder),
            peers: None,
            closing: CancellationToken::new(),
        }
    }

    /// Sets the limits, before the server is used.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { runs: Arc::new(Runs::new(&options)), options: Arc::new(options), ..self }
    }

    /// Lets servers of the same store read each other's runs while they are at work. The store has
    /// the address of another server ([`Holder`](silcrow_store::Holder)), and a secret by which
    /// they recognize each other; in a store without a secret there are no other servers.
    #[must_use]
    pub fn with_peers(self, peers: impl PeerTransport + 'static) -> Self {
        Self { peers: Some(Arc::new(peers)), ..self }
    }

    /// Makes everybody with a token this user. Several tokens may belong to one user.
    #[must_use]
    pub fn with_token(mut self, token: AccessToken, user: ServerUser) -> Self {
        self.access.add(token, user);
        self
    }

    /// Lets a user see and answer the questions of all users of the server, besides their own. He
    /// reads nothing else of theirs.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use silcrow_agent::Agent;
    /// use silcrow_provider::ScriptedModel;
    /// use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};
    /// use silcrow_store::MemoryStore;
    ///
    /// let store = Arc::new(MemoryStore::new());
    /// let agent = Agent::new(ScriptedModel::parse("§respond: Hello.\n§end", 1), store.clone());
    /// let user = |name: &str| ServerUser { name: Some(name.to_owned()) };
    /// let server = Server::new(store, move |_: &RunPlace| agent.clone())
    ///     .with_token(AccessToken::random().unwrap(), user("ann"))
    ///     .with_token(AccessToken::random().unwrap(), user("bob"))
    ///     // Ann may say yes to what Bob's runs ask.
    ///     .with_owner(user("ann"));
    /// ```
    #[must_use]
    pub fn with_owner(mut self, owner: ServerUser) -> Self {
        self.access.add_owner(owner);
        self
    }

    /// Lets a user name people of its own in the headers of `/v1`, as Open WebUI does
    /// (`X-OpenWebUI-User-Id`). Each of them is a user, `NAME:chat:ID`, with conversations and a budget of
    /// their own. Beside such programs only the user without a name and owners may do that.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use silcrow_agent::Agent;
    /// use silcrow_provider::ScriptedModel;
    /// use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};
    /// use silcrow_store::MemoryStore;
    ///
    /// let store = Arc::new(MemoryStore::new());
    /// let agent = Agent::new(ScriptedModel::parse("§respond: Hello.\n§end", 1), store.clone());
    /// let ui = ServerUser { name: Some("webui".to_owned()) };
    /// let server = Server::new(store, move |_: &RunPlace| agent.clone())
    ///     .with_token(AccessToken::random().unwrap(), ui.clone())
    ///     .with_chat_program(ui);
    /// ```
    #[must_use]
    pub fn with_chat_program(mut self, program: ServerUser) -> Self {
        self.access.add_chat_program(program);
        self
    }

    /// Shows the forms of a desk on the page, after the [limits](Self::with_options) are set. A desk
    /// belongs to one server.
    #[must_use]
    pub fn with_forms(self, desk: &FormDesk) -> Self {
        desk.serve(&self.runs);
        Self { forms: desk.clone(), ..self }
    }

    /// Sets the decoder of pictures that clients send, such as a confined process. By default this
    /// process does it.
    #[must_use]
    pub fn with_decoder(self, decoder: impl MediaDecoder + 'static) -> Self {
        Self { decoder: Arc::new(decoder), ..self }
    }

    /// Finds the user of each request with a function of the program around the server, instead of
    /// tokens. A request without a user is rejected.
    #[must_use]
    pub fn with_authenticator(
        mut self,
        authenticator: impl Fn(&Parts) -> Option<ServerUser> + Send + Sync + 'static,
    ) -> Self {
        self.access.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Returns the user of a request, unless the session of its page is over.
    pub(crate) async fn user_of(&self, request: &Parts) -> Result<Option<ServerUser>, Error> {
        let Some(KnownUser { user, session }) = self.access.user(request) else { return Ok(None) };
        let is_over = match session {
            Some(session) => self.ended_sessions.has(&session, &*self.store).await?,
            None => false,
        };
        Ok((!is_over).then_some(user))
    }

    /// Returns the settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns a token that is cancelled when the server begins to stop.
    pub fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Returns whether the server begins runs: it does until it stops.
    pub fn is_open(&self) -> bool {
        !self.runs.is_closed()
    }

    /// Stops the server: begins no more runs, ends the streams of events, gives the runs their
    /// [time](Options::patience), and then stops them. In a store that other servers share, one of
    /// them may continue these. Returns when all runs are over.
    pub async fn stop(&self) {
        self.runs.close();
        self.closing.cancel();
        if tokio::time::timeout(self.options.patience, self.runs.idle()).await.is_err() {
            self.runs.stop_all();
            self.runs.idle().await;
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("options", &self.options).finish_non_exhaustive()
    }
}
