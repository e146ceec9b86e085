//! The agents of a server: one for all conversations of a user, which is made again on a new day.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::civil::Date;
use silcrow_agent::Agent;
use silcrow_console::approve::UnaskedQuestion;
use silcrow_event::{CallKind, Event};
use silcrow_front::RunEnd;
use silcrow_mcp_server::DeclaredTool;
use silcrow_parser as parser;
use silcrow_server::{AgentSource, Error, ErrorKind, PreparedAgent, RunChoice, RunPlace};
use silcrow_session::claim::{ActiveRun, ClaimAttempt};
use silcrow_session::{
    AfterRun, AgentSession, Error as SessionError, SessionOptions, StorePlace, today,
};
use silcrow_settings::known_secrets;
use silcrow_store::Store;
use silcrow_tool::{DenyAll, ParkAll};

use super::offered::{apply, offered};
use super::undone::{failed, undone};
use crate::failure::Failure;

/// The agents of a server.
pub(crate) struct ServedAgents {
    /// The session of the settings, with the store and the MCP servers of all agents.
    session: AgentSession,
    store: Arc<dyn Store>,
    on_question: Option<UnaskedQuestion>,
    /// The address of the server, as other processes name it; none for a process without one.
    address: Option<String>,
    /// The choices of users.
    offered: Vec<RunChoice>,
    /// The agents that were made.
    made: Mutex<HashMap<AgentKey, MadeAgent>>,
}

/// The user of an agent, and the chosen values.
type AgentKey = (Option<String>, BTreeMap<String, String>);

/// An agent with the settings of a day.
#[derive(Clone)]
struct MadeAgent {
    day: Date,
    agent: Agent,
    /// Makes agents without tools.
    plain: Arc<dyn Fn() -> Agent + Send + Sync>,
    after: Option<AfterRun>,
}

impl ServedAgents {
    /// Makes the agent of a session whose servers were begun.
    pub(crate) async fn new(
        mut session: AgentSession,
        on_question: Option<UnaskedQuestion>,
        address: Option<SocketAddr>,
        models: &[String],
    ) -> Result<Self, Failure> {
        let store = session.store();
        let address = address.map(|address| format!("http://{address}"));
        let made = made(&mut session, on_question).await;
        let own = (session.user().map(str::to_owned), BTreeMap::new());
        let made = Mutex::new(HashMap::from([(own, made)]));
        let offered = offered(&session, models)?;
        Ok(Self { session, store, on_question, address, offered, made })
    }

    /// Returns the store of the agents.
    pub(crate) const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the place of the store, the folder of the tools, and the address of the server.
    pub(crate) fn whereabouts(&self) -> (StorePlace, PathBuf, Option<String>) {
        let (place, root) = (self.session.place(), &self.session.options().root);
        (place.clone(), root.clone(), self.address.clone())
    }

    /// Returns the agent of the user of the settings.
    pub(crate) async fn own_agent(&self) -> Result<Agent, Failure> {
        let place = RunPlace::new("").with_user(self.session.user().map(str::to_owned));
        Ok(self.current(&place).await?.agent)
    }

    /// Returns the agent of a user for the day, with the choices for a conversation. Its profile is
    /// of that user alone.
    async fn current(&self, place: &RunPlace) -> Result<MadeAgent, SessionError> {
        let key = key(place);
        if let Some(current) = self.made().get(&key).filter(|made| made.day == today()) {
            return Ok(current.clone());
        }
        let change = |options: &mut SessionOptions| apply(&place.choices, options);
        let mut session = self.session.for_user_with(place.user.clone(), change)?;
        let made = made(&mut session, self.on_question).await;
        let mut all = self.made();
        if all.len() >= MOST_AGENTS {
            all.clear();
        }
        all.insert(key, made.clone());
        Ok(made)
    }

    fn made(&self) -> MutexGuard<'_, HashMap<AgentKey, MadeAgent>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a conversation, so that no other process runs it meanwhile.
    fn claim(&self, conversation: &str) -> Result<Option<ActiveRun>, Error> {
        let (place, root) = (self.session.place(), &self.session.options().root);
        match ActiveRun::attempt_at(place, conversation, root, self.address.as_deref()) {
            Ok(ClaimAttempt::Claimed(claim)) => Ok(claim),
            Ok(ClaimAttempt::Taken(other)) => Err(busy(&other.description())),
            Err(error) => Err(failed(&error)),
        }
    }
}

fn key(place: &RunPlace) -> AgentKey {
    (place.user.clone(), place.choices.clone())
}

