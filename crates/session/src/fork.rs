//! Forks of stored conversations, as a person names their points.

use silcrow_agent::Agent;
use silcrow_history::{ErrorKind as HistoryErrorKind, ForkPoint};
use silcrow_store::Store;
use silcrow_tool::Scope;

use crate::error::{Error, ErrorKind};

/// A point in a conversation as a person names it: `ID`, for its end, or `ID@SEQ`.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::Agent;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_session::ForkName;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = std::sync::Arc::new(MemoryStore::new());
/// let model = ScriptedModel::parse("§respond: 4\n§end", 1);
/// let agent = Agent::new(model, store.clone());
/// agent.ask_in("sums", "2 + 2?").await.unwrap();
/// // A fork of the whole conversation.
/// ForkName::new("sums").begin(&agent, &*store, "again".into()).await.unwrap();
/// assert_eq!(store.head("again").await.unwrap(), store.head("sums").await.unwrap());
/// assert!(ForkName::new("sums@99").begin(&agent, &*store, "other".into()).await.is_err());
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct ForkName(String);

impl ForkName {
    /// Takes a name as it was typed.
    pub fn new(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Begins the conversation of the scope, as a fork, for the user of the agent.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such point, or if the store fails.
    pub async fn begin(&self, agent: &Agent, store: &dyn Store, scope: Scope) -> Result<(), Error> {
        let ForkPoint { conversation, at, .. } = self.resolve(store).await?;
        Ok(agent.fork(&conversation, at, scope).await.map(drop)?)
    }

    async fn resolve(&self, store: &dyn Store) -> Result<ForkPoint, Error> {
        let name = &*self.0;
        ForkPoint::named(store, name).await.map_err(|error| {
            match (error.kind(), name.rsplit_once('@')) {
                (HistoryErrorKind::Ambiguous, Some((id, seq)))
                    if error.conversation() == Some(id) =>
                {
                    Error::given(format!(
                        "{error}; use silcrow log fork {id} --at {seq}, or silcrow log fork {name}"
                    ))
                }
                _ => no_point(error),
            }
        })
    }
}

/// Returns the failure for a point that does not exist, with the command that shows which ones do.
fn no_point(error: silcrow_history::Error) -> Error {
    match (error.kind(), error.conversation()) {
        (HistoryErrorKind::NoEvent, Some(id)) => Error::new(
            ErrorKind::History(error.kind()),
            format!("{error}, which silcrow log show {id} shows"),
        ),
        _ => error.into(),
    }
}
