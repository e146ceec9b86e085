//! The agents of a server: one for all conversations of a user, which is made again on a new day.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::civil::Date;
use silcrow_agent::Agent;
use silcrow_event::Event;
use silcrow_exec::{DenyAll, ParkAll};
use silcrow_front::RunEnd;
use silcrow_parser as parser;
use silcrow_server::{AgentSource, Error, ErrorKind, PreparedAgent, RunPlace};
use silcrow_settings::known_secrets;
use silcrow_store::Store;

use super::undone::{failed, undone};
use crate::active::{ActiveRun, ClaimAttempt};
use crate::after_run::AfterRun;
use crate::args::OnQuestion;
use crate::failure::Failure;
use crate::mcp::RunServers;
use crate::options::AskOptions;
use crate::places::StorePlace;
use crate::setup::AgentSetup;
use crate::surroundings::today;

/// The agents of a server.
pub(crate) struct ServedAgents {
    args: AskOptions,
    place: StorePlace,
    /// The address of the server, as other processes name it; none for a process without one.
    address: Option<String>,
    store: Arc<dyn Store>,
    /// The MCP servers of all agents.
    servers: RunServers,
    /// What answers to questions are bound to.
    root_identity: String,
    /// The user of the settings.
    owner: Option<String>,
    /// The agents that were made, by their users.
    made: Mutex<HashMap<Option<String>, MadeAgent>>,
    /// The dialect of the agents, in which the server shows what the model wrote.
    options: parser::Options,
}

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
    /// Makes the agent of a setup.
    pub(crate) async fn new(
        args: AskOptions,
        (setup, servers): (AgentSetup, RunServers),
        store: Arc<dyn Store>,
        address: Option<SocketAddr>,
    ) -> Self {
        let options = parser::Options::new(args.dialect).with_inline(args.inline);
        let place = setup.place.clone();
        let address = address.map(|address| format!("http://{address}"));
        let owner = setup.user.clone();
        let root_identity = setup.root_identity.clone();
        let made = made(setup, &args, &store).await;
        let made = Mutex::new(HashMap::from([(owner.clone(), made)]));
        Self { args, place, address, store, servers, root_identity, owner, made, options }
    }

    /// Returns the store of the agents.
    pub(crate) const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the agent of the user of the settings.
    pub(crate) async fn own_agent(&self) -> Result<Agent, Failure> {
        Ok(self.current(self.owner.as_ref()).await?.agent)
    }

    /// Returns the agent of a user for the day. What it knows of a person is of that user alone.
    async fn current(&self, user: Option<&String>) -> Result<MadeAgent, Failure> {
        let user = user.cloned();
        if let Some(current) = self.made().get(&user).filter(|made| made.day == today()) {
            return Ok(current.clone());
        }
        let mut setup = AgentSetup::of(&self.args, user.clone())?;
        setup.use_store(Arc::clone(&self.store));
        setup.use_servers(&self.servers);
        setup.root_identity.clone_from(&self.root_identity);
        let made = made(setup, &self.args, &self.store).await;
        let mut all = self.made();
        if all.len() >= MOST_USERS {
            all.clear();
        }
        all.insert(user, made.clone());
        Ok(made)
    }

    fn made(&self) -> MutexGuard<'_, HashMap<Option<String>, MadeAgent>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a conversation, so that no other process runs it meanwhile.
    fn claim(&self, conversation: &str) -> Result<Option<ActiveRun>, Error> {
        let (root, address) = (&self.args.root, &self.address);
        match ActiveRun::attempt_at(&self.place, conversation, root, address.as_deref()) {
            Ok(ClaimAttempt::Claimed(claim)) => Ok(claim),
            Ok(ClaimAttempt::Taken(other)) => Err(busy(&other.description())),
            Err(failure) => Err(failed(&failure)),
        }
    }
}

fn busy(other: &str) -> Error {
    let why = format!(
        "{other} runs this conversation; wait for it, or send it your message with ?steer=1"
    );
    Error::new(ErrorKind::Busy, why)
}

async fn made(mut setup: AgentSetup, args: &AskOptions, store: &Arc<dyn Store>) -> MadeAgent {
    setup.read_profile(&**store).await;
    let after = setup.after_run(args, store);
    let plain = Arc::new(setup.plain(args));
    let agent = match args.on_question {
        Some(OnQuestion::Deny) => setup.agent(args, Arc::clone(store), DenyAll),
        Some(OnQuestion::Park) | None => setup.agent(args, Arc::clone(store), ParkAll),
    };
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
            self.servers.servers().settle().await;
            let made = self.current(place.user.as_ref()).await;
            let made = made.map_err(|failure| failed(&failure))?;
            Ok(PreparedAgent::from(made.agent).holding(claim))
        }
        .boxed()
    }

    fn ended<'a>(&'a self, place: &'a RunPlace, end: &'a RunEnd) -> BoxFuture<'a, ()> {
        async move {
            let after = self.made().get(&place.user).and_then(|made| made.after.clone());
            if let (RunEnd::Answered, Some(after)) = (end, after) {
                // Nobody reads what it says.
                after.work(&place.conversation, PATIENCE_FOR_TITLE).await;
            }
        }
        .boxed()
    }

    fn elsewhere(&self, place: &RunPlace) -> Option<String> {
        Some(ActiveRun::find(self.place.folder()?, &place.conversation)?.description())
    }

    fn masked(&self, message: String) -> String {
        known_secrets().mask(&message).into_owned()
    }

    fn remove<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            let _claim = self.claim(conversation)?;
            let removed = || {
                if let Some(spills) = self.place.spills() {
                    spills.remove(conversation)?;
                }
                if let Some(changes) = self.place.changes() {
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
            let made = self.current(place.user.as_ref()).await;
            let made = made.map_err(|failure| failed(&failure))?;
            Ok((made.plain)())
        };
        Some(made.boxed())
    }

    fn wire(&self, _: &RunPlace, turn: &[Event]) -> Option<String> {
        Some(parser::write(turn, self.options))
    }

    fn undo<'a>(
        &'a self,
        place: &'a RunPlace,
    ) -> Option<BoxFuture<'a, Result<serde_json::Value, Error>>> {
        let journal = self.place.changes()?;
        let undone = async move {
            let _claim = self.claim(&place.conversation)?;
            undone(&*self.store, &place.conversation, journal, &self.place).await
        };
        Some(undone.boxed())
    }
}

/// The number of users whose agents are kept.
const MOST_USERS: usize = 256;

/// The longest time that the request for a title takes.
const PATIENCE_FOR_TITLE: Duration = Duration::from_secs(60);
