//! A session: an open store, servers that run, and the agents that are made for them.

mod parts;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::RunEventRef;
use silcrow_mcp::Elicitor;
use silcrow_models::is_rehearsal;
use silcrow_tool::{CancellationToken, Scope, Spill};

use crate::after_run::AfterRun;
use crate::claim::ActiveRun;
use crate::decoder::ConfinedDecoder;
use crate::error::Error;
use crate::hook_log::HookLog;
use crate::host::SessionHost;
use crate::learning::{self, ProfileLearner};
use crate::options::SessionOptions;
use crate::prompt::expand;
use crate::servers::{RunServers, ServerSurroundings};
use crate::session_mode::SessionMode;
use crate::setup::SessionSetup;
use crate::store::{OpenStore, new_conversation};
use crate::target::RunTarget;
use crate::task::RunTask;
use crate::telemetry;
use crate::titling::ConversationTitler;

/// A session: it has a store, tools, MCP servers, a policy, titles, the profile of the person and
/// telemetry, and makes agents of them.
///
/// [`open`](Self::open), [`ask`](Self::ask) and [`finish`](Self::finish) are enough for most programs. A
/// program that shows more, such as a server, takes the parts: it [makes agents](Self::agent), and
/// runs them as it likes.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::sync::Arc;
///
/// use silcrow_session::{AgentSession, SessionHost, SessionOptions};
/// use silcrow_tool::DenyAll;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-ask-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let root = folder.clone();
/// let mut options = SessionOptions::new(root);
/// options.model = Some("rehearsal".to_owned());
/// options.store = Some("memory".into());
/// let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
///
/// let mut session = AgentSession::open(options, &host).await?;
/// let agent = session.agent(DenyAll);
/// let mut events = 0;
/// session.ask(&agent, "What is here?", &mut |_| events += 1).await?;
/// session.finish().await;
/// assert!(events > 0);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<_, silcrow_session::Error>(())
/// # }).unwrap();
/// ```
pub struct AgentSession {
    pub(crate) setup: SessionSetup,
    opened: OpenStore,
    /// The runs of hooks.
    pub(crate) hook_log: HookLog,
    /// The servers, once they were begun.
    pub(crate) servers: Option<RunServers>,
    /// The text about the person that the model reads.
    pub(crate) profile: Option<String>,
    conversation: String,
    /// Whether the last run has answered.
    has_answered: bool,
}