fn busy(other: &str) -> Error {
    let why = format!(
        "{other} runs this conversation; wait for it, or send it your message with ?steer=1"
    );
    Error::new(ErrorKind::Busy, why)
}

async fn made(session: &mut AgentSession, on_question: Option<UnaskedQuestion>) -> MadeAgent {
    session.read_profile().await;
    let agent = match on_question {
        Some(UnaskedQuestion::Deny) => session.agent(DenyAll),
        Some(UnaskedQuestion::Park) | None => session.agent(ParkAll),
    };
    let (plain, after) = (Arc::new(session.plain()), session.after_run());
    MadeAgent { day: today(), agent: agent.with_call_text(), plain, after }
}

impl AgentSource for ServedAgents {
    fn agent<'a>(&'a self, place: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async move {
            let claim = self.claim(&place.conversation)?;
            if let Some(other) = self.store.shared_runs().holder(&place.conversation).await? {
                return Err(busy(&other.name));
            }
            // The first runs wait for servers that have just been started.
            self.session.settle_servers().await;
            let made = self.current(place).await;
            let made = made.map_err(|error| failed(&error))?;
            Ok(PreparedAgent::from(made.agent).with_guard(claim))
        }
        .boxed()
    }

    fn ended<'a>(&'a self, place: &'a RunPlace, end: &'a RunEnd) -> BoxFuture<'a, ()> {
        async move {
            let after = {
                let made = self.made();
                let of_user = made.iter().find(|((user, _), _)| *user == place.user);
                of_user.and_then(|(_, made)| made.after.clone())
            };
            if let (RunEnd::Answered, Some(after)) = (end, after) {
                // Nobody reads what it says.
                after.work(&place.conversation, PATIENCE_FOR_TITLE).await;
            }
        }
        .boxed()
    }

    fn elsewhere(&self, place: &RunPlace) -> Option<String> {
        Some(ActiveRun::find(self.session.place().folder()?, &place.conversation)?.description())
    }

    fn masked(&self, message: String) -> String {
        known_secrets().mask(&message).into_owned()
    }

    fn remove<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            let _claim = self.claim(conversation)?;
            let removed = || {
                if let Some(spills) = self.session.place().spills() {
                    spills.remove(conversation)?;
                }
                if let Some(changes) = self.session.place().changes() {
                    changes.remove(conversation)?;
                }
                Ok::<_, std::io::Error>(())
            };
            removed().map_err(|error| {
                Error::new(ErrorKind::Failed, format!("cannot remove what belongs to it: {error}"))
            })
        }
        .boxed()
    }

    fn plain<'a>(&'a self, place: &'a RunPlace) -> Option<BoxFuture<'a, Result<Agent, Error>>> {
        let made = async {
            let made = self.current(place).await;
            let made = made.map_err(|error| failed(&error))?;
            Ok((made.plain)())
        };
        Some(made.boxed())
    }

    fn about(&self, _: &RunPlace) -> serde_json::Value {
        let (session, root) = (&self.session, &self.session.options().root);
        serde_json::json!({
            "model": session.model(),
            "folder": root.display().to_string(),
            "mode": session.mode().mode().as_str(),
            "rehearsal": session.is_rehearsal(),
        })
    }

    fn choices(&self, _: &RunPlace) -> Vec<RunChoice> {
        self.offered.clone()
    }

    fn wire(&self, _: &RunPlace, turn: &[Event]) -> Option<String> {
        Some(parser::write(turn, self.session.format()))
    }

    fn undo<'a>(
        &'a self,
        place: &'a RunPlace,
    ) -> Option<BoxFuture<'a, Result<serde_json::Value, Error>>> {
        let journal = self.session.place().changes()?;
        let undone = async move {
            let _claim = self.claim(&place.conversation)?;
            undone(&*self.store, &place.conversation, journal, self.session.place()).await
        };
        Some(undone.boxed())
    }
}

/// The number of agents that are kept.
const MOST_AGENTS: usize = 256;

/// The longest time that the request for a title takes.
const PATIENCE_FOR_TITLE: Duration = Duration::from_secs(60);

/// Returns the agents and workflows that are tools of their own.
pub(crate) fn declared(agent: &Agent) -> Vec<DeclaredTool> {
    let kinds = [CallKind::Agent, CallKind::Workflow].into_iter();
    let of_kind = |kind| {
        let tools = agent.tools().iter_as(kind);
        tools.map(move |tool| DeclaredTool::from_tool(kind, tool))
    };
    kinds.flat_map(of_kind).collect()
}
