//! The source of a server's agents.

use std::collections::BTreeMap;
use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_event::{Event, TraceParent};
use silcrow_front::RunEnd;

use crate::error::Error;

/// The conversation of a run, and the user it belongs to.
///
/// ```
/// use silcrow_server::RunPlace;
///
/// let place = RunPlace::new("c1").with_user(Some("ann".to_owned()));
/// assert_eq!((place.conversation.as_str(), place.user.as_deref()), ("c1", Some("ann")));
/// assert!(place.choices.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunPlace {
    /// The user, if the token or the program around the server names one.
    pub user: Option<String>,
    /// The id of the conversation, which may be new.
    pub conversation: String,
    /// The span of the program that begins a run, if it named one.
    pub caller: Option<TraceParent>,
    /// The user's choices for the conversation, by the ids of [choices](AgentSource::choices). The
    /// source offers each of the values; a missing id was not chosen.
    pub choices: BTreeMap<String, String>,
}

impl RunPlace {
    /// Names a conversation without a user.
    pub fn new(conversation: impl Into<String>) -> Self {
        let (conversation, choices) = (conversation.into(), BTreeMap::new());
        Self { user: None, conversation, caller: None, choices }
    }

    /// Sets the user.
    #[must_use]
    pub fn with_user(self, user: Option<String>) -> Self {
        Self { user, ..self }
    }
}

/// Makes the agents of a server.
///
/// A function from a [`RunPlace`] to an agent is a source. An agent whose approver is
/// [`ParkAll`](silcrow_tool::ParkAll) lets its runs wait for the answers of a person; with another
/// approver, that one decides. The agents have to use the store of the server.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_agent::Agent;
/// use silcrow_server::{AgentSource, Error, ErrorKind, PreparedAgent, RunPlace};
///
/// /// Serves only users with a name.
/// struct NamedUsers(Agent);
///
/// impl AgentSource for NamedUsers {
///     fn agent<'a>(&'a self, place: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
///         ready(match place.user {
///             Some(_) => Ok(self.0.clone().into()),
///             None => Err(Error::new(ErrorKind::Forbidden, "send a token with a user")),
///         })
///         .boxed()
///     }
/// }
///
/// # let model = silcrow_provider::ScriptedModel::parse("§respond: Hello.\n§end", 1);
/// # let agent = Agent::new(model, silcrow_store::MemoryStore::new());
/// let source = NamedUsers(agent);
/// let place = RunPlace::new("c1");
/// assert_eq!(source.agent(&place).await.unwrap_err().kind(), ErrorKind::Forbidden);
/// assert!(source.agent(&place.with_user(Some("ann".to_owned()))).await.is_ok());
/// # });
/// ```
pub trait AgentSource: Send + Sync {
    /// Makes the agent for the next run in a conversation.
    fn agent<'a>(&'a self, place: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>>;

    /// Is called when a run is over. The conversation may be in use again by then.
    fn ended<'a>(&'a self, _place: &'a RunPlace, _end: &'a RunEnd) -> BoxFuture<'a, ()> {
        async {}.boxed()
    }

    /// Removes data of a conversation that is not in the store, before the store removes the
    /// conversation.
    fn remove<'a>(&'a self, _conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async { Ok(()) }.boxed()
    }

    /// Names the other process that runs a conversation, if there is one and the source can find
    /// it.
    ///
    /// Such a run can be read, steered and stopped here, because its log is shared.
    /// [`agent`](Self::agent) returns an error of the kind [`Busy`](crate::ErrorKind::Busy) meanwhile.
    fn elsewhere(&self, _place: &RunPlace) -> Option<String> {
        None
    }

    /// Removes secrets from a message that the server stores for a run of another process. An agent
    /// does so without this.
    fn masked(&self, message: String) -> String {
        message
    }

    /// Makes an agent without tools, with its own store, which is discarded afterwards. It does
    /// tasks beside a chat, such as finding a title; `None` if the source has none.
    fn plain<'a>(&'a self, _place: &'a RunPlace) -> Option<BoxFuture<'a, Result<Agent, Error>>> {
        None
    }

    /// Writes the events of a turn in the model's notation, for a person who wants to see it;
    /// `None` if the source does not offer that. A source that knows the dialect of its agents uses
    /// `silcrow_parser::write`.
    fn wire(&self, _place: &RunPlace, _turn: &[Event]) -> Option<String> {
        None
    }

    /// Describes the server for the first screen of the page: an object with any of `model`,
    /// `folder`, `mode` and `rehearsal`, and `tries`, an array of prompts. By default nothing is
    /// said.
    fn about(&self, _place: &RunPlace) -> serde_json::Value {
        serde_json::json!({})
    }

    /// Returns the choices that a user has for each conversation, such as the model. A choice is
    /// stored for the conversation, and [`agent`](Self::agent) finds it in the place. Returns
    /// nothing by default.
    fn choices(&self, _place: &RunPlace) -> Vec<RunChoice> {
        Vec::new()
    }

    /// Undoes the changes of a conversation's last run in files, and returns a JSON object that
    /// describes them; `None` if the source does not offer that.
    fn undo<'a>(
        &'a self,
        _place: &'a RunPlace,
    ) -> Option<BoxFuture<'a, Result<serde_json::Value, Error>>> {
        None
    }
}

impl<F: Fn(&RunPlace) -> Agent + Send + Sync> AgentSource for F {
    fn agent<'a>(&'a self, place: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async move { Ok(self(place).into()) }.boxed()
    }
}

/// Something that a user may choose for a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a choice is a name and its values")]
pub struct RunChoice {
    /// The id, such as `model`.
    pub id: String,
    /// The name that a person reads.
    pub name: String,
    /// The values; the first one is the default.
    pub values: Vec<ChoiceValue>,
}

/// A value of a [choice](RunChoice).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a value is an id and what it means")]
pub struct ChoiceValue {
    /// The id, which is also the name that a person reads.
    pub id: String,
    /// A few words about the value, which may be empty.
    pub description: String,
}

/// An agent for one run, with the things that are held until the run is over.
pub struct PreparedAgent {
    pub(crate) agent: Agent,
    pub(crate) held: Option<Box<dyn Send>>,
}

impl PreparedAgent {
    /// Holds a value until the run is over, such as a lock of the conversation.
    #[must_use]
    pub fn with_guard(self, held: impl Send + 'static) -> Self {
        Self { held: Some(Box::new(held)), ..self }
    }
}

impl From<Agent> for PreparedAgent {
    /// Prepares an agent that nothing is held for.
    fn from(agent: Agent) -> Self {
        Self { agent, held: None }
    }
}

impl fmt::Debug for PreparedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedAgent").field("agent", &self.agent).finish_non_exhaustive()
    }
}
