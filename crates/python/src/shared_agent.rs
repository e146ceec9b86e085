//! State that all runs of an agent share: checked options, and a session that the first run opens.

use std::collections::BTreeSet;
use std::sync::{self, Arc, PoisonError};
use std::time::Duration;

use silcrow_agent::Agent;
use silcrow_session::{
    AgentSession, Error, SessionHost, SessionOptions, SessionSetup, start_telemetry,
};
use silcrow_tool::WithPermissions;
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinSet;

use crate::approval::{Decides, FunctionApprover};
use crate::desk::Desk;
use crate::model::GeneratorModel;
use crate::options::AgentSettings;
use crate::own_tools::OwnTools;
use crate::tool::{FunctionFacts, FunctionTool};

/// The parts of an agent that all of its runs share.
pub(crate) struct SharedAgent {
    options: SessionOptions,
    host: Arc<dyn SessionHost>,
    /// The options as they were checked first, until a session is opened with them.
    checked: sync::Mutex<Option<SessionSetup>>,
    session: OnceCell<AgentSession>,
    functions: Vec<Arc<FunctionFacts>>,
    generator: Option<String>,
    decides: Decides,
    /// Titles that are found and facts that are noted after runs.
    after: Mutex<JoinSet<()>>,
}

impl SharedAgent {
    /// Checks the options, and opens nothing.
    pub(crate) fn check(
        settings: AgentSettings,
        options: SessionOptions,
        host: Arc<dyn SessionHost>,
    ) -> Result<Self, Error> {
        let checked = SessionSetup::check(options.clone(), &host)?;
        Ok(Self {
            options,
            host,
            checked: sync::Mutex::new(Some(checked)),
            session: OnceCell::new(),
            functions: settings.functions.into_iter().map(Arc::new).collect(),
            generator: settings.generator,
            decides: match &*settings.decides {
                "function" => Decides::Function,
                "later" => Decides::Later,
                _ => Decides::Nobody,
            },
            after: Mutex::default(),
        })
    }

    /// Returns the session, which the first run opens.
    pub(crate) async fn session(&self) -> Result<&AgentSession, Error> {
        self.session.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<AgentSession, Error> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(setup) = checked else {
            // The first attempt has failed, for a reason that may be gone.
            return AgentSession::open(self.options.clone(), &self.host).await;
        };
        start_telemetry(&setup.options().telemetry, &*self.host);
        let mut session = setup.open().await?;
        session.read_profile().await;
        Ok(session)
    }

    /// Makes the agent of one run, whose functions are called through `desk`.
    pub(crate) fn agent(
        &self,
        session: &AgentSession,
        desk: &Arc<Desk>,
        streams: bool,
    ) -> Result<Agent, String> {
        let names: BTreeSet<String> = self.functions.iter().map(|one| one.name.clone()).collect();
        let approver = || FunctionApprover { desk: Arc::clone(desk), decides: self.decides };
        let permissions = OwnTools { names, others: session.permissions() };
        let mut agent = session
            .agent(approver())
            .with_approver(WithPermissions::new(permissions, approver()))
            .with_streaming(streams && session.options().streams);
        for facts in &self.functions {
            agent = agent
                .with_tool(FunctionTool::new(facts, desk))
                .map_err(|twice| format!("tools: {twice}"))?;
        }
        Ok(match &self.generator {
            Some(name) => {
                agent.with_provider(GeneratorModel { name: name.clone(), desk: Arc::clone(desk) })
            }
            None => agent,
        })
    }

    /// Names the conversation of a run that has answered, and notes facts, beside the next runs.
    pub(crate) async fn after_run(&self, session: &AgentSession, conversation: &str) {
        let Some(after) = session.after_run() else { return };
        let (conversation, host) = (conversation.to_owned(), Arc::clone(&self.host));
        self.after.lock().await.spawn(async move {
            for line in after.work(&conversation, PATIENCE).await {
                host.notice(&line);
            }
        });
    }

    /// Ends the work that remains after runs.
    pub(crate) async fn close(&self) {
        while self.after.lock().await.join_next().await.is_some() {}
        if let Some(session) = self.session.get() {
            session.close_servers().await;
        }
    }
}

/// The longest time that a title may take.
const PATIENCE: Duration = Duration::from_secs(10);