impl AgentSession {
    /// Checks options, opens the store, and begins to start the MCP servers. Failures of servers
    /// become notices. A program that asks the person questions of servers, or that changes the
    /// setup, does these steps itself: [`SessionSetup::check`], [`SessionSetup::open`], and
    /// [`begin_servers`](Self::begin_servers).
    ///
    /// # Errors
    ///
    /// Returns an error if an option cannot be used, or if the store cannot be opened.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn open(options: SessionOptions, host: &Arc<dyn SessionHost>) -> Result<Self, Error> {
        let setup = SessionSetup::check(options, host)?;
        telemetry::start_telemetry(&setup.options.telemetry, &**host);
        let mut session = setup.open().await?;
        session.read_profile().await;
        let servers = session.begin_servers(None);
        for line in servers.settle(&CancellationToken::new()).await {
            host.notice(&line);
        }
        Ok(session)
    }

    pub(crate) fn new(setup: SessionSetup, opened: OpenStore, hook_log: HookLog) -> Self {
        Self {
            setup,
            opened,
            hook_log,
            servers: None,
            profile: None,
            conversation: new_conversation(),
            has_answered: false,
        }
    }

    /// Runs an agent on a prompt in the conversation of the session, with the files that the prompt
    /// names, and gives `emit` each event. No other process runs the conversation meanwhile.
    ///
    /// # Errors
    ///
    /// Returns an error if the prompt cannot be used, if another process runs the conversation, or if
    /// the run fails.
    ///
    /// # Panics
    ///
    /// The future panics outside a tokio runtime.
    pub async fn ask(
        &mut self,
        agent: &Agent,
        prompt: &str,
        emit: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, Error> {
        let expanded = expand(prompt, &self.setup.options.root, &self.setup.options.servers)?;
        for notice in &expanded.notices {
            self.setup.host.notice(notice);
        }
        let task = RunTask::answer(expanded, None);
        let (task, notices) = self.with_resources(task).await?;
        for notice in &notices {
            self.setup.host.notice(notice);
        }
        let _active = self.claim(&self.conversation, prompt)?;
        let scope = telemetry::within_caller(Scope::new(&*self.conversation));
        let outcome = task.perform(agent, scope, emit).await?;
        self.has_answered = outcome == RunOutcome::Answered;
        Ok(outcome)
    }

    /// Ends the session: names the conversation and learns the profile if it has answered and the
    /// options want that, ends the servers, and sends the remaining telemetry.
    pub async fn finish(self) {
        self.close_servers().await;
        if let (true, Some(after)) = (self.has_answered, self.after_run()) {
            for line in after.work(&self.conversation, TITLE_PATIENCE).await {
                self.setup.host.notice(&line);
            }
        }
        if let Some(lost) = telemetry::finish_telemetry().await {
            self.setup.host.notice(&lost);
        }
    }

    /// Chooses the conversation of the prompts that follow, which is a new one at first.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such conversation.
    pub async fn continue_in(&mut self, target: &RunTarget) -> Result<(), Error> {
        self.conversation = self.resolve(target).await?;
        self.has_answered = false;
        Ok(())
    }

    /// Returns the conversation of the prompts that follow.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// Returns the id of the conversation that is meant.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such conversation.
    pub async fn resolve(&self, target: &RunTarget) -> Result<String, Error> {
        target.resolve(&*self.store(), self.setup.user(), &self.setup.options.root).await
    }

    /// Claims a conversation for a run that answers a prompt. A store in memory needs no claim.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Active`](crate::ErrorKind::Active) if another process runs it.
    pub fn claim(&self, conversation: &str, prompt: &str) -> Result<Option<ActiveRun>, Error> {
        ActiveRun::claim(&self.setup.place, conversation, &self.setup.options.root, prompt)
    }

    /// Reads the text about the person, if the profile is learned.
    pub async fn read_profile(&mut self) {
        if self.learns() {
            let (store, host) = (self.store(), &*self.setup.host);
            self.profile = learning::profile_text(&*store, self.setup.user(), host).await;
        }
    }

    /// Begins to start the servers that are declared, and waits for none. `elicitor` asks the person
    /// the questions of servers.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn begin_servers(&mut self, elicitor: Option<Arc<dyn Elicitor>>) -> RunServers {
        let spill = self.setup.place.spills().map(|spills| Arc::new(spills) as Arc<dyn Spill>);
        let decoder = ConfinedDecoder { is_sandbox_off: self.is_sandbox_off() };
        let surroundings = ServerSurroundings { spill, decoder, elicitor };
        let SessionOptions { servers, offered, root, .. } = &self.setup.options;
        let servers = RunServers::begin(servers, offered, root, surroundings);
        self.use_servers(&servers);
        servers
    }

    /// Uses servers that already run, such as another session's.
    pub fn use_servers(&mut self, servers: &RunServers) {
        self.servers = Some(servers.clone());
    }

    /// Ends the servers that were begun. [`finish`](Self::finish) does it, too.
    pub async fn close_servers(&self) {
        if let Some(servers) = &self.servers {
            servers.close().await;
        }
    }

    /// Waits until all servers that were begun can be used or have failed, but not for long.
    pub async fn settle_servers(&self) {
        if let Some(servers) = &self.servers {
            servers.servers().settle().await;
        }
    }

    /// Opens a session for another user, with the options, the store, the servers and the folder of
    /// this one. It uses the profile of that user only.
    ///
    /// # Errors
    ///
    /// Returns an error if an option can no longer be used.
    pub fn for_user(&self, user: Option<String>) -> Result<Self, Error> {
        self.for_user_with(user, |_| ())
    }

    /// Opens a session for another user as [`for_user`](Self::for_user) does, with options that a
    /// function changes, such as the model. The store, the servers and the folder stay the same.
    ///
    /// # Errors
    ///
    /// Returns an error if an option cannot be used.
    pub fn for_user_with(
        &self,
        user: Option<String>,
        change: impl FnOnce(&mut SessionOptions),
    ) -> Result<Self, Error> {
        let SessionSetup { options, host, root_identity, .. } = &self.setup;
        let mut options = options.clone();
        change(&mut options);
        let mut setup = SessionSetup::check_for(options, user, host)?;
        root_identity.clone_into(&mut setup.root_identity);
        let mut session = setup.with_store(self.opened.clone());
        session.servers.clone_from(&self.servers);
        Ok(session)
    }

    /// Uses the mode of another session, which then has the rules of this one.
    pub fn use_mode(&mut self, mode: &SessionMode) {
        self.setup.permissions.use_mode(mode);
    }

    /// Adds the texts of servers that a prompt names, and returns the lines that say so.
    ///
    /// # Errors
    ///
    /// Returns an error if a server does not have the text.
    pub async fn with_resources(&self, task: RunTask) -> Result<(RunTask, Vec<String>), Error> {
        match &self.servers {
            Some(servers) => task.with_resources(servers.servers()).await,
            None => Ok((task, Vec::new())),
        }
    }

    /// Returns the tasks of models after an answered run, if there are any. The rehearsal model
    /// notes nothing, and a store in memory is not listed, so it needs no titles.
    pub fn after_run(&self) -> Option<AfterRun> {
        let (setup, store) = (&self.setup, self.store());
        let learns = setup.learns.clone().filter(|_| !is_rehearsal(&setup.model));
        let learner = learns.map(|provider| ProfileLearner {
            provider,
            store: Arc::clone(&store),
            user: setup.user.clone(),
        });
        let titles = setup.titles.clone().filter(|_| setup.place.folder().is_some());
        let tells_failures = setup.options.tells_title_failures;
        let titler = titles.map(|provider| ConversationTitler { provider, store, tells_failures });
        AfterRun::new(learner, titler)
    }
}

impl fmt::Debug for AgentSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentSession")
            .field("setup", &self.setup)
            .field("conversation", &self.conversation)
            .finish_non_exhaustive()
    }
}

/// The longest time that the end of a session waits for a title.
const TITLE_PATIENCE: Duration = Duration::from_secs(5);
