//! Forks of stored conversations, as a person names their points.

use silcrow_agent::Agent;
use silcrow_history::{ErrorKind as HistoryErrorKind, ForkPoint};
use silcrow_store::Store;
use silcrow_tool::Scope;

use crate::error::{Error, ErrorKind};

/// A point in a conversation as a person names it: `ID`, for its end, or `ID@SEQ`.
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
