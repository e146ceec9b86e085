//! The agents of a server: one for all conversations, which is made again on a new day.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
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
use silcrow_store::Store;

use super::undone::{failed, undone};
use crate::active::{ActiveRun, ClaimAttempt};
use crate::after_run::AfterRun;
use crate::args::{AgentArgs, OnQuestion};
use crate::failure::Failure;
use crate::known_secrets::known_secrets;
use crate::places::StorePlace;
use crate::setup::AgentSetup;
use crate::surroundings::today;

/// The agents of a server.
pub(super) struct ServedAgents {
    args: AgentArgs,
    place: StorePlace,
    /// The address of the server, as other processes name it; none for a worker without one.
    address: Option<String>,
    store: Arc<dyn Store>,
    made: Mutex<MadeAgent>,
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
    pub(super) async fn new(
        args: AgentArgs,
        setup: AgentSetup,
        store: Arc<dyn Store>,
        address: Option<SocketAddr>,
    ) -> Self {
        let options = parser::Options::new(args.dialect()).with_inline(args.inline);
        let place = setup.place.clone();
        let address = address.map(|address| format!("http://{address}"));
        let made = Mutex::new(made(setup, &args, &store).await);
        Self { args, place, address, store, made, options }
    }

    /// Returns the store of the agents.
    pub(super) const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the agent of the day.
    async fn current(&self) -> Result<MadeAgent, Failure> {
        let current = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if current.day == today() {
            return Ok(current);
        }
        let setup = AgentSetup::new(&self.args)?;
        setup.use_store(Arc::clone(&self.store));
        let made = made(setup, &self.args, &self.store).await;
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = made.clone();
        Ok(made)
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

async fn made(mut setup: AgentSetup, args: &AgentArgs, store: &Arc<dyn Store>) -> MadeAgent {
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
            let made = self.current().await.map_err(|failure| failed(&failure))?;
            Ok(PreparedAgent::from(made.agent).holding(claim))
        }
        .boxed()
    }

    fn ended<'a>(&'a self, place: &'a RunPlace, end: &'a RunEnd) -> BoxFuture<'a, ()> {
        async move {
            let after = self.made.lock().unwrap_or_else(PoisonError::into_inner).after.clone();
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

    fn plain<'a>(&'a self, _: &'a RunPlace) -> Option<BoxFuture<'a, Result<Agent, Error>>> {
        let made = async {
            let made = self.current().await.map_err(|failure| failed(&failure))?;
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

/// The longest time that the request for a title takes.
const PATIENCE_FOR_TITLE: Duration = Duration::from_secs(60);
